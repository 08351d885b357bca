"""What every reader gives, and how long it may take."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop.ingest.limits import MAX_SECONDS, MAX_TEXT_CHARACTERS
from packs.errors import AppError


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text from one place. where: 'page 3', 'table 2', 'line 41'; empty when not known."""

    text: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class DocumentText:
    """name: of the file, without folder. kind: in words. sha256: hex, of the file's bytes.

    left_out: whole sentences on what was not read and why.
    """

    name: str
    kind: str
    sha256: str
    passages: tuple[Passage, ...]
    left_out: tuple[str, ...] = ()
    pages: int | None = None

    @property
    def text(self) -> str:
        return "\n\n".join(passage.text for passage in self.passages)


class DocumentReader(Protocol):
    """kind: in words for a person; suffixes: lower case, with the dot."""

    @property
    def kind(self) -> str: ...

    @property
    def suffixes(self) -> tuple[str, ...]: ...

    def takes(self, file: Path, data: bytes) -> bool:
        """Is it this kind? By content where the content tells, else by name."""

    def read(self, file: Path, data: bytes, budget: ReadBudget) -> DocumentText:
        """Raises AppError."""


class ReadBudget:
    """Time for one document. `check` is asked between pages, rows and parts, so one part may overrun it."""

    def __init__(self, seconds: float = MAX_SECONDS, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._end = now() + seconds
        self._seconds = seconds

    def check(self, name: str) -> None:
        """Raises AppError when the time is over."""
        if self._now() > self._end:
            raise AppError(
                f"Reading {name} took longer than {self._seconds:.0f} seconds and was stopped.",
                "Take the part that is needed into a smaller document.",
                code="too_slow",
            )


def document(
    file: Path,
    data: bytes,
    kind: str,
    passages: Iterable[Passage],
    left_out: Iterable[str] = (),
    pages: int | None = None,
) -> DocumentText:
    """Put a document together: blank passages dropped, text cut at the limit with a word about it."""
    kept: list[Passage] = []
    notes = list(left_out)
    room = MAX_TEXT_CHARACTERS
    for passage in passages:
        text = passage.text.strip()
        if not text:
            continue
        if len(text) > room:
            notes.append(f"Only the first {MAX_TEXT_CHARACTERS:,} characters are read.")
            if room:
                kept.append(Passage(text[:room], passage.where))
            break
        kept.append(Passage(text, passage.where))
        room -= len(text)
    digest = hashlib.sha256(data).hexdigest()
    return DocumentText(file.name, kind, digest, tuple(kept), tuple(notes), pages)


def paragraphs(text: str) -> list[Passage]:
    """Split at blank lines; each passage knows the line it begins at."""
    found: list[Passage] = []
    lines: list[str] = []
    start = 1
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            if not lines:
                start = number
            lines.append(line.rstrip())
        elif lines:
            found.append(Passage("\n".join(lines), f"line {start}"))
            lines = []
    return found
