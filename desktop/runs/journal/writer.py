"""Writing the journal: the run lane's own connection, one transaction per unit.

Also the few things a person may change afterwards (note, pin, delete), with a writer opened for that moment.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from desktop.inference.backends.base import Generation
from desktop.runs.journal.connection import open_for_writing, transaction, utc_now
from desktop.runs.journal.run_lock import holder
from desktop.runs.journal.storable import finite, storable_text, to_json
from desktop.runs.journal.unit_values import (
    FINISH_UNIT,
    INSERT_CANDIDATE,
    INSERT_RUN,
    JUDGE_AGAIN,
    STORE_ANSWER,
    STORE_JUDGEMENT,
    candidate_values,
    judgement_values,
    run_values,
    score_values,
)
from desktop.runs.records import (
    CandidateRecord,
    CandidateStatus,
    MemoryPoint,
    RunRecord,
    RunStatus,
    UnitKey,
    UnitStatus,
)
from packs.errors import AppError
from packs.task.outcome import Outcome

log = logging.getLogger(__name__)

MAX_MEMORY_POINTS = 4096
"""A longer memory line is thinned by the sampler before it comes here (task-pack format, section 15.3)."""


class JournalWriter:
    """Open until `close`; also a context manager. Not shared between threads at the same time.

    kept_aside: where a damaged journal was moved to when this one was opened, else None. recovered: how many
    runs were taken over from it.
    """

    def __init__(self, path: Path, *, now: Callable[[], str] = utc_now) -> None:
        opened = open_for_writing(path, now)
        self.path = path
        self.kept_aside = opened.kept_aside
        self.recovered = opened.recovered
        self.now = now
        self.connection = opened.connection
        self._numbers: dict[str, int] = {}

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> JournalWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add_run(
        self,
        run: RunRecord,
        candidates: Sequence[CandidateRecord],
        units: Iterable[tuple[int, UnitKey]],
        *,
        examples: int,
        repetitions: int,
    ) -> None:
        """The run, its candidates and all its units as pending, in one transaction.

        units: (position of the example, key) in the order in which they will be run.
        """
        with transaction(self.connection, self.path) as db:
            number = db.execute(INSERT_RUN, run_values(run, examples, repetitions)).lastrowid
            assert number is not None
            db.executemany(INSERT_CANDIDATE, [candidate_values(number, entry) for entry in candidates])
            db.executemany(
                "INSERT INTO units (run, candidate, example, repetition, position) VALUES (?, ?, ?, ?, ?)",
                [(number, key.candidate, key.example, key.repetition, position) for position, key in units],
            )
        self._numbers[run.id] = number

    def finish_unit(
        self,
        run_id: str,
        key: UnitKey,
        *,
        status: UnitStatus,
        outcome: Outcome,
        generation: Generation | None = None,
        failure: str = "",
        attempts: int = 1,
        cold: bool | None = None,
        retried: bool = False,
    ) -> None:
        """Answer, figures and judgement of one unit in one transaction. Replaces what was there before."""
        number = self._number(run_id)
        timing = generation.timing if generation else None
        with transaction(self.connection, self.path) as db:
            found = db.execute(
                FINISH_UNIT,
                (
                    status.value,
                    *score_values(outcome),
                    storable_text(generation.finish_reason) if generation else None,
                    finite(timing.ttft_ms) if timing else None,
                    finite(timing.wall_ms) if timing else None,
                    finite(timing.tokens_per_second) if timing else None,
                    timing.prompt_tokens if timing else None,
                    timing.cached_tokens if timing else None,
                    timing.output_tokens if timing else None,
                    cold,
                    retried,
                    attempts,
                    self.now(),
                    number,
                    key.candidate,
                    key.example,
                    key.repetition,
                ),
            ).fetchall()
            if not found:
                raise KeyError(key)
            unit = int(found[0][0])
            if generation is None:
                db.execute("DELETE FROM answers WHERE unit = ?", (unit,))
            else:
                db.execute(STORE_ANSWER, self._answer_values(db, unit, generation))
            db.execute(STORE_JUDGEMENT, judgement_values(unit, outcome, failure, generation))

    def judge_again(self, run_id: str, changed: Iterable[tuple[UnitKey, Outcome]]) -> int:
        """Replace the judgements of completed units, in one transaction. Answers stay. Returns how many."""
        number = self._number(run_id)
        count = 0
        with transaction(self.connection, self.path) as db:
            for key, outcome in changed:
                found = db.execute(
                    JUDGE_AGAIN,
                    (
                        *score_values(outcome),
                        number,
                        key.candidate,
                        key.example,
                        key.repetition,
                    ),
                ).fetchall()
                if found:
                    db.execute(STORE_JUDGEMENT, judgement_values(int(found[0][0]), outcome, "", None))
                    count += 1
        return count

    def end_pending_units(
        self, run_id: str, candidate: int, outcome: Outcome, status: UnitStatus = UnitStatus.SKIPPED
    ) -> list[UnitKey]:
        """Give every pending unit of a candidate the same end. Returns their keys in order of running."""
        number = self._number(run_id)
        with transaction(self.connection, self.path) as db:
            rows = db.execute(
                "UPDATE units SET status = ?, cause = ?, finished_at = ? WHERE run = ? AND candidate = ?"
                " AND status = 'pending' RETURNING id, example, repetition",
                (status.value, outcome.cause.value, self.now(), number, candidate),
            ).fetchall()
            db.executemany(
                STORE_JUDGEMENT, [judgement_values(row[0], outcome, outcome.reason, None) for row in rows]
            )
        return [UnitKey(candidate, row[1], row[2]) for row in sorted(rows)]

    def drop_pending_units(self, run_id: str, keys: Iterable[UnitKey]) -> None:
        """Units that turned out not to be needed are no longer part of the run."""
        number = self._number(run_id)
        with transaction(self.connection, self.path) as db:
            db.executemany(
                "DELETE FROM units WHERE run = ? AND candidate = ? AND example = ? AND repetition = ?"
                " AND status = 'pending'",
                [(number, key.candidate, key.example, key.repetition) for key in keys],
            )

    def make_pending(self, run_id: str, keys: Iterable[UnitKey]) -> None:
        """Failed or skipped units are to be run again. What came of them before is replaced when they end."""
        number = self._number(run_id)
        with transaction(self.connection, self.path) as db:
            db.executemany(
                "UPDATE units SET status = 'pending', cause = NULL, score = NULL, passed = NULL"
                " WHERE run = ? AND candidate = ? AND example = ? AND repetition = ? AND status != 'completed'",
                [(number, key.candidate, key.example, key.repetition) for key in keys],
            )

    def update_candidate(
        self,
        run_id: str,
        index: int,
        *,
        status: CandidateStatus,
        reason: str = "",
        peak_mib: float | None = None,
        memory_method: str | None = None,
        load_ms: float | None = None,
        engine: str | None = None,
        load_options: Mapping[str, object] | None = None,
        notes: Sequence[str] | None = None,
        memory_line: Sequence[MemoryPoint] | None = None,
        prefix: Mapping[str, object] | None = None,
        cold_ttft_ms: Sequence[float] | None = None,
        digest: str | None = None,
        offload_suspicion: str | None = None,
        repetitions_stopped: str | None = None,
    ) -> None:
        """Status and reason are set; of the rest what is given. The highest peak of all sessions stays."""
        values: dict[str, object] = {
            "memory_method": memory_method,
            "load_ms": finite(load_ms),
            "engine": engine,
            "load_options": None if load_options is None else to_json(load_options),
            "notes": None if notes is None else to_json(list(notes)),
            "memory_line": None if memory_line is None else to_json(memory_line[-MAX_MEMORY_POINTS:]),
            "prefix": None if prefix is None else to_json(prefix),
            "cold_ttft_ms": None if cold_ttft_ms is None else to_json(list(cold_ttft_ms)),
            "digest": digest,
            "offload_suspicion": offload_suspicion,
            "repetitions_stopped": repetitions_stopped,
        }
        known = {name: value for name, value in values.items() if value is not None}
        columns = "".join(f", {name} = ?" for name in known)
        peak = finite(peak_mib)
        with transaction(self.connection, self.path) as db:
            db.execute(
                "UPDATE candidates SET status = ?, reason = ?, peak_mib = CASE WHEN ?3 IS NULL THEN peak_mib"
                f" ELSE MAX(COALESCE(peak_mib, 0), ?3) END{columns} WHERE run = ? AND position = ?",
                (status.value, reason, peak, *known.values(), self._number(run_id), index),
            )

    def update_run(
        self,
        run_id: str,
        *,
        status: RunStatus,
        message: str = "",
        finished: bool = False,
        memory_method: str | None = None,
    ) -> None:
        """How the run stands. finished: now is its end."""
        with transaction(self.connection, self.path) as db:
            db.execute(
                "UPDATE runs SET status = ?, message = ?, finished_at = ?,"
                " memory_method = COALESCE(?, memory_method) WHERE id = ?",
                (status.value, message, self.now() if finished else None, memory_method, run_id),
            )

    def add_notice(self, run_id: str, message: str) -> None:
        """A sentence that a report has to repeat; the same one is kept once."""
        with transaction(self.connection, self.path) as db:
            db.execute(
                "UPDATE runs SET notices = json_insert(notices, '$[#]', ?1) WHERE id = ?2"
                " AND NOT EXISTS (SELECT 1 FROM json_each(runs.notices) WHERE value = ?1)",
                (storable_text(message), run_id),
            )

    def set_note(self, run_id: str, note: str) -> None:
        self._set(run_id, "note", storable_text(note))

    def set_pinned(self, run_id: str, pinned: bool) -> None:
        self._set(run_id, "pinned", int(pinned))

    def delete(self, run_id: str) -> None:
        """Out of the history; `restore` brings it back until `purge`. Raises AppError while it is being run."""
        present = holder(self.connection)
        if present is not None and present.run_id == run_id and present.alive:
            raise AppError("This run is going on now.", "Stop it, then delete it.", code="run_in_progress")
        self._set(run_id, "deleted_at", self.now())

    def restore(self, run_id: str) -> None:
        self._set(run_id, "deleted_at", None)

    def purge(self, deleted_before: str) -> int:
        """Remove for good what was deleted before this UTC time. Returns how many runs."""
        with transaction(self.connection, self.path) as db:
            count = db.execute(
                "DELETE FROM runs WHERE deleted_at IS NOT NULL AND deleted_at < ?", (deleted_before,)
            ).rowcount
            db.execute("DELETE FROM request_options WHERE id NOT IN (SELECT options FROM answers)")
        return count

    def free_deleted(self) -> int:
        """Remove all deleted runs for good and give their room on the disk back. Returns how many runs.

        While a run goes on the file keeps its size, and what was freed in it serves the next runs.
        """
        count = self.purge("9999")
        present = holder(self.connection)
        if present is None or not present.alive:
            try:
                self.connection.execute("VACUUM")
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.Error as error:
                # Another program writes, or there is no room for the copy that this makes.
                log.info("the journal keeps its size: %s", error)
        return count

    def _set(self, run_id: str, column: str, value: object) -> None:
        with transaction(self.connection, self.path) as db:
            changed = db.execute(f"UPDATE runs SET {column} = ? WHERE id = ?", (value, run_id)).rowcount
        if not changed:
            raise AppError(
                f"There is no run '{run_id}'.", "List the runs and take one of those.", code="unknown_run"
            )

    def _number(self, run_id: str) -> int:
        number = self._numbers.get(run_id)
        if number is None:
            row = self.connection.execute("SELECT number FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise KeyError(run_id)
            number = self._numbers[run_id] = int(row[0])
        return number

    def _answer_values(self, db: sqlite3.Connection, unit: int, generation: Generation) -> tuple[object, ...]:
        timing = generation.timing
        return (
            unit,
            storable_text(generation.text),
            storable_text(generation.reasoning),
            self.options_id(db, to_json(generation.request_options)),
            finite(timing.prompt_ms),
            timing.chunks,
            timing.source,
        )

    @staticmethod
    def options_id(db: sqlite3.Connection, content: str) -> int:
        """Nearly all units of a run are asked with the same options: they are stored once."""
        found = db.execute("SELECT id FROM request_options WHERE content = ?", (content,)).fetchone()
        if found is not None:
            return int(found[0])
        made = db.execute("INSERT INTO request_options (content) VALUES (?)", (content,)).lastrowid
        assert made is not None
        return made
