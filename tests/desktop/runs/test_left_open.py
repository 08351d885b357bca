from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.runs import left_open
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.measured_times import measured_range, median_seconds
from desktop.runs.records import RunStatus, UnitKey
from tests.fakes.journal_of import write_journal
from tests.fakes.reported_run import reported_run


def journal(folder: Path, status: RunStatus, *, pending: bool) -> JournalReader:
    data = reported_run()
    path = folder / "runs.db"
    run_id = write_journal(data, path)
    with JournalWriter(path) as writer:
        if pending:
            key = UnitKey(4, "030", 1)
            writer.make_pending(run_id, [key])
        writer.update_run(run_id, status=status)
    return JournalReader(path)


def test_that_a_run_left_open_is_offered_once(tmp_path: Path) -> None:
    with journal(tmp_path, RunStatus.STOPPED, pending=True) as reader:
        assert left_open.take(tmp_path, reader) is None
        left_open.remember(tmp_path, reported_run().run.id)
        found = left_open.take(tmp_path, reader)
        assert found is not None
        assert found.pack_name == "post-room-triage"
        assert left_open.take(tmp_path, reader) is None


def test_that_a_run_whose_process_ended_without_a_word_is_offered(tmp_path: Path) -> None:
    with journal(tmp_path, RunStatus.RUNNING, pending=True) as reader:
        found = left_open.take(tmp_path, reader)
        assert found is not None
        assert found.status is RunStatus.INTERRUPTED


def test_that_a_complete_run_and_an_empty_journal_offer_nothing(tmp_path: Path) -> None:
    left_open.remember(tmp_path, reported_run().run.id)
    with journal(tmp_path, RunStatus.STOPPED, pending=False) as reader:
        assert left_open.take(tmp_path, reader) is None
    with JournalReader(tmp_path / "none.db") as reader:
        assert left_open.take(tmp_path, reader) is None


def test_that_a_folder_that_cannot_be_written_is_no_fault(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    left_open.remember(tmp_path / "not" / "there", "id")
    assert "was not kept" in caplog.text


def test_that_the_newest_run_of_the_same_pack_tells_how_long_an_answer_takes(tmp_path: Path) -> None:
    data = reported_run()
    path = tmp_path / "runs.db"
    write_journal(data, path)
    older = replace(data.run, id="older", started_at="2026-01-01T00:00:00Z")
    write_journal(replace(data, run=older), path)
    with JournalReader(path) as reader:
        found = median_seconds(reader, Path(data.run.pack_folder))
        assert found["SmolLM2-360M"] == pytest.approx(0.42)
        assert median_seconds(reader, tmp_path) == {}
    expected = measured_range(10, 2.0)
    assert expected.low_s == pytest.approx(18.0)
    assert expected.high_s == pytest.approx(58.0)
