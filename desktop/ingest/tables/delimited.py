"""CSV, TSV and their relatives: the delimiter is found by trying."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator

from desktop.ingest.encoding import decode
from desktop.ingest.limits import MAX_CELL_CHARACTERS, MAX_COLUMNS, MAX_ROWS
from desktop.ingest.tables.assemble import assemble
from desktop.ingest.tables.model import DataTable, RejectedRow, TableFormat, TableRow
from packs.errors import AppError

DELIMITERS = (",", ";", "\t", "|")
DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_SNIFF_CHARACTERS = 100_000
_SNIFF_ROWS = 200
_PIECE = 500_000
"""Characters."""


def read_delimited(data: bytes, wanted: TableFormat, *, name: str) -> DataTable:
    """Read a delimited table; what `wanted` leaves open is found from the content. Raises AppError."""
    decoded = decode(data, wanted.encoding, name=name)
    text = decoded.text
    notes = [f"Encoding: {decoded.encoding} ({decoded.reason})."]
    delimiter, text = _declared_delimiter(text)
    if wanted.delimiter is not None:
        delimiter = wanted.delimiter
        notes.append(f"Columns are separated by {DELIMITER_NAMES.get(delimiter, repr(delimiter))} (as chosen).")
    elif delimiter is not None:
        notes.append(f"Columns are separated by {DELIMITER_NAMES[delimiter]} (the first line says so).")
    else:
        delimiter, reason = sniff_delimiter(text)
        notes.append(f"Columns are separated by {DELIMITER_NAMES[delimiter]} ({reason}).")

    rows, rejected = _rows(text, delimiter)
    found = TableFormat(encoding=decoded.encoding, delimiter=delimiter)
    return assemble(rows, wanted, name=name, found=found, notes=notes, rejected=rejected)


def sniff_delimiter(text: str) -> tuple[str, str]:
    """(delimiter, reason in words): the one that gives the most rows of one same width above 1.

    Rows in which a quoted cell goes on after its closing quote count half: no comma divides `"a; b";3,5`.
    """
    sample = text[:_SNIFF_CHARACTERS]
    best, best_share, best_worth, best_width = ",", 0.0, 0.0, 1
    for delimiter in DELIMITERS:
        widths = Counter(
            len(cells)
            for cells, _ in zip(_parse(sample, delimiter), range(_SNIFF_ROWS), strict=False)
            if any(cell.strip() for cell in cells)
        )
        total = sum(widths.values())
        wide = {width: count for width, count in widths.items() if width > 1}
        if not wide:
            continue
        width, count = max(wide.items(), key=lambda item: (item[1], item[0]))
        share = count / total
        worth = share * (1 - _badly_quoted(sample, delimiter) / 2)
        if (worth, width) > (best_worth, best_width):
            best, best_share, best_worth, best_width = delimiter, share, worth, width
    if best_share == 0:
        return ",", "there is only one column"
    return best, f"it gives {best_width} columns in {round(best_share * 100)} % of the rows looked at"


def _badly_quoted(sample: str, delimiter: str) -> float:
    """Share of rows, 0 to 1, in which something other than `delimiter` follows a closing quote."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter, strict=True)
    rows = bad = 0
    while rows < _SNIFF_ROWS:
        rows += 1
        try:
            next(reader)
        except StopIteration:
            rows -= 1
            break
        except csv.Error:
            bad += 1
    return bad / rows if rows else 0.0


def _declared_delimiter(text: str) -> tuple[str | None, str]:
    """Spreadsheets write `sep=;` as a first line of its own."""
    first, newline, rest = text.partition("\n")
    mark = first.strip().casefold()
    if newline and mark.startswith("sep=") and mark[4:] in DELIMITERS:
        return mark[4:], rest
    return None, text


def _rows(text: str, delimiter: str) -> tuple[list[TableRow], list[RejectedRow]]:
    rows: list[TableRow] = []
    rejected: list[RejectedRow] = []
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=False)
    start = 1
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            rejected.append(RejectedRow(start, f"The row could not be read: {error}."))
            start = reader.line_num + 1
            continue
        if len(rows) >= MAX_ROWS:
            raise AppError(
                f"The table has more than {MAX_ROWS:,} rows.",
                "Take the rows that are needed into a smaller file; 20 to 50 examples are enough.",
                code="too_large",
            )
        if len(cells) > MAX_COLUMNS:
            rejected.append(RejectedRow(start, f"The row has more than {MAX_COLUMNS} columns."))
        else:
            rows.append(TableRow(start, tuple(cell if cell != "" else None for cell in cells)))
        start = reader.line_num + 1
    return rows, rejected


def _lines(text: str) -> Iterator[str]:
    """The lines with their ends. By pieces: all of a large text at once would hold up other threads."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end


def _parse(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    except csv.Error:
        return


csv.field_size_limit(MAX_CELL_CHARACTERS)
