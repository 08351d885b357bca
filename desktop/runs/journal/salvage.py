"""What can still be read of a damaged journal goes into the new one; the damaged file is never written to.

Rows are read one by one from both ends of each damaged stretch. What a run has lost with it is asked for again
when the run is resumed; a run says in its notices that it comes from a damaged journal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from desktop.runs.journal.schema import APPLICATION_ID, CURRENT_VERSION
from desktop.runs.records import CandidateStatus, RunStatus, UnitStatus

TABLES = ("runs", "request_options", "units", "answers", "judgements")
"""With a row number, in the order in which they refer to each other; `candidates` has none."""
MAX_STEPS = 200_000
"""Single rows that are tried inside damaged stretches of one table."""
MAX_CANDIDATES = 1_000
NOTICE = (
    "The journal that held this run was damaged; the run was recovered from it. Answers that could not be read "
    "count as not asked yet."
)


def salvage(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy whole rows from `damaged` into the new journal; returns how many runs were recovered.

    Never raises for what the damaged file holds: then nothing or less is recovered. Errors of the new journal
    (a full disk) are raised as sqlite3.Error, and nothing is taken over then.
    """
    try:
        source = sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    except sqlite3.Error:
        return 0
    source.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        if not _is_ours(source):
            return 0
        into.execute("PRAGMA foreign_keys = OFF")
        into.execute("BEGIN IMMEDIATE")
        try:
            for table in TABLES:
                _copy(source, into, table)
            _copy_candidates(source, into)
            _mend(into)
            recovered = int(into.execute("SELECT COUNT(*) FROM runs").fetchone()[0])
            into.execute("COMMIT")
        except BaseException:
            if into.in_transaction:
                into.execute("ROLLBACK")
            raise
        return recovered
    finally:
        into.execute("PRAGMA foreign_keys = ON")
        source.close()


def _is_ours(source: sqlite3.Connection) -> bool:
    try:
        application = source.execute("PRAGMA application_id").fetchone()[0]
        version = source.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error:
        return False
    return bool(application == APPLICATION_ID and version == CURRENT_VERSION)


def _copy(source: sqlite3.Connection, into: sqlite3.Connection, table: str) -> None:
    names = [row[1] for row in into.execute(f"PRAGMA table_info({table})")]
    statement = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    for row in _rows(source, table, ", ".join(names)):
        _insert(into, statement, row)


def _insert(into: sqlite3.Connection, statement: str, row: Sequence[object]) -> None:
    try:
        into.execute(statement, row)
    except sqlite3.IntegrityError:
        # A damaged row that breaks a rule of the table, such as a text where a number has to be.
        return


def _rows(source: sqlite3.Connection, table: str, columns: str) -> Iterator[Sequence[object]]:
    """Up from the first row to the damage, down from the last to it, then the rows between one by one."""
    highest: int | None = None
    for direction, order in ((">", "ASC"), ("<", "DESC")):
        reached: int | None = None
        try:
            where = "" if highest is None or order == "ASC" else f"WHERE rowid > {highest}"
            for row in source.execute(f"SELECT rowid, {columns} FROM {table} {where} ORDER BY rowid {order}"):
                reached = int(row[0])
                yield row[1:]
            return
        except (sqlite3.Error, OverflowError):
            if direction == ">":
                highest = reached if reached is not None else 0
                continue
            lowest = reached
    start = (highest or 0) + 1
    end = lowest if lowest is not None else start + MAX_STEPS
    for number in range(start, min(end, start + MAX_STEPS)):
        try:
            found = source.execute(f"SELECT {columns} FROM {table} WHERE rowid = ?", (number,)).fetchone()
        except (sqlite3.Error, OverflowError):
            continue
        if found is not None:
            yield found


def _copy_candidates(source: sqlite3.Connection, into: sqlite3.Connection) -> None:
    names = [row[1] for row in into.execute("PRAGMA table_info(candidates)")]
    statement = f"INSERT OR IGNORE INTO candidates VALUES ({', '.join('?' * len(names))})"
    for (run,) in into.execute("SELECT number FROM runs").fetchall():
        for position in range(MAX_CANDIDATES):
            try:
                row = source.execute(
                    f"SELECT {', '.join(names)} FROM candidates WHERE run = ? AND position = ?", (run, position)
                ).fetchone()
            except sqlite3.Error:
                continue
            if row is None:
                break
            _insert(into, statement, row)


def _mend(into: sqlite3.Connection) -> None:
    """Leave only sound rows whose fellows are there; a unit without its answer counts as not asked yet."""
    for table, known in (("runs", RunStatus), ("candidates", CandidateStatus), ("units", UnitStatus)):
        message = ", ".join(f"'{status.value}'" for status in known)
        into.execute(f"DELETE FROM {table} WHERE status NOT IN ({message})")
    into.execute("DELETE FROM candidates WHERE run NOT IN (SELECT number FROM runs)")
    into.execute(
        "DELETE FROM units WHERE NOT EXISTS (SELECT 1 FROM candidates c WHERE c.run = units.run"
        " AND c.position = units.candidate)"
    )
    into.execute("DELETE FROM runs WHERE number NOT IN (SELECT run FROM units)")
    into.execute("DELETE FROM candidates WHERE run NOT IN (SELECT number FROM runs)")
    for table in ("answers", "judgements"):
        into.execute(f"DELETE FROM {table} WHERE unit NOT IN (SELECT id FROM units)")
    into.execute("DELETE FROM answers WHERE options NOT IN (SELECT id FROM request_options)")
    last = into.execute("SELECT COALESCE(MAX(id), 0) FROM units").fetchone()[0]
    # Units whose rows are gone: a run asks each candidate the same examples, each as often.
    into.execute(
        "INSERT OR IGNORE INTO units (run, candidate, example, repetition, position)"
        " SELECT c.run, c.position, e.example, r.repetition, e.position FROM candidates c"
        " JOIN (SELECT DISTINCT run, example, position FROM units) e ON e.run = c.run"
        " JOIN (SELECT DISTINCT run, repetition FROM units) r ON r.run = c.run"
    )
    lost = (
        f"(id > {int(last)} OR status = 'completed' AND (id NOT IN (SELECT unit FROM answers)"
        " OR id NOT IN (SELECT unit FROM judgements)))"
    )
    into.execute(
        "UPDATE runs SET status = 'stopped', finished_at = NULL WHERE status = 'finished' AND number IN"
        f" (SELECT run FROM units WHERE {lost})"
    )
    into.execute(
        "UPDATE candidates SET status = 'waiting' WHERE status = 'completed' AND EXISTS (SELECT 1 FROM units"
        f" WHERE units.run = candidates.run AND units.candidate = candidates.position AND {lost})"
    )
    into.execute(
        "UPDATE units SET status = 'pending', cause = NULL, score = NULL, passed = NULL, strict_score = NULL,"
        " strict_passed = NULL, failed_gate = NULL, near_misses = NULL, finish_reason = NULL, ttft_ms = NULL,"
        " wall_ms = NULL, tokens_per_second = NULL, prompt_tokens = NULL, cached_tokens = NULL,"
        f" output_tokens = NULL, cold = NULL, retried = 0, attempts = 0, finished_at = NULL WHERE {lost}"
    )
    for table in ("answers", "judgements"):
        into.execute(f"DELETE FROM {table} WHERE unit IN (SELECT id FROM units WHERE status = 'pending')")
    into.execute(
        "UPDATE runs SET notices = json_insert(notices, '$[#]', ?) WHERE json_valid(notices)", (NOTICE,)
    )
