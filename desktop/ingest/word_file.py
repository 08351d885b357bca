"""Opening a DOCX file and walking through it in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from desktop.ingest.archive import check_office_zip
from desktop.ingest.limits import MAX_COLUMNS, MAX_ROWS
from packs.documents.regular_file import open_regular
from packs.documents.zip_faults import ZIP_FAULTS
from packs.errors import AppError

Cells = list[tuple[str, ...]]


def open_word_file(file: Path) -> Any:
    """The document object of python-docx. Raises AppError."""
    check_office_zip(file)
    # Loading is slow and a Word file is rare: not at start-up.
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import LxmlError

    try:
        with open_regular(file) as stream:
            return docx.Document(stream)
    except (
        *ZIP_FAULTS,
        *(PackageNotFoundError, LxmlError),
        *(LookupError, AttributeError, TypeError, ValueError, OSError),
    ) as error:
        raise AppError(
            f"{file.name} could not be read as a Word document: {type(error).__name__}.",
            "Open it in a word processor and save it again as .docx.",
            code="damaged",
        ) from None


def blocks(document: Any) -> Iterator[tuple[str, str] | Cells]:
    """In reading order: (style name, text) for a paragraph, rows of cell texts for a table."""
    from docx.table import Table
    from docx.text.paragraph import Paragraph

    for block in document.iter_inner_content():
        if isinstance(block, Paragraph):
            style = block.style.name if block.style is not None else ""
            yield (style or "", block.text)
        elif isinstance(block, Table):
            yield table_cells(block)


def table_cells(table: Any) -> Cells:
    """Texts of a table, row by row; a cell that spans several columns stands once, then empty."""
    rows: Cells = []
    for row in list(table.rows)[:MAX_ROWS]:
        texts, last = [], None
        for cell in row.cells[:MAX_COLUMNS]:
            texts.append("" if cell._tc is last else cell.text)
            last = cell._tc
        rows.append(tuple(texts))
    return rows
