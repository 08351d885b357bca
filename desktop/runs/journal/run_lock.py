"""Only one run at a time per journal: a row with the holder's name; a dead process's lock is taken over.

A process is told from a later one with the same number by the time at which it started.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from desktop.runs.addresses import without_secrets
from desktop.runs.journal.connection import transaction
from packs.errors import AppError

SAME_START_S = 2.0
"""Start times of one process, read twice, differ by less than this (clock ticks, clock corrections)."""


@dataclass(frozen=True, slots=True)
class LockHolder:
    """Who runs now. started_at: UTC. process_started: seconds since 1970, None where unknown."""

    pid: int
    process_started: float | None
    started_at: str
    command: str
    run_id: str | None

    @property
    def alive(self) -> bool:
        started = process_start(self.pid)
        if started is None:
            return False
        return self.process_started is None or abs(started - self.process_started) < SAME_START_S


def process_start(pid: int) -> float | None:
    """Seconds since 1970; None when there is no such process, or it is a zombie."""
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return None


def holder(connection: sqlite3.Connection) -> LockHolder | None:
    """Whoever wrote the lock row, alive or not."""
    row = connection.execute(
        "SELECT pid, process_started, started_at, command, run_id FROM run_lock WHERE only = 1"
    ).fetchone()
    return LockHolder(*row) if row else None


def acquire(
    connection: sqlite3.Connection, path: Path, *, command: str, run_id: str, now: Callable[[], str]
) -> None:
    """Take the lock, also from a dead process. Raises AppError when another run is going on."""
    with transaction(connection, path) as db:
        present = holder(db)
        if present is not None and present.alive:
            raise AppError(
                f"Another run is going on here since {present.started_at}: process {present.pid},"
                f" started as '{present.command}'.",
                "Wait until it has finished or stop it, then start this one.",
                code="run_in_progress",
            )
        db.execute(
            "INSERT OR REPLACE INTO run_lock (only, pid, process_started, started_at, command, run_id)"
            " VALUES (1, ?, ?, ?, ?, ?)",
            (os.getpid(), process_start(os.getpid()), now(), without_secrets(command), run_id),
        )


def release(connection: sqlite3.Connection, path: Path) -> None:
    """Give the lock back; one held by another process stays."""
    with transaction(connection, path) as db:
        db.execute("DELETE FROM run_lock WHERE pid = ?", (os.getpid(),))
