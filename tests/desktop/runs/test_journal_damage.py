"""One damaged row sets its own run aside and names it; every other run is read as before."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.measured_times import median_seconds
from desktop.runs.resume import look_at, newest_resumable
from packs.errors import AppError
from tests.fakes import killable_run

TABLES = ("runs", "candidates", "units", "answers", "judgements", "request_options", "run_lock")
DAMAGE: dict[str, object] = {
    "nothing": None,
    "a word": "\x01 no such word",
    "cut JSON": '{"a": [1',
    "JSON of another kind": '[[1, "x"], null, {"a": 1e999}]',
    "deep JSON": "[" * 100_000,
    "no text": b"\xff\xfe\x00",
    "a long number": 2**62,
    "a fraction": -1e300,
}


def whole(reader: JournalReader, run_id: str) -> list[Callable[[], Any]]:
    """Every question that is asked of one run."""
    return [
        lambda: reader.resolve(run_id[:12]),
        lambda: reader.summary(run_id),
        lambda: reader.run(run_id),
        lambda: reader.candidates(run_id),
        lambda: [reader.memory_line(run_id, place) for place in (0, 1)],
        lambda: reader.units(run_id),
        lambda: list(reader.whole_units(run_id)),
        lambda: list(reader.answers(run_id)),
        lambda: reader.pending(run_id, 0),
        lambda: [reader.unit(run_id, row.key) for row in reader.units(run_id)[:3]],
        lambda: look_at(reader, run_id, retry_failed=True),
        lambda: reader.run_bytes(run_id),
    ]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of two runs."""
    folder = tmp_path_factory.mktemp("journals")
    first, second = folder / "first.db", folder / "second.db"
    for path in (first, second):
        asyncio.run(killable_run.run(path))
    with closing(sqlite3.connect(first, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS other", (str(second),))
        for table in TABLES[:-2]:
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            moved = [
                f"{name} + 1000000"
                if name in ("number", "run", "unit") or (name == "id" and table == "units")
                else name
                for name in names
            ]
            if table == "answers":
                moved[names.index("options")] = "(SELECT MIN(id) FROM main.request_options)"
            connection.execute(f"INSERT INTO main.{table} SELECT {', '.join(moved)} FROM other.{table}")
        connection.execute("DETACH other")
        connection.execute(
            "INSERT OR REPLACE INTO run_lock VALUES (1, 1, 1.0, '2026-01-01T00:00:00Z', 'x', 'none')"
        )
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    return first


def columns() -> list[tuple[str, str]]:
    from desktop.runs.journal.schema import migrate

    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        return [
            (table, row[1]) for table in TABLES for row in connection.execute(f"PRAGMA table_info({table})")
        ]


def put(path: Path, table: str, column: str, value: object) -> None:
    """Into the first run's first row, whatever the table allows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        strict = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
        connection.execute("PRAGMA writable_schema = ON")
        loose = strict.replace(") STRICT", ")").replace(" NOT NULL", "").replace("), WITHOUT", ") WITHOUT")
        loose = loose.replace(" TEXT", " BLOB").replace(" REAL", " BLOB")
        loose = loose.replace(" INTEGER,", " BLOB,").replace(" INTEGER DEFAULT", " BLOB DEFAULT")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (loose, table))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        where = {
            "runs": "number = (SELECT MIN(number) FROM runs)",
            "candidates": "run = (SELECT MIN(run) FROM candidates) AND position = 0",
            "request_options": "1",
            "run_lock": "1",
        }.get(table, f"rowid = (SELECT MIN(rowid) FROM {table})")
        with contextlib.suppress(sqlite3.IntegrityError, sqlite3.OperationalError):
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))
        if value == DAMAGE["a word"]:
            with contextlib.suppress(sqlite3.IntegrityError, sqlite3.OperationalError):
                connection.execute(f"UPDATE {table} SET {column} = CAST(X'41FF' AS TEXT) WHERE {where}")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (strict, table))


@pytest.mark.parametrize(("table", "column"), columns())
def test_that_a_damaged_value_never_ends_what_is_asked_of_other_runs(
    sound: Path, tmp_path: Path, table: str, column: str
) -> None:
    with JournalReader(sound) as reader:
        ids = [run.id for run in sorted(reader.runs(), key=lambda run: run.started_at)]
        by_number = [row.id for row in reader.runs()]
        other = by_number[0]
        assert len(set(ids)) == 2
        before = [question() for question in whole(reader, other)]
        folder = Path(reader.run(other).pack_folder)
    for name, value in DAMAGE.items():
        path = tmp_path / f"{name}.db"
        path.write_bytes(sound.read_bytes())
        put(path, table, column, value)
        with JournalReader(path) as reader:
            found = reader.runs() + reader.runs(deleted=True)
            assert other in [run.id for run in found], name
            assert len(found) == 2, name
            if table != "request_options":
                # All answers of both runs share one row of options.
                assert [question() for question in whole(reader, other)] == before, name
            for damaged in (run.id for run in found if run.id != other):
                for question in whole(reader, damaged):
                    with contextlib.suppress(AppError):
                        question()
            newest_resumable(reader)
            median_seconds(reader, folder)
            reader.lock_holder()


def test_that_a_damaged_run_is_named_with_its_reason(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(sound.read_bytes())
    put(path, "runs", "status", None)
    with JournalReader(path) as reader:
        damaged = [run for run in reader.runs() if run.damaged]
        assert len(damaged) == 1
        assert damaged[0].id[:8] in damaged[0].message
        assert "status" in damaged[0].message
        with pytest.raises(AppError, match=damaged[0].id[:8]):
            reader.run(damaged[0].id)


def schema_places(path: Path) -> list[int]:
    """Where the texts of the tables stand in the file: every 37th byte of them."""
    content = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        texts = [row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
    return [
        place
        for text in texts
        for start in (content.index(text.encode()),)
        for place in range(start, start + len(text), 37)
    ]


def test_that_a_flipped_bit_in_the_text_of_a_table_loses_no_run(sound: Path, tmp_path: Path) -> None:
    with JournalReader(sound) as reader:
        ids = {run.id for run in reader.runs()}
        before = {run_id: reader.units(run_id) for run_id in ids}
    for number, place in enumerate(schema_places(sound)):
        content = bytearray(sound.read_bytes())
        content[place] ^= 1 << number % 8
        path = tmp_path / str(number) / "runs.db"
        path.parent.mkdir()
        path.write_bytes(content)
        with JournalReader(path) as reader:
            assert {run.id for run in reader.runs()} == ids, place
            assert {run_id: reader.units(run_id) for run_id in ids} == before, place
        with JournalWriter(path) as writer:
            assert writer.connection.execute("SELECT COUNT(*) FROM runs").fetchone()[0] == 2
