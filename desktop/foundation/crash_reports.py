"""What a program that was ended by a native fault leaves behind, and how the next start finds it.

Each process writes to a file of its own beside the log, named by its number. A clean end takes the file away;
so a file of a process that is gone tells of one that was killed (empty) or crashed (with a trace).
"""

from __future__ import annotations

import faulthandler
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

from desktop.foundation.logs import scrub
from desktop.foundation.private_files import make_private_folder, touch_private

log = logging.getLogger(__name__)

PREFIX = "crash-"
SUFFIX = ".txt"
REPORTED = "told-crash-"
KEPT = 5
"""Traces that were shown already; older ones are removed."""
MAX_FILES = 200
MAX_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class CrashTrace:
    """text: the trace without anything that looks like a key. at: seconds since 1970. file: where it is."""

    text: str
    at: float
    file: Path


class TraceOfThisProcess:
    """Open from `begin` to `end`; the system's fault handler writes into the file without our doing."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{PREFIX}{os.getpid()}{SUFFIX}"
        self._file: IO[bytes] | None = None

    def begin(self) -> None:
        """A folder that cannot be written never stops the program: then there will be no trace."""
        try:
            make_private_folder(self._path.parent)
            if self._path.exists():
                # Left by an earlier process with our number; the window is going to tell of it.
                self._path.replace(self._path.with_name(f"{PREFIX}0{os.getpid()}{SUFFIX}"))
            touch_private(self._path)
            self._file = self._path.open("wb", buffering=0)
            faulthandler.enable(self._file, all_threads=True)
        except (OSError, RuntimeError) as error:
            log.info("a native crash would leave no trace: %s", error)

    def end(self) -> None:
        if self._file is None:
            return
        faulthandler.disable()
        self._file.close()
        self._file = None
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            log.info("an empty crash file stays behind: %s", error)


def take_traces(folder: Path) -> list[CrashTrace]:
    """Traces of processes that are gone, newest first, each once: they are renamed and kept. Never raises."""
    found: list[CrashTrace] = []
    try:
        files = sorted(folder.glob(f"{PREFIX}*{SUFFIX}"))[:MAX_FILES]
    except OSError:
        return []
    for file in files:
        number = file.name.removeprefix(PREFIX).removesuffix(SUFFIX)
        if not number.isdecimal() or (not number.startswith("0") and _at_work(int(number), file)):
            continue
        try:
            trace = _take(file)
        except OSError as error:
            log.info("a crash file could not be read: %s", error)
            continue
        if trace is not None:
            found.append(trace)
    _forget_old(folder)
    return sorted(found, key=lambda trace: trace.at, reverse=True)


def _at_work(number: int, file: Path) -> bool:
    """A process that began after the file was made has only inherited the number."""
    try:
        return psutil.Process(number).create_time() <= file.stat().st_mtime + 1
    except (psutil.Error, OSError, OverflowError):
        return False


def _take(file: Path) -> CrashTrace | None:
    if file.is_symlink():
        return None
    state = file.stat()
    with file.open("rb") as opened:
        text = opened.read(MAX_BYTES).decode("utf-8", "replace")
    if not text.strip():
        file.unlink()
        return None
    kept = file.with_name(f"{REPORTED}{int(state.st_mtime)}-{file.name.removeprefix(PREFIX)}")
    file.replace(kept)
    return CrashTrace(scrub(text), state.st_mtime, kept)


def _forget_old(folder: Path) -> None:
    try:
        kept = sorted(folder.glob(f"{REPORTED}*{SUFFIX}"), key=lambda file: file.name, reverse=True)
        for file in kept[KEPT:]:
            file.unlink(missing_ok=True)
    except OSError as error:
        log.info("old crash files could not be removed: %s", error)
