"""Errors in words a person can use, and the details to pass on. Without Qt: window and commands share it."""

from __future__ import annotations

import errno
import platform
import traceback
from dataclasses import dataclass
from types import TracebackType

from desktop.foundation.logs import scrub
from packs.errors import AppError

MAX_DETAIL = 20_000
"""Characters of a traceback that are shown and copied; the log has all of it."""

_FULL = frozenset(getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name))


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a person reads: what failed and where, and what to do. Both whole sentences; `fix` may be empty."""

    message: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.message} {self.fix}".strip()


def disk_is_full(error: BaseException) -> bool:
    """No fault of ours, wherever it comes up: also an import of the one-file program may find no room."""
    return isinstance(error, OSError) and error.errno in _FULL


def sentence_for(error: BaseException) -> Sentence:
    """The error in plain words. An error of ours that nobody foresaw is called that."""
    if isinstance(error, AppError):
        return Sentence(error.message, error.fix)
    if isinstance(error, OSError):
        return _sentence_for_file(error)
    if isinstance(error, MemoryError):
        return Sentence(
            "There was not enough memory for this. What is saved is safe.",
            "Close other programs or end a run, then try again.",
        )
    return Sentence(
        "Packbench made a mistake here. What is saved is safe.",
        "Try it once more. If it stays, copy the details from the log and pass them on.",
    )


def _sentence_for_file(error: OSError) -> Sentence:
    name = f"“{error.filename}”" if error.filename else "The file"
    if error.errno in _FULL:
        return Sentence(
            f"{name} could not be written: {error.strerror}. What was there before is as it was.",
            "Free some space or choose another place, then try again.",
        )
    if error.errno == errno.EROFS:
        return Sentence(f"{name} lies where nothing can be written.", "Choose another place.")
    if isinstance(error, FileNotFoundError):
        return Sentence(f"{name} is not there.", "Look whether it was moved or renamed.")
    if isinstance(error, PermissionError):
        return Sentence(f"{name} may not be read or written.", "Choose another place, or change its rights.")
    if isinstance(error, IsADirectoryError):
        return Sentence(f"{name} is a folder.", "Choose a file.")
    if isinstance(error, NotADirectoryError | FileExistsError):
        return Sentence(f"{name} is in the way: it is no folder.", "Choose another place.")
    if error.strerror:
        return Sentence(f"{name} could not be used: {error.strerror}.", "Choose another place and try again.")
    return Sentence(f"{name} could not be used.", "Choose another place and try again.")


def details_of(kind: type[BaseException], error: BaseException, trace: TracebackType | None, where: str) -> str:
    """What to pass on to a developer: versions, thread, traceback. Without anything that looks like a key."""
    lines = [
        f"Python {platform.python_version()} on {platform.platform()}",
        f"Thread: {where}",
        "",
        "".join(traceback.format_exception(kind, error, trace)),
    ]
    return bounded(scrub("\n".join(lines)))


def bounded(text: str) -> str:
    """At most some 20,000 characters. The end names the error, so the middle goes."""
    if len(text) <= MAX_DETAIL:
        return text
    half = MAX_DETAIL // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
