"""A damaged journal: what can be read of it is in the new one, and nothing of it is made up."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from desktop.reports.gather import elapsed_s
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import RunStatus, UnitStatus
from tests.fakes import killable_run

PAGE = 4096


def make_journal(path: Path) -> None:
    asyncio.run(killable_run.run(path))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


def leaf_pages(path: Path, table: str) -> list[int]:
    connection = sqlite3.connect(path)
    root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()[0]
    connection.close()
    content = path.read_bytes()
    start = (root - 1) * PAGE
    if content[start] != 5:
        return [root]
    cells = int.from_bytes(content[start + 3 : start + 5])
    pages = []
    for cell in range(cells):
        place = int.from_bytes(content[start + 12 + 2 * cell : start + 14 + 2 * cell])
        pages.append(int.from_bytes(content[start + place : start + place + 4]))
    return [*pages, int.from_bytes(content[start + 8 : start + 12])]


def spoil(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(b"\xa5" * PAGE)


@pytest.mark.parametrize("table", ["units", "answers", "judgements"])
def test_that_a_run_is_recovered_and_what_was_lost_is_asked_again(
    tmp_path: Path, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "runs.db"
    make_journal(path)
    with JournalReader(path) as reader:
        before = {unit.key: unit for unit in reader.units(reader.runs()[0].id)}
        run_id = reader.runs()[0].id
    pages = leaf_pages(path, table)
    spoil(path, pages[len(pages) // 2])
    with JournalWriter(path) as writer:
        assert writer.kept_aside is not None
        assert writer.recovered == 1
    with JournalReader(path) as reader:
        summary = reader.runs()[0]
        after = {unit.key: unit for unit in reader.units(run_id)}
        assert "damaged" in reader.run(run_id).notices[-1]
    assert summary.status is RunStatus.STOPPED
    assert set(after) == set(before)
    sound = [key for key, unit in after.items() if unit.status is UnitStatus.COMPLETED]
    assert len(sound) < len(before)
    assert sound or len(pages) == 1, "only what stood on the spoilt page is lost"
    assert all(after[key] == before[key] for key in sound)
    assert all(unit.score is None for unit in after.values() if unit.status is UnitStatus.PENDING)
    asyncio.run(killable_run.run(path))
    with JournalReader(path) as reader:
        assert reader.runs()[0].completed == len(before)
        assert reader.runs()[0].status is RunStatus.FINISHED


@pytest.mark.parametrize("content", [b"no database" * 300, b"SQLite format 3\x00" + b"\xff" * 8000])
def test_that_nothing_is_recovered_from_what_is_no_journal(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(content)
    with JournalWriter(path) as writer:
        assert writer.kept_aside is not None and writer.recovered == 0


def test_that_a_clock_set_back_during_a_run_gives_no_negative_time(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    make_journal(path)
    connection = sqlite3.connect(path)
    connection.execute(
        "UPDATE runs SET started_at = '2026-11-30T12:00:00Z', finished_at = '2026-11-30T11:00:00Z'"
    )
    connection.commit()
    connection.close()
    with JournalReader(path) as reader:
        run = reader.run(reader.runs()[0].id)
        assert elapsed_s(run) is None
        times = [unit.wall_ms for unit in reader.units(run.id)]
    assert all(time is None or time >= 0 for time in times)
