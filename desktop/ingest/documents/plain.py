"""Plain text and Markdown."""

from __future__ import annotations

from pathlib import Path

from desktop.ingest.documents.model import DocumentText, ReadBudget, document, paragraphs
from desktop.ingest.encoding import decode


class PlainReader:
    kind = "text"
    suffixes: tuple[str, ...] = (".txt", ".text", ".log", ".rst")

    def takes(self, file: Path, data: bytes) -> bool:
        """Anything that no other reader took; `read` refuses what is not text."""
        return True

    def read(self, file: Path, data: bytes, budget: ReadBudget) -> DocumentText:
        text = decode(data, name=file.name).text
        return document(file, data, self.kind, paragraphs(text))


class MarkdownReader(PlainReader):
    """Markdown is kept as it is written: its marks help a model to see headings and lists."""

    kind = "Markdown"
    suffixes = (".md", ".markdown")

    def takes(self, file: Path, data: bytes) -> bool:
        return file.suffix.lower() in self.suffixes
