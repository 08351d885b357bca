"""The text layer of a PDF. A scan has none, and that is said."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

from desktop.ingest.documents.model import DocumentText, Passage, ReadBudget, document
from desktop.ingest.limits import MAX_PAGES
from packs.errors import AppError

# Text of a page is looked for only in so much page content; drawings can be far larger.
_MAX_PAGE_CONTENT = 8 * 2**20


class PdfReader:
    kind = "PDF"
    suffixes = (".pdf",)

    def takes(self, file: Path, data: bytes) -> bool:
        return b"%PDF-" in data[:1024]

    def read(self, file: Path, data: bytes, budget: ReadBudget) -> DocumentText:
        # Loading is slow and a PDF is rare: not at start-up.
        import pypdf
        from pypdf.errors import PyPdfError

        # What the library notes about sloppy files is of no use to a person.
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        faults = (
            PyPdfError,
            ValueError,
            KeyError,
            TypeError,
            IndexError,
            AttributeError,
            OSError,
            RecursionError,
        )
        try:
            reader = pypdf.PdfReader(io.BytesIO(data))
            if reader.is_encrypted and not reader.decrypt(""):
                raise AppError(
                    f"{file.name} is protected with a password.", "Save a copy without one.", code="protected"
                )
            count = len(reader.pages)
        except faults:
            raise AppError(
                f"{file.name} is damaged and could not be read as a PDF.",
                "Open it in a PDF reader and print it into a new PDF.",
                code="damaged",
            ) from None
        passages, left_out, without_text = [], [], []
        for number in range(1, min(count, MAX_PAGES) + 1):
            budget.check(file.name)
            try:
                text = _page_text(reader.pages[number - 1])
            except faults:
                left_out.append(f"Page {number} could not be read.")
                continue
            if text is None:
                left_out.append(f"Page {number} holds too much drawing to be searched for text.")
            elif text.strip():
                passages.append(Passage(text, f"page {number}"))
            else:
                without_text.append(number)
        if count > MAX_PAGES:
            left_out.append(f"Only the first {MAX_PAGES:,} of {count:,} pages are read.")
        if without_text and not passages:
            raise AppError(
                f"{file.name} has no text layer: its {count} pages are pictures, probably a scan.",
                "Have it recognised by a text recognition program (OCR) first, or type the text.",
                code="scan",
            )
        if without_text:
            left_out.append(f"Without text, probably pictures: page {', '.join(map(str, without_text[:20]))}.")
        return document(file, data, self.kind, passages, left_out, pages=count)


def _page_text(page: Any) -> str | None:
    contents = page.get_contents()
    if contents is not None and len(contents.get_data()) > _MAX_PAGE_CONTENT:
        return None
    text: str = page.extract_text() or ""
    return text
