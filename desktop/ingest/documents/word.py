"""DOCX: paragraphs and tables in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from desktop.ingest.documents.model import DocumentText, Passage, ReadBudget, document
from desktop.ingest.word_file import blocks, open_word_file


class WordReader:
    kind = "Word document"
    suffixes = (".docx",)

    def takes(self, file: Path, data: bytes) -> bool:
        return data.startswith(b"PK\x03\x04") and file.suffix.lower() in self.suffixes

    def read(self, file: Path, data: bytes, budget: ReadBudget) -> DocumentText:
        opened = open_word_file(file)

        def passages() -> Iterator[Passage]:
            tables = 0
            for number, block in enumerate(blocks(opened), start=1):
                budget.check(file.name)
                if isinstance(block, list):
                    tables += 1
                    lines = (" | ".join(" ".join(cell.split()) for cell in row) for row in block)
                    yield Passage("\n".join(lines), f"table {tables}")
                else:
                    style, text = block
                    level = style.removeprefix("Heading ") if style.startswith("Heading ") else ""
                    mark = "#" * int(level) + " " if level.isdecimal() and 0 < int(level) < 7 else ""
                    yield Passage(mark + text, f"paragraph {number}")

        left_out = ["Pictures are not read."] if len(opened.inline_shapes) else []
        return document(file, data, self.kind, passages(), left_out)
