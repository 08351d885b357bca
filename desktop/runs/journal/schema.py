"""The tables of `runs.db` and how an older file becomes a present one.

Each entry of MIGRATIONS brings a journal from its index to the next version, in one transaction with the new
`user_version`. Entries are never changed once released; a new version is a new entry.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from packs.errors import AppError

APPLICATION_ID = 0x50424A4C
"""'PBJL' in the file's header: tells our journal from any other SQLite file."""

_VERSION_1 = """
CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  started_at TEXT NOT NULL,
  finished_at TEXT,
  status TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '',
  pack_name TEXT NOT NULL,
  pack_folder TEXT NOT NULL,
  pack_type TEXT NOT NULL,
  scorer TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  pack_snapshot TEXT NOT NULL,
  backend TEXT NOT NULL,
  backend_version TEXT NOT NULL,
  machine TEXT NOT NULL,
  memory_method TEXT,
  memory_unknown_because TEXT,
  settings TEXT NOT NULL,
  examples INTEGER NOT NULL,
  repetitions INTEGER NOT NULL,
  notices TEXT NOT NULL DEFAULT '[]',
  note TEXT NOT NULL DEFAULT '',
  pinned INTEGER NOT NULL DEFAULT 0,
  deleted_at TEXT
) STRICT;

CREATE TABLE candidates (
  run INTEGER NOT NULL REFERENCES runs(number) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  digest TEXT,
  quantization TEXT,
  parameter_count TEXT,
  size_bytes INTEGER,
  path TEXT,
  status TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  verdict TEXT NOT NULL,
  predicted_mib REAL,
  prediction TEXT NOT NULL DEFAULT '{}',
  peak_mib REAL,
  memory_method TEXT,
  load_ms REAL,
  engine TEXT,
  load_options TEXT NOT NULL DEFAULT '{}',
  prefix TEXT NOT NULL DEFAULT '{}',
  cold_ttft_ms TEXT NOT NULL DEFAULT '[]',
  notes TEXT NOT NULL DEFAULT '[]',
  memory_line TEXT NOT NULL DEFAULT '[]',
  offload_suspicion TEXT,
  repetitions_stopped TEXT,
  PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE units (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  candidate INTEGER NOT NULL,
  example TEXT NOT NULL,
  repetition INTEGER NOT NULL,
  position INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending',
  cause TEXT,
  score REAL,
  passed INTEGER,
  strict_score REAL,
  strict_passed INTEGER,
  failed_gate TEXT,
  near_misses TEXT,
  finish_reason TEXT,
  ttft_ms REAL,
  wall_ms REAL,
  tokens_per_second REAL,
  prompt_tokens INTEGER,
  cached_tokens INTEGER,
  output_tokens INTEGER,
  cold INTEGER,
  retried INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  finished_at TEXT,
  FOREIGN KEY (run, candidate) REFERENCES candidates(run, position) ON DELETE CASCADE,
  UNIQUE (run, candidate, example, repetition)
) STRICT;

CREATE INDEX units_by_status ON units(run, status, candidate);

CREATE TABLE request_options (
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE answers (
  unit INTEGER PRIMARY KEY REFERENCES units(id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  reasoning TEXT NOT NULL,
  options INTEGER NOT NULL REFERENCES request_options(id),
  prompt_ms REAL,
  chunks INTEGER NOT NULL,
  timing_source TEXT NOT NULL
) STRICT;

CREATE TABLE judgements (
  unit INTEGER PRIMARY KEY REFERENCES units(id) ON DELETE CASCADE,
  reason TEXT NOT NULL,
  failure TEXT NOT NULL,
  near_misses TEXT NOT NULL,
  scored_text TEXT,
  reasoning TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE TABLE run_lock (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  pid INTEGER NOT NULL,
  process_started REAL,
  started_at TEXT NOT NULL,
  command TEXT NOT NULL,
  run_id TEXT
) STRICT;
"""

MIGRATIONS: tuple[str, ...] = (_VERSION_1,)

CURRENT_VERSION = len(MIGRATIONS)


def version_of(connection: sqlite3.Connection) -> int:
    """0 for a new file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the journal up to date. Raises AppError for a file that a later program wrote.

    Safe while other connections do it, too: what is left to do is looked up under the lock for writing.
    """
    version = version_of(connection)
    if version > CURRENT_VERSION:
        raise AppError(
            "The journal of runs was written by a later version of Packbench.",
            "Open it with that version, or set PACKBENCH_HOME to another folder.",
            code="journal_too_new",
        )
    if version == CURRENT_VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(version_of(connection), CURRENT_VERSION):
            for statement in _statements(MIGRATIONS[number]):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """One by one: sqlite3's own way of running a script would end the transaction first."""
    begun = ""
    for line in script.splitlines(keepends=True):
        begun += line
        if sqlite3.complete_statement(begun):
            yield begun
            begun = ""
