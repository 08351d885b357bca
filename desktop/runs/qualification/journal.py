"""The folder of a run that is not finished: every reply that came, durable, so that nothing is asked twice.

Qualification-pack format, section 19. Replies are written at once and flushed to disk in groups by a thread of
their own, so that a slow disk does not hold up the capture (section 28, W20).
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from desktop.runs.qualification.store import FILE_BYTES
from packs.canonical import JsonValue
from packs.documents.atomic import write_atomically
from packs.documents.jsonlines import document, line
from packs.documents.regular_file import read_regular
from packs.errors import AppError
from packs.qualification.captures import Capture, Key, capture_from

CAPTURING = "capturing"
SCORING = "scoring"
FINALIZED = "finalized"
SEALED = "sealed"
"""A bundle was written although requests failed; the journal waits for `--retry-errors`."""

NOTES = {
    CAPTURING: "Replies are being collected; 'qualify --resume' goes on from here.",
    SCORING: "All replies are there; 'qualify --resume' scores them again.",
    FINALIZED: "The bundle was written.",
    SEALED: "The bundle was written, but requests failed; 'qualify --resume --retry-errors' asks them again.",
}


@dataclass(frozen=True, slots=True)
class JournalState:
    """capture_seconds: wall time spent capturing so far, over all starts."""

    run_id: str
    status: str
    started_at: str
    capture_seconds: float
    secret_exclusions: int
    context: Mapping[str, JsonValue]

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "run_id": self.run_id,
            "status": self.status,
            "note": NOTES[self.status],
            "started_at": self.started_at,
            "capture_seconds": self.capture_seconds,
            "secret_exclusions": self.secret_exclusions,
            "context": dict(self.context),
        }


class Journal:
    """Paths and whole-file reads and writes of one journal folder."""

    def __init__(self, output: Path, run_id: str) -> None:
        self.folder = output / f"{run_id}.inprogress"

    @property
    def captures_file(self) -> Path:
        return self.folder / "captures.jsonl"

    @property
    def judgements_file(self) -> Path:
        return self.folder / "judgements.jsonl"

    def begin(self, state: JournalState, fingerprint: Mapping[str, JsonValue]) -> None:
        """Make the folder, whole at once and readable by its owner alone. Raises AppError."""
        if self.folder.exists():
            raise AppError(
                f"A run called '{self.folder.stem}' was begun already.",
                "Go on with it by --resume, or choose another --run-id.",
                code="journal_exists",
            )
        making = self.folder.with_name(f".{self.folder.name}.making")
        try:
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(parents=True, mode=0o700)
            making.chmod(0o700)
            (making / "fingerprint.json").write_bytes(document(fingerprint))
            (making / "captures.jsonl").touch(mode=0o600)
            (making / "state.json").write_bytes(document(state.as_json()))
            making.rename(self.folder)
        except OSError as error:
            raise AppError(
                f"The journal cannot be written to {self.folder.parent}: {error.strerror}.",
                "Choose another --output folder.",
                code="disk",
            ) from None

    def write_state(self, state: JournalState) -> None:
        write_atomically(self.folder / "state.json", document(state.as_json()))

    def read_state(self) -> JournalState:
        """Raises AppError when there is no usable state."""
        found = self._document("state.json")
        context, status = found.get("context"), found.get("status")
        seconds, exclusions = found.get("capture_seconds"), found.get("secret_exclusions")
        if not isinstance(context, dict) or not isinstance(status, str) or status not in NOTES:
            raise self._broken("state.json", "its status or context is not known")
        return JournalState(
            run_id=str(found.get("run_id")),
            status=status,
            started_at=str(found.get("started_at", "")),
            capture_seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
            secret_exclusions=exclusions if isinstance(exclusions, int) else 0,
            context=context,
        )

    def read_fingerprint(self) -> Mapping[str, JsonValue]:
        return self._document("fingerprint.json")

    def _document(self, name: str) -> dict[str, JsonValue]:
        try:
            found = json.loads(read_regular(self.folder / name, FILE_BYTES))
        except FileNotFoundError:
            raise AppError(
                f"There is no journal to go on with at {self.folder}.",
                "Check --output and --run-id, or start without --resume.",
                code="journal_missing",
            ) from None
        except (OSError, ValueError, RecursionError) as error:
            raise self._broken(name, str(error)) from None
        if not isinstance(found, dict):
            raise self._broken(name, "it is no object")
        return found

    def _broken(self, name: str, why: str) -> AppError:
        return AppError(
            f"The journal file {self.folder.name}/{name} cannot be used: {why}.",
            "Start the run again under another --run-id.",
            code="journal_broken",
        )

    def read_captures(self, planned: Iterable[Key]) -> dict[Key, Capture]:
        """What was captured, by key. A torn last line is cut off the file; identical repeats count once.

        Raises AppError for a malformed line, two different records of one request, or one not planned.
        """
        wanted = set(planned)
        found: dict[Key, Capture] = {}
        for number, record in self._lines(self.captures_file):
            try:
                capture = capture_from(record)
            except ValueError as error:
                raise self._broken("captures.jsonl", f"line {number}: {error}") from None
            if capture.key not in wanted:
                raise self._broken("captures.jsonl", f"line {number} is of a request that is not in the plan")
            if found.get(capture.key, capture) != capture:
                raise self._broken(
                    "captures.jsonl", f"line {number} differs from an earlier record of its case"
                )
            found[capture.key] = capture
        return found

    def read_judgements(self) -> list[dict[str, JsonValue]]:
        return [record for _, record in self._lines(self.judgements_file) if isinstance(record, dict)]

    def _lines(self, file: Path) -> list[tuple[int, JsonValue]]:
        try:
            content = read_regular(file, FILE_BYTES)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._broken(file.name, str(error)) from None
        found: list[tuple[int, JsonValue]] = []
        position = 0
        for number, raw in enumerate(content.split(b"\n"), 1):
            end = position + len(raw)
            whole = end < len(content)
            if raw.strip():
                try:
                    if not whole:
                        raise ValueError("it has no end")
                    found.append((number, json.loads(raw)))
                except (ValueError, RecursionError) as error:
                    if end + 1 < len(content):
                        raise self._broken(file.name, f"line {number}: {error}") from None
                    self._cut(file, position)
                    break
            position = end + 1
        return found

    @staticmethod
    def _cut(file: Path, length: int) -> None:
        with file.open("rb+") as stream:
            stream.truncate(length)
            stream.flush()
            os.fsync(stream.fileno())

    def rewrite_captures(self, captures: Iterable[Capture]) -> None:
        """Replace the file by these records, atomically."""
        content = b"".join(line(capture.as_json()) for capture in captures)
        write_atomically(self.captures_file, content)

    def remove(self) -> None:
        """Delete the journal after its bundle was written; what cannot be deleted stays."""
        for name in ("captures.jsonl", "judgements.jsonl", "fingerprint.json", "state.json"):
            (self.folder / name).unlink(missing_ok=True)
        try:
            self.folder.rmdir()
        except OSError:
            return


class GroupLog:
    """Appends lines at once and flushes them to disk in groups, on a thread of its own.

    `flushed` counts lines that are safe against a power cut. Use as an async context manager; leaving it waits
    for the last group.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.written = 0
        self.flushed = 0

    async def __aenter__(self) -> GroupLog:
        self._fd = os.open(
            self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600
        )
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._wake = asyncio.Event()
        self._closing = False
        self._task = asyncio.create_task(self._flush_groups())
        return self

    def add(self, record: JsonValue) -> None:
        """Raises AppError when the disk refuses it."""
        try:
            content = line(record)
            view = memoryview(content)
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            raise AppError(
                f"The journal cannot be written: {error.strerror}.",
                "Make room on the disk, then go on with --resume.",
                code="disk",
            ) from None
        self.written += 1
        self._wake.set()

    async def _flush_groups(self) -> None:
        loop = asyncio.get_running_loop()
        while not (self._closing and self.flushed == self.written):
            if self.flushed == self.written:
                await self._wake.wait()
            self._wake.clear()
            upto = self.written
            if upto != self.flushed:
                await loop.run_in_executor(self._thread, os.fsync, self._fd)
                self.flushed = upto

    async def __aexit__(self, *exc: object) -> None:
        self._closing = True
        self._wake.set()
        try:
            await asyncio.shield(self._task)
        finally:
            if not self._task.done():
                await self._task
            self._thread.shutdown()
            os.close(self._fd)
