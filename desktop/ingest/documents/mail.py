"""E-mail (.eml): sender, subject, date and text; attachments are named, never opened."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from pathlib import Path

from desktop.ingest.documents.html import html_to_text
from desktop.ingest.documents.model import Budget, DocumentText, Passage, document, paragraphs

_MAX_PARTS = 500
_HEADERS = ("From", "To", "Date", "Subject")


class MailReader:
    kind = "e-mail"
    suffixes = (".eml",)

    def takes(self, file: Path, data: bytes) -> bool:
        return file.suffix.lower() in self.suffixes

    def read(self, file: Path, data: bytes, budget: Budget) -> DocumentText:
        message = email.message_from_bytes(data, policy=email.policy.default)
        left_out: list[str] = []
        heads = [(name, _header(message, name)) for name in _HEADERS if name in message]
        head = [f"{name}: {value}" for name, value in heads if value]
        passages = [Passage("\n".join(head), "header"), *paragraphs(_body(message))]
        for number, part in enumerate(message.walk()):
            budget.check(file.name)
            if number >= _MAX_PARTS:
                left_out.append(f"Only the first {_MAX_PARTS} parts are looked at.")
                break
            if part.get_content_disposition() == "attachment":
                left_out.append(f"Attachment not read: {part.get_filename() or 'without a name'}.")
        return document(file, data, self.kind, passages, left_out)


def _header(message: EmailMessage, name: str) -> str:
    try:
        value = str(message[name])
    except (AttributeError, IndexError, ValueError, TypeError):
        # The library trips over addresses that are none; the line as it was sent will do.
        value = next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(value.split())


def _body(message: EmailMessage) -> str:
    """The plain part if there is one, else the HTML part as text."""
    part = message.get_body(("plain", "html"))
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    try:
        text = raw.decode(part.get_content_charset() or "utf-8", errors="replace")
    except (LookupError, ValueError):
        text = raw.decode("utf-8", errors="replace")
    return html_to_text(text) if part.get_content_type() == "text/html" else text
