"""From rows of cells to a `Table`: names of columns, decimal sign, equal widths; for all kinds of file."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.ingest.tables.header import looks_like_header
from desktop.ingest.tables.model import DataTable, RejectedRow, TableFormat, TableRow, distinct_names
from desktop.ingest.tables.numbers import sniff_decimal
from packs.errors import AppError

_HEADER_SAMPLE = 201


def assemble(
    rows: Sequence[TableRow],
    wanted: TableFormat,
    *,
    name: str,
    found: TableFormat,
    notes: Sequence[str],
    rejected: Sequence[RejectedRow] = (),
    sheets: tuple[str, ...] = (),
) -> DataTable:
    """found: what is known already (encoding, delimiter, sheet); header and decimal sign are added here.

    Columns without any content, left over from formatting, are dropped at the right edge. Raises AppError
    (`empty_table`) without a filled row.
    """
    filled = [row for row in rows if not row.is_empty]
    if not filled:
        raise empty_table(name)
    width = max(_used_width(row) for row in filled)
    if wanted.has_header is None:
        header, reason = looks_like_header([row.cells[:width] for row in filled[:_HEADER_SAMPLE]])
    else:
        header, reason = wanted.has_header, "as chosen"
    reported = [*notes, f"The first row is {'names' if header else 'content'} ({reason})."]

    first = filled[0]
    names = [str(cell if cell is not None else "") for cell in first.cells[:width]] if header else []
    columns = distinct_names([*names, *[""] * (width - len(names))])
    body = [row for row in rows if row.number > first.number] if header else list(rows)
    # Most rows are as wide as the table already; making them anew would cost as much as reading them.
    body = [row if len(row.cells) == width else _as_wide(row, width) for row in body]

    if wanted.decimal is None:
        texts = (cell for row in body for cell in row.cells if isinstance(cell, str))
        decimal, reason = sniff_decimal(texts, found.delimiter)
    else:
        decimal, reason = wanted.decimal, "as chosen"
    reported.append(f"Numbers in text have a decimal {'comma' if decimal == ',' else 'point'} ({reason}).")
    read_as = found.with_(has_header=header, decimal=decimal)
    return DataTable(columns, tuple(body), read_as, tuple(reported), tuple(rejected), sheets)


def empty_table(name: str) -> AppError:
    return AppError(f"{name} has no rows.", "Choose a table with examples in it.", code="empty_table")


def _as_wide(row: TableRow, width: int) -> TableRow:
    return TableRow(row.number, (row.cells + (None,) * width)[:width])


def _used_width(row: TableRow) -> int:
    return max(
        position + 1 for position, cell in enumerate(row.cells) if cell is not None and str(cell).strip()
    )
