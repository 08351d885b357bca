"""E-mail (.eml): sender, subject, date and text; attachments are named, never opened."""

from __future__ import annotations

import email
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from email.policy import EmailPolicy
from pathlib import Path

from desktop.ingest.documents.html import html_to_text
from desktop.ingest.documents.model import DocumentText, Passage, ReadBudget, document, paragraphs

_MAX_PARTS = 500
_MAX_HEADER_CHARACTERS = 4_000
"""Longer headers are cut: the library's time for one grows with the square of its length."""
_HEADERS = ("From", "To", "Date", "Subject")


class _ShortHeaders(EmailPolicy):
    """As the library's own, with bounded headers."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_MAX_HEADER_CHARACTERS]


_POLICY = _ShortHeaders()


class MailReader:
    kind = "e-mail"
    suffixes = (".eml",)

    def takes(self, file: Path, data: bytes) -> bool:
        return file.suffix.lower() in self.suffixes

    def read(self, file: Path, data: bytes, budget: ReadBudget) -> DocumentText:
        message = email.message_from_bytes(data, policy=_POLICY)
        assert isinstance(message, EmailMessage)
        left_out: list[str] = []
        heads = [(name, _header(message, name)) for name in _HEADERS if name in message]
        head = [f"{name}: {value}" for name, value in heads if value]
        bodies: dict[str, EmailMessage] = {}
        for number, part in enumerate(_parts(message)):
            budget.check(file.name)
            if number >= _MAX_PARTS:
                left_out.append(f"Only the first {_MAX_PARTS} parts are looked at.")
                break
            if part.get_content_disposition() == "attachment":
                left_out.append(f"Attachment not read: {part.get_filename() or 'without a name'}.")
            elif not part.is_multipart():
                bodies.setdefault(part.get_content_type(), part)
        # Not by `or`: a message without headers counts as false.
        body = bodies.get("text/plain", bodies.get("text/html"))
        text = _text(body, lambda: budget.check(file.name)) if body is not None else ""
        passages = [Passage("\n".join(head), "header"), *paragraphs(text)]
        return document(file, data, self.kind, passages, left_out)


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """The message and its parts in reading order, without what attachments hold."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        yield part
        if part.get_content_maintype() == "multipart" and part.get_content_disposition() != "attachment":
            payload = part.get_payload()
            inner = payload if isinstance(payload, list) else []
            waiting += [entry for entry in reversed(inner) if isinstance(entry, EmailMessage)]


def _header(message: EmailMessage, name: str) -> str:
    try:
        value = str(message[name])
    except (AttributeError, IndexError, ValueError, TypeError, RecursionError):
        # The library trips over addresses that are none; the line as it was sent will do.
        value = next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(value.split())


def _text(part: EmailMessage, check: Callable[[], None]) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    try:
        text = raw.decode(part.get_content_charset() or "utf-8", errors="replace")
    except (LookupError, ValueError):
        text = raw.decode("utf-8", errors="replace")
    return html_to_text(text, check) if part.get_content_type() == "text/html" else text
