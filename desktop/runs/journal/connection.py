"""Opening the journal of runs (`runs.db`): one writer, many readers, and what to do when it is damaged.

SQLite in write-ahead mode with `synchronous = NORMAL`: a commit is in the system's hands before the next unit
begins, so a killed process loses nothing; only a power cut may cost the last few units, never the file.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.foundation.private_files import make_private_folder, touch_private
from desktop.runs.journal.salvage import salvage
from desktop.runs.journal.schema import CURRENT_VERSION, migrate, version_of
from desktop.runs.journal.schema_texts import put_texts_back, texts_are_sound
from packs.errors import AppError

RETRY_S = 0.01
BUSY_S = 5.0
"""How long a write waits for another one, e.g. a note set in the window while a unit is stored."""

QUICK_CHECK_BYTES = 64 * 2**20
"""A journal up to this size is checked whole when it is opened for writing (about 0.1 s at the limit)."""


def utc_now() -> str:
    """UTC, ISO 8601 with seconds: '2026-11-30T10:15:00Z'."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def days_before(moment: str, days: int) -> str:
    """The same form, so many days earlier."""
    parsed = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    return (parsed - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Opened:
    """kept_aside: where a damaged journal was moved to; None when all is well. recovered: runs that could be
    read there and were taken over."""

    connection: sqlite3.Connection
    kept_aside: Path | None
    recovered: int = 0


def open_for_writing(path: Path, now: Callable[[], str] = utc_now) -> Opened:
    """Open or make the journal. A damaged one is kept aside beside it and a new one started,
    with every run that could still be read.

    Raises AppError when the folder cannot be written or a later program wrote the file.
    """
    try:
        make_private_folder(path.parent)
        touch_private(path)
        try:
            return Opened(_connect_mended(path), None)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if not _is_damage(error):
                raise
            kept_aside = _keep_aside(path, now())
        connection = _connect(path)
        try:
            return Opened(connection, kept_aside, salvage(kept_aside, connection))
        except BaseException:
            connection.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise journal_error(error, path) from error


def open_for_reading(path: Path) -> sqlite3.Connection | None:
    """A read-only connection, usable from any thread one call at a time; None when there is no journal yet.

    A journal of an older version is brought up to date first, damaged texts of its tables are put back.
    Raises AppError.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return None
    try:
        try:
            connection = _read_only(path)
            if not texts_are_sound(connection):
                connection.close()
                put_texts_back(path, BUSY_S)
                connection = _read_only(path)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if not _is_damage(error) or not put_texts_back(path, BUSY_S):
                raise
            connection = _read_only(path)
        version = version_of(connection)
        if version == CURRENT_VERSION:
            return connection
        connection.close()
        open_for_writing(path).connection.close()
        return _read_only(path)
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise journal_error(error, path) from error


def _read_only(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA cache_size = -16000")
        connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_mended(path: Path) -> sqlite3.Connection:
    """With the texts of damaged tables put back. Raises sqlite3.Error, OSError and AppError."""
    try:
        connection = _connect(path)
        if texts_are_sound(connection):
            return connection
        connection.close()
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if not _is_damage(error) or not path.stat().st_size:
            raise
    put_texts_back(path, BUSY_S)
    return _connect(path)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA cache_size = -16000")
        if 0 < path.stat().st_size <= QUICK_CHECK_BYTES:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise sqlite3.DatabaseError(f"malformed: {found}")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    """SQLite does not wait by itself where two change the mode of a new file at the same time."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(RETRY_S)


def _is_damage(error: Exception) -> bool:
    if isinstance(error, UnicodeDecodeError):
        return True  # from a message of SQLite that quotes a damaged text
    message = str(error).lower()
    return "malformed" in message or "not a database" in message or "corrupt" in message


def _keep_aside(path: Path, now: str) -> Path:
    stamp = now.replace(":", "").replace("-", "")
    target = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    number = 2
    while target.exists():
        target = path.with_name(f"{path.stem}.damaged-{stamp}-{number}{path.suffix}")
        number += 1
    path.replace(target)
    for ending in ("-wal", "-shm"):
        side = path.with_name(path.name + ending)
        with contextlib.suppress(FileNotFoundError):
            side.replace(target.with_name(target.name + ending))
    return target


def journal_error(error: Exception, path: Path) -> AppError:
    """What SQLite or the system said, in words a person can act on."""
    message = str(error).lower()
    if "disk is full" in message or "disk i/o" in message or "no space left" in message:
        return AppError(
            f"The disk is full: {path.name} could not be written.",
            "Everything finished so far is safe. Free some space, then resume the run.",
            code="disk_full",
        )
    if "locked" in message or "busy" in message:
        return AppError(
            "Another program is writing to the journal of runs.",
            "Wait until it has finished, then try again.",
            code="journal_locked",
        )
    if isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError) and _is_damage(error):
        return AppError(
            f"The journal of runs is damaged: {path}.",
            "Start the next run: the damaged file is kept aside, a new one begun, the rest recovered.",
            code="journal_damaged",
        )
    return AppError(
        f"The journal of runs cannot be used: {path} ({error}).",
        "Check that the folder exists and that you may write to it, or set PACKBENCH_HOME to another one.",
        code="journal_unusable",
    )


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """All or nothing. Raises AppError for what SQLite could not do."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            # A full disk has rolled back by itself already.
            if connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise
    except sqlite3.Error as error:
        raise journal_error(error, path) from error
