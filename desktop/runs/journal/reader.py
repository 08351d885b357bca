"""Reading the journal: what window, commands and reports ask it. Never writes, never makes a file.

One reader may be used from several threads, one call at a time. With no journal yet there are simply no runs.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from desktop.runs.journal.connection import journal_error, open_for_reading
from desktop.runs.journal.run_lock import LockHolder, holder
from desktop.runs.journal.sizes import RUN_BYTES_SQL
from desktop.runs.journal.sound_rows import RowCheck, UnsoundRow, damaged_run, reading_run
from desktop.runs.journal.storable import from_json_object, from_json_texts
from desktop.runs.journal.unit_rows import (
    ANSWERS_SQL,
    DETAIL_SQL,
    UNITS_SQL,
    WHOLE_SQL,
    stored_answer,
    unit_record,
    unit_row,
)
from desktop.runs.records import (
    CandidateRecord,
    CandidateStatus,
    MemoryPoint,
    RunRecord,
    RunStatus,
    RunSummary,
    StoredAnswer,
    UnitKey,
    UnitRecord,
    UnitRow,
)
from packs.errors import AppError

LAST = "last"
"""Names the newest run that is not deleted."""

BATCH = 4096
"""Rows fetched at once while streaming."""


class JournalReader:
    """Open until `close`; also a context manager. Opens the file at the first question."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._summaries = RowCheck("runs")
        self._runs = RowCheck("runs")
        self._candidates = RowCheck("candidates")
        self._units = RowCheck("units")
        self._details = RowCheck("units", "answers", "request_options", "judgements")
        self._answers = RowCheck("units", "answers")

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def resolve(self, name: str) -> str:
        """The id of the run meant by an id, a unique prefix of one, or 'last'. Raises AppError."""
        name = name.strip()
        if name == LAST:
            rows = self._rows("SELECT id FROM runs WHERE deleted_at IS NULL ORDER BY number DESC LIMIT 1")
            if not rows:
                raise AppError("There are no runs yet.", "Run a pack first.", code="unknown_run")
            return str(rows[0][0])
        rows = self._rows(
            "SELECT id, started_at, pack_name FROM runs WHERE substr(id, 1, length(?1)) = ?1 AND ?1 != ''"
            " AND (deleted_at IS NULL OR id = ?1) ORDER BY number DESC",
            (name.lower(),),
        )
        exact = [row for row in rows if row[0] == name.lower()]
        if len(rows) == 1 or exact:
            return str((exact or rows)[0][0])
        if not rows:
            newest = self._rows(
                "SELECT id, started_at, pack_name FROM runs WHERE deleted_at IS NULL"
                " ORDER BY number DESC LIMIT 5"
            )
            fix = f"The newest are: {_named(newest)}." if newest else "There are no runs yet: run a pack first."
            raise AppError(f"There is no run '{name}'.", fix, code="unknown_run")
        raise AppError(
            f"'{name}' fits {len(rows)} runs: {_named(rows[:8])}.",
            "Give more characters of the one you mean.",
            code="ambiguous_run",
        )

    def runs(self, *, deleted: bool = False, limit: int | None = None) -> list[RunSummary]:
        """The history, pinned first, then newest first. deleted: instead those that can be restored.

        A run whose own row is damaged is in it as one that failed, with the reason as its message.
        """
        rows = self._named_rows(
            f"{_SUMMARY} WHERE deleted_at IS {'NOT NULL' if deleted else 'NULL'}"
            " ORDER BY pinned DESC, number DESC LIMIT ?",
            (-1 if limit is None else limit,),
        )
        names: dict[int, list[str]] = {}
        for number, name in self._rows("SELECT run, name FROM candidates ORDER BY run, position"):
            names.setdefault(number, []).append(str(name))
        return [self._summary(row, names.get(row["number"], [])) for row in rows]

    def summary(self, run_id: str) -> RunSummary:
        """The same of one run. Raises AppError for an unknown id."""
        rows = self._named_rows(f"{_SUMMARY} WHERE id = ?", (run_id,))
        if not rows:
            raise _unknown(run_id)
        names = self._rows("SELECT name FROM candidates WHERE run = ? ORDER BY position", (rows[0]["number"],))
        return self._summary(rows[0], [str(row[0]) for row in names])

    def run(self, run_id: str) -> RunRecord:
        """Everything about one run. Raises AppError for an unknown id."""
        rows = self._named_rows(
            "SELECT id, started_at, finished_at, pack_name, pack_folder, pack_type, scorer, fingerprint,"
            " pack_snapshot, backend, backend_version, machine, memory_method, memory_unknown_because,"
            " settings, notices, status, message, note, pinned, deleted_at FROM runs WHERE id = ?",
            (run_id,),
        )
        if not rows:
            raise _unknown(run_id)
        row = rows[0]
        with reading_run(run_id):
            self._runs(list(row), list(row.values()))
            for name in ("pack_snapshot", "machine", "settings"):
                row[name] = from_json_object(row[name])
            row["notices"] = from_json_texts(row["notices"])
            row["status"] = self._status(run_id, row["status"])
            row["pinned"] = bool(row["pinned"])
            return RunRecord(**row)

    def candidates(self, run_id: str) -> list[CandidateRecord]:
        """In order of running."""
        rows = self._named_rows(
            "SELECT position, name, digest, quantization, parameter_count, size_bytes, path, status,"
            " reason, verdict, predicted_mib, prediction, peak_mib, memory_method, load_ms, engine,"
            " load_options, notes, prefix, cold_ttft_ms, offload_suspicion, repetitions_stopped"
            " FROM candidates WHERE run = ? ORDER BY position",
            (self._number(run_id),),
        )
        with reading_run(run_id):
            for row in rows:
                self._candidates(list(row), list(row.values()))
                row["index"] = row.pop("position")
                row["status"] = CandidateStatus(row["status"])
                row["prediction"] = from_json_object(row["prediction"])
                row["load_options"] = from_json_object(row["load_options"])
                row["notes"] = from_json_texts(row["notes"])
                row["prefix"] = from_json_object(row["prefix"])
                row["cold_ttft_ms"] = tuple(float(value) for value in json.loads(row["cold_ttft_ms"]))
            return [CandidateRecord(run_id=run_id, **row) for row in rows]

    def memory_line(self, run_id: str, candidate: int) -> list[MemoryPoint]:
        """The candidate's memory over time, thinned; empty when it was not measured."""
        rows = self._rows(
            "SELECT memory_line FROM candidates WHERE run = ? AND position = ?",
            (self._number(run_id), candidate),
        )
        with reading_run(run_id):
            points = json.loads(rows[0][0]) if rows else []
            return [MemoryPoint(float(seconds), float(used)) for seconds, used in points]

    def units(self, run_id: str, candidate: int | None = None) -> list[UnitRow]:
        """All units without their texts, in order of running."""
        return [row for batch in self.unit_batches(run_id, candidate) for row in batch]

    def unit_batches(
        self, run_id: str, candidate: int | None = None, *, size: int = BATCH
    ) -> Iterator[list[UnitRow]]:
        """The same in lists of `size` rows, each a read of its own: others may read in between."""
        number = self._number(run_id)
        after, last = self._span(number)
        only = "" if candidate is None else f" AND candidate = {int(candidate)}"
        while True:
            rows = self._sound_rows(
                run_id,
                self._units,
                f"{UNITS_SQL} WHERE id > ? AND id <= ? AND +run = ?{only} ORDER BY id LIMIT ?",
                (after, last, number, size),
            )
            if not rows:
                return
            after = rows[-1][0]
            with reading_run(run_id):
                batch = [unit_row(row) for row in rows]
            yield batch
            if len(rows) < size:
                return

    def pending(self, run_id: str, candidate: int) -> list[UnitKey]:
        """Units still to be run, in order of running."""
        rows = self._rows(
            "SELECT candidate, example, repetition FROM units WHERE run = ? AND candidate = ?"
            " AND status = 'pending' ORDER BY id",
            (self._number(run_id), candidate),
        )
        return [UnitKey(*row) for row in rows]

    def unit(self, run_id: str, key: UnitKey) -> UnitRecord | None:
        """One unit with its answer and judgement; None when the run has no such unit."""
        rows = self._sound_rows(
            run_id,
            self._details,
            DETAIL_SQL,
            (self._number(run_id), key.candidate, key.example, key.repetition),
        )
        with reading_run(run_id):
            return unit_record(run_id, key, rows[0]) if rows else None

    def whole_units(self, run_id: str) -> Iterator[UnitRecord]:
        """All units with their answers and judgements, in order of running; for reports."""
        number = self._number(run_id)
        after, last = self._span(number)
        while True:
            rows = self._sound_rows(run_id, self._details, WHOLE_SQL, (after, last, number, 2048))
            if not rows:
                return
            after = rows[-1][30]
            for row in rows:
                with reading_run(run_id):
                    record = unit_record(run_id, UnitKey(row[31], row[32], row[33]), row)
                yield record

    def answers(self, run_id: str) -> Iterator[StoredAnswer]:
        """All completed units' outputs with their stored judgement, in order of running."""
        number = self._number(run_id)
        after, last = self._span(number)
        while True:
            rows = self._sound_rows(run_id, self._answers, ANSWERS_SQL, (after, last, number, 512))
            if not rows:
                return
            after = rows[-1][0]
            for row in rows:
                with reading_run(run_id):
                    answer = stored_answer(row)
                yield answer

    def lock_holder(self) -> LockHolder | None:
        """Who runs now; None when nobody does."""
        connection = self._open()
        if connection is None:
            return None
        try:
            with self._lock:
                found = holder(connection)
            return found if found is not None and found.alive else None
        except (sqlite3.Error, TypeError, ValueError, OverflowError):
            return None  # a damaged row is nobody's

    def run_bytes(self, run_id: str) -> int:
        """About how much of the journal's file the run takes. Reads all of its texts: slow for a large one."""
        rows = self._rows(RUN_BYTES_SQL, (run_id,))
        if not rows:
            raise _unknown(run_id)
        return int(rows[0][0])

    def disk_bytes(self) -> int:
        """Size of the journal with its write-ahead log."""
        files = [self.path.with_name(self.path.name + ending) for ending in ("", "-wal")]
        return sum(file.stat().st_size for file in files if file.is_file())

    def _status(self, run_id: str, stored: str) -> RunStatus:
        status = RunStatus(stored)
        if status is RunStatus.RUNNING:
            present = self.lock_holder()
            if present is None or present.run_id != run_id:
                return RunStatus.INTERRUPTED
        return status

    def _summary(self, row: dict[str, Any], names: Sequence[str]) -> RunSummary:
        run_id = str(row["id"])
        try:
            self._summaries(list(row), list(row.values()))
            del row["number"]
            row["status"] = self._status(run_id, row["status"])
            row["pinned"] = bool(row["pinned"])
        except (UnsoundRow, ValueError) as error:
            return _set_aside(run_id, row, damaged_run(run_id, error).message)
        return RunSummary(candidates=tuple(names), **row)

    def _number(self, run_id: str) -> int:
        rows = self._rows("SELECT number FROM runs WHERE id = ?", (run_id,))
        if not rows:
            raise _unknown(run_id)
        return int(rows[0][0])

    def _span(self, number: int) -> tuple[int, int]:
        """Units of a run lie together: (the id before its first, the id of its last)."""
        rows = self._rows("SELECT MIN(id) - 1, MAX(id) FROM units WHERE run = ?", (number,))
        first, last = rows[0]
        return (int(first), int(last)) if first is not None else (0, 0)

    def _open(self) -> sqlite3.Connection | None:
        with self._lock:
            if self._connection is None:
                self._connection = open_for_reading(self.path)
            return self._connection

    def _sound_rows(self, run_id: str, check: RowCheck, sql: str, values: Sequence[object]) -> list[Any]:
        names: list[str] = []
        rows = self._rows(sql, values, names)
        with reading_run(run_id):
            for row in rows:
                check(names, row)
        return rows

    def _named_rows(self, sql: str, values: Sequence[object] = ()) -> list[dict[str, Any]]:
        """The same with each row as name -> value."""
        names: list[str] = []
        return [dict(zip(names, row, strict=True)) for row in self._rows(sql, values, names)]

    def _rows(self, sql: str, values: Sequence[object] = (), names: list[str] | None = None) -> list[Any]:
        """names: is filled with those of the columns."""
        connection = self._open()
        if connection is None:
            return []
        try:
            with self._lock:
                try:
                    cursor = connection.execute(sql, values)
                    rows = cursor.fetchall()
                except sqlite3.OperationalError as error:
                    if "decode" not in str(error).lower():
                        raise
                    # A text that is no UTF-8: slower from here on, but the other rows can be read.
                    connection.text_factory = _any_text
                    cursor = connection.execute(sql, values)
                    rows = cursor.fetchall()
                if names is not None:
                    names += [column[0] for column in cursor.description]
                return rows
        except sqlite3.Error as error:
            raise journal_error(error, self.path) from error


def _any_text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _set_aside(run_id: str, row: dict[str, Any], reason: str) -> RunSummary:
    """What can be told of a run whose row is damaged; nothing of it can be run."""

    def text(name: str) -> str:
        return row[name] if isinstance(row[name], str) else ""

    return RunSummary(
        id=run_id,
        started_at=text("started_at"),
        finished_at=None,
        status=RunStatus.FAILED,
        message=reason,
        pack_name=text("pack_name") or "damaged",
        pack_folder=text("pack_folder"),
        scorer=text("scorer"),
        backend=text("backend"),
        candidates=(),
        examples=0,
        repetitions=0,
        completed=0,
        failed=0,
        skipped=0,
        pending=0,
        note=text("note"),
        pinned=bool(row["pinned"]),
        deleted_at=row["deleted_at"] if isinstance(row["deleted_at"], str) else None,
        damaged=True,
    )


def _unknown(run_id: str) -> AppError:
    return AppError(f"There is no run '{run_id}'.", "List the runs and take one of those.", code="unknown_run")


def _named(rows: Sequence[Sequence[str]]) -> str:
    return ", ".join(f"{row[0]} ({row[2]}, {row[1]})" for row in rows)


_SUMMARY = """
SELECT number, id, started_at, finished_at, status, message, pack_name, pack_folder, scorer, backend, examples,
  repetitions,
  (SELECT COUNT(*) FROM units WHERE run = number AND status = 'completed') AS completed,
  (SELECT COUNT(*) FROM units WHERE run = number AND status = 'failed') AS failed,
  (SELECT COUNT(*) FROM units WHERE run = number AND status = 'skipped') AS skipped,
  (SELECT COUNT(*) FROM units WHERE run = number AND status = 'pending') AS pending,
  note, pinned, deleted_at
FROM runs
"""
