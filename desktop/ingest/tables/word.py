"""A table of examples inside a DOCX file."""

from __future__ import annotations

from pathlib import Path

from desktop.ingest.tables.assemble import assemble, empty_table
from desktop.ingest.tables.model import DataTable, TableFormat, TableRow
from desktop.ingest.word_file import Cells, blocks, open_word_file
from packs.errors import AppError


def read_word_table(file: Path, wanted: TableFormat) -> DataTable:
    """The table named by `wanted.sheet` ('Table 2'), else the one with the most rows. Raises AppError."""
    tables: list[Cells] = [block for block in blocks(open_word_file(file)) if isinstance(block, list)]
    if not tables:
        raise AppError(
            f"{file.name} has no table.",
            "Open it as notes instead, so that a model drafts examples from its text.",
            code="no_table",
        )
    titles = tuple(f"Table {number}" for number in range(1, len(tables) + 1))
    if wanted.sheet is not None and wanted.sheet not in titles:
        raise AppError(
            f"{file.name} has no '{wanted.sheet}'.",
            f"Choose one of: {', '.join(titles)}.",
            code="no_such_sheet",
        )
    place = (
        titles.index(wanted.sheet) if wanted.sheet else max(range(len(tables)), key=lambda i: len(tables[i]))
    )
    rows = [
        TableRow(number, tuple(text if text.strip() else None for text in cells))
        for number, cells in enumerate(tables[place], start=1)
    ]
    if all(row.is_empty for row in rows):
        raise empty_table(file.name)
    notes = [f"{titles[place]} of the document, {len(rows)} rows."]
    found = TableFormat(sheet=titles[place])
    return assemble(rows, wanted, name=file.name, found=found, notes=notes, sheets=titles)
