"""Documents (notes, runbooks, mail, PDF) become plain passages with the place each came from.

`READERS` lists every kind in one place; a new kind is one small class and one line there.
"""

from __future__ import annotations

from pathlib import Path

from desktop.ingest.archive import read_bytes
from desktop.ingest.damage import reported_as_damaged
from desktop.ingest.documents.html import HtmlReader
from desktop.ingest.documents.mail import MailReader
from desktop.ingest.documents.model import DocumentReader, DocumentText, ReadBudget
from desktop.ingest.documents.pdf import PdfReader
from desktop.ingest.documents.plain import MarkdownReader, PlainReader
from desktop.ingest.documents.table import TableReader
from desktop.ingest.documents.word import WordReader
from packs.errors import AppError

READERS: tuple[DocumentReader, ...] = (
    PdfReader(),
    WordReader(),
    TableReader(),
    MailReader(),
    HtmlReader(),
    MarkdownReader(),
    PlainReader(),
)
"""Asked in this order; the first that takes the file reads it."""

SUFFIXES = tuple(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))


def read_document(file: Path, budget: ReadBudget | None = None) -> DocumentText:
    """Read a document within the limits. Raises AppError, also when there is no text in it."""
    data = read_bytes(file)
    budget = budget or ReadBudget()
    for reader in READERS:
        if reader.takes(file, data):
            with reported_as_damaged(file.name):
                document = reader.read(file, data, budget)
            break
    else:
        known = ", ".join(suffix.lstrip(".").upper() for suffix in SUFFIXES)
        raise AppError(
            f"{file.name} is of a kind that cannot be read.",
            f"Save it as one of: {known}.",
            code="unknown_kind",
        )
    if not document.text.strip():
        raise AppError(
            f"{file.name} holds no text. {' '.join(document.left_out)}".strip(),
            "Choose a document with text in it.",
            code="no_text",
        )
    return document
