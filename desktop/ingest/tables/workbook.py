"""XLSX workbooks: stored values, never formulas."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from desktop.ingest.archive import check_office_zip
from desktop.ingest.limits import MAX_COLUMNS, MAX_ROWS
from desktop.ingest.tables.assemble import assemble, empty_table
from desktop.ingest.tables.model import Cell, DataTable, RejectedRow, TableFormat, TableRow
from packs.documents.regular_file import open_regular
from packs.documents.zip_faults import ZIP_FAULTS
from packs.errors import AppError


def read_workbook(file: Path, wanted: TableFormat) -> DataTable:
    """One sheet of the workbook: `wanted.sheet`, else the first with content. Raises AppError.

    Cells hold what the workbook stores: text, numbers, booleans; dates become ISO 8601 text. A formula whose
    result was never stored rejects its row.
    """
    check_office_zip(file)
    # Loading is slow and a workbook is rare: not at start-up.
    import openpyxl

    try:
        # Opened here, since the library leaves files open when a workbook turns out to be damaged.
        with open_regular(file) as stream:
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
            sheets = tuple(sheet.title for sheet in book.worksheets)
            title, rows = _chosen(book, sheets, wanted.sheet, file.name)
        formulas = _formulas(file, title, rows)
    except AppError:
        raise
    except (*ZIP_FAULTS, LookupError, AttributeError, ValueError, TypeError, OSError, SyntaxError) as error:
        raise AppError(
            f"{file.name} could not be read as a workbook: {type(error).__name__}.",
            "Open it in a spreadsheet program and save it again, or save it as CSV.",
            code="damaged",
        ) from None
    return _table(rows, formulas, title, sheets, wanted, file.name)


def _chosen(book: Any, sheets: tuple[str, ...], wanted: str | None, name: str) -> tuple[str, list[TableRow]]:
    if wanted is not None and wanted not in sheets:
        raise AppError(
            f"{name} has no sheet called '{wanted}'.",
            f"Choose one of: {', '.join(sheets)}.",
            code="no_such_sheet",
        )
    for title in sheets if wanted is None else (wanted,):
        rows = _rows(book[title])
        if wanted is not None or any(not row.is_empty for row in rows):
            return title, rows
    raise empty_table(name)


def _rows(sheet: Any) -> list[TableRow]:
    rows: list[TableRow] = []
    for number, cells in _walked(sheet):
        row = TableRow(number, tuple(_plain(cell) for cell in cells))
        if number > MAX_ROWS:
            if row.is_empty:
                continue
            raise _too_many_rows()
        # Rows that the file leaves out count as empty ones.
        rows += [TableRow(missing, ()) for missing in range(len(rows) + 1, number)]
        rows.append(row)
    while rows and rows[-1].is_empty:
        rows.pop()
    return rows


def _walked(sheet: Any) -> Iterator[tuple[int, tuple[object, ...]]]:
    """(row number, cells up to the last one within MAX_COLUMNS) of every row that the file holds, in its order.

    The library's own way fills up every missing row and column: one cell in the last corner would become a
    million rows. What is not in the file costs nothing here, and the size that a file claims is not asked.
    Raises AppError when more than MAX_ROWS rows are stored, or they do not go up.
    """
    from openpyxl.worksheet._reader import WorkSheetParser

    book = sheet.parent
    with sheet._get_source() as source:
        parser = WorkSheetParser(
            source,
            sheet._shared_strings,
            data_only=book.data_only,
            epoch=book.epoch,
            date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )
        before = 0
        for walked, (number, cells) in enumerate(parser.parse(), start=1):
            parser.row_dimensions.clear()
            if walked > MAX_ROWS:
                raise _too_many_rows()
            if number <= before:
                raise ValueError("rows that do not go up")
            before = number
            kept = {cell["column"]: cell["value"] for cell in cells if 1 <= cell["column"] <= MAX_COLUMNS}
            yield number, tuple(kept.get(column) for column in range(1, max(kept, default=0) + 1))


def _too_many_rows() -> AppError:
    return AppError(
        f"The sheet has more than {MAX_ROWS:,} rows.",
        "Take the rows that are needed into a smaller file; 20 to 50 examples are enough.",
        code="too_large",
    )


def _plain(value: object) -> Cell:
    if isinstance(value, str):
        return value if value != "" else None
    if isinstance(value, bool | int) or value is None:
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)


def _formulas(file: Path, title: str, rows: Iterable[TableRow]) -> set[tuple[int, int]]:
    """(row number, column) of formulas; asked only when a cell is empty, for it may hide one."""
    if not any(cell is None for row in rows for cell in row.cells):
        return set()
    import openpyxl

    with open_regular(file) as stream:
        book = openpyxl.load_workbook(stream, read_only=True, data_only=False, keep_links=False)
        return {
            (number, column)
            for number, cells in _walked(book[title])
            for column, cell in enumerate(cells)
            if number <= MAX_ROWS and _is_formula(cell)
        }


def _is_formula(cell: object) -> bool:
    """A text that begins so, or one of the library's objects for formulas over several cells."""
    if isinstance(cell, str):
        return cell.startswith("=")
    return cell is not None and type(cell).__module__ == "openpyxl.worksheet.formula"


def _table(
    rows: list[TableRow],
    formulas: set[tuple[int, int]],
    title: str,
    sheets: tuple[str, ...],
    wanted: TableFormat,
    name: str,
) -> DataTable:
    kept, rejected = [], []
    for row in rows:
        hidden = [
            place for place, cell in enumerate(row.cells) if cell is None and (row.number, place) in formulas
        ]
        if hidden:
            reason = f"Column {hidden[0] + 1} is a formula whose result the file does not hold."
            rejected.append(RejectedRow(row.number, reason))
        else:
            kept.append(row)
    notes = [f"Sheet: {title}."]
    if len(sheets) > 1:
        notes.append(f"The workbook has {len(sheets)} sheets; only this one is read.")
    found = TableFormat(sheet=title)
    return assemble(kept, wanted, name=name, found=found, notes=notes, rejected=rejected, sheets=sheets)
