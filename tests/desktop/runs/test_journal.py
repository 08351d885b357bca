"""The journal: nothing finished is lost, nothing unstorable is stored, and everything can be found again."""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.inference.backends.base import Generation, Timing
from desktop.runs.journal import connection, run_lock, schema
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
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
from packs.task.outcome import Cause, NearMiss, Outcome
from tests.bench.bench_report import fill
from tests.fakes.large_run import add_large_run

NOW = "2026-11-30T10:15:00Z"


def run_record(run_id: str = "aa11bb22cc33dd44", **changes: object) -> RunRecord:
    record = RunRecord(
        id=run_id,
        started_at=NOW,
        finished_at=None,
        pack_name="ticket routing",
        pack_folder="/packs/ticket",
        pack_type="classification",
        scorer="exact-label",
        fingerprint="ab" * 32,
        pack_snapshot={"prompt": "Sort: {{input}}", "examples": [{"id": "001"}]},
        backend="fake",
        backend_version="fake 1",
        machine={"cpu": "two cores"},
        memory_method=None,
        memory_unknown_because="the fake has no memory",
        settings={"limit": None},
    )
    return replace(record, **changes)  # type: ignore[arg-type]


def candidate_record(index: int, name: str, run_id: str = "aa11bb22cc33dd44") -> CandidateRecord:
    return CandidateRecord(
        run_id=run_id,
        index=index,
        name=name,
        digest="sha256:" + "0" * 64,
        quantization="Q4_1",
        parameter_count="135M",
        size_bytes=98_362_432,
        path="/models/a.gguf",
        status=CandidateStatus.WAITING,
        reason="",
        verdict="fits",
        predicted_mib=310.5,
        prediction={"weights_mib": 93.8},
        peak_mib=None,
        memory_method=None,
        load_ms=None,
        engine=None,
    )


def keys(candidates: int = 1, examples: int = 3, repetitions: int = 1) -> list[tuple[int, UnitKey]]:
    return [
        (position, UnitKey(candidate, f"{position + 1:03}", repetition))
        for candidate in range(candidates)
        for repetition in range(1, repetitions + 1)
        for position in range(examples)
    ]


def answer(text: str = "billing", **timing: object) -> Generation:
    figures = Timing(
        ttft_ms=12.5,
        wall_ms=20.0,
        tokens_per_second=50.0,
        prompt_tokens=40,
        cached_tokens=30,
        output_tokens=2,
        prompt_ms=11.0,
        chunks=2,
        source="engine",
    )
    return Generation(text, "", "stop", replace(figures, **timing), {"seed": 42})  # type: ignore[arg-type]


def right(text: str = "billing") -> Outcome:
    return Outcome(
        Cause.CORRECT,
        1.0,
        True,
        "Right.",
        1.0,
        True,
        (NearMiss("bold_marks", "Bold.", 0, 2),),
        scored_text=text,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "runs.db"


@pytest.fixture
def writer(path: Path) -> Iterator[JournalWriter]:
    with JournalWriter(path, now=lambda: NOW) as opened:
        yield opened


@pytest.fixture
def reader(path: Path) -> Iterator[JournalReader]:
    with JournalReader(path) as opened:
        yield opened


def add(writer: JournalWriter, run_id: str = "aa11bb22cc33dd44", candidates: int = 1, **shape: int) -> str:
    examples, repetitions = shape.get("examples", 3), shape.get("repetitions", 1)
    writer.add_run(
        run_record(run_id),
        [candidate_record(index, f"model {index}", run_id) for index in range(candidates)],
        keys(candidates, examples, repetitions),
        examples=examples,
        repetitions=repetitions,
    )
    return run_id


def test_that_without_a_journal_there_are_no_runs_and_no_file_is_made(reader: JournalReader) -> None:
    assert reader.runs() == []
    assert not reader.path.exists()
    with pytest.raises(AppError) as caught:
        reader.resolve("last")
    assert caught.value.code == "unknown_run"


def test_that_two_who_make_the_journal_at_the_same_time_do_not_disturb_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (sqlite3.connect(tmp_path / "runs.db", isolation_level=None) for _ in range(2))
    real, meanwhile = schema.version_of, [second]

    def version_of(connection: sqlite3.Connection) -> int:
        version = real(connection)
        if connection is first and meanwhile:
            schema.migrate(meanwhile.pop())
        return version

    monkeypatch.setattr(schema, "version_of", version_of)
    schema.migrate(first)
    assert real(first) == real(second) == schema.CURRENT_VERSION
    for opened in (first, second):
        opened.close()


def test_that_many_may_open_a_new_journal_at_once(tmp_path: Path) -> None:
    for number in range(10):
        file = tmp_path / str(number) / "runs.db"
        with ThreadPoolExecutor(6) as threads:
            opened = list(threads.map(lambda _, file=file: connection.open_for_writing(file), range(6)))
        for entry in opened:
            assert entry.kept_aside is None
            entry.connection.close()


def test_that_a_finished_unit_reads_back_as_it_was_written(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer)
    key = UnitKey(0, "002", 1)
    writer.finish_unit(
        run_id,
        key,
        status=UnitStatus.COMPLETED,
        outcome=right(),
        generation=answer(),
        cold=False,
        retried=True,
        attempts=2,
    )
    unit = reader.unit(run_id, key)
    assert unit is not None
    assert unit.generation == answer()
    assert unit.outcome == right()
    assert (unit.status, unit.cold, unit.retried, unit.attempts) == (UnitStatus.COMPLETED, False, True, 2)
    rows = reader.units(run_id)
    assert [row.status for row in rows] == [UnitStatus.PENDING, UnitStatus.COMPLETED, UnitStatus.PENDING]
    assert rows[1].key == key
    assert rows[1].cause is Cause.CORRECT
    assert rows[1].passed is True
    assert rows[1].near_misses == ("bold_marks",)
    assert rows[1].cached_tokens == 30
    assert reader.pending(run_id, 0) == [UnitKey(0, "001", 1), UnitKey(0, "003", 1)]
    whole = list(reader.whole_units(run_id))
    assert [entry.key.example for entry in whole] == ["001", "002", "003"]
    assert whole[1] == unit
    assert [stored.text for stored in reader.answers(run_id)] == ["billing"]


def test_that_a_run_and_its_candidates_read_back_as_they_were_written(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer, candidates=2)
    assert reader.run(run_id) == replace(run_record(), status=RunStatus.INTERRUPTED)
    assert reader.candidates(run_id) == [candidate_record(0, "model 0"), candidate_record(1, "model 1")]
    summary = reader.summary(run_id)
    assert summary.candidates == ("model 0", "model 1")
    assert (summary.units, summary.pending, summary.examples, summary.repetitions) == (6, 6, 3, 1)
    assert summary.resumable


def test_that_figures_that_are_not_finite_are_stored_as_unknown(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer)
    key = UnitKey(0, "001", 1)
    outcome = replace(right(), score=math.nan, detail={"actual": math.inf, "deep": [math.nan]})
    generation = answer(ttft_ms=math.nan, tokens_per_second=math.inf)
    writer.finish_unit(run_id, key, status=UnitStatus.COMPLETED, outcome=outcome, generation=generation)
    unit = reader.unit(run_id, key)
    assert unit is not None and unit.generation is not None and unit.outcome is not None
    assert unit.generation.timing.ttft_ms is None
    assert unit.generation.timing.tokens_per_second is None
    assert unit.outcome.score is None
    assert unit.outcome.detail == {"actual": "inf", "deep": ["nan"]}


def test_that_half_a_surrogate_pair_and_a_nul_do_not_lose_an_answer(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer)
    key = UnitKey(0, "001", 1)
    writer.finish_unit(
        run_id, key, status=UnitStatus.COMPLETED, outcome=right("x"), generation=answer("a\ud83d\x00b😀")
    )
    unit = reader.unit(run_id, key)
    assert unit is not None and unit.generation is not None
    assert unit.generation.text == "a�\x00b😀"


def test_that_a_failed_unit_keeps_the_servers_words_and_can_be_run_again(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer)
    key = UnitKey(0, "001", 1)
    failed = Outcome(Cause.SERVER_ERROR, None, None, "The server answered with an error.")
    writer.finish_unit(
        run_id, key, status=UnitStatus.FAILED, outcome=failed, failure="HTTP 500: boom", attempts=3
    )
    unit = reader.unit(run_id, key)
    assert unit is not None
    assert (unit.failure, unit.attempts, unit.generation) == ("HTTP 500: boom", 3, None)
    writer.make_pending(run_id, [key])
    assert key in reader.pending(run_id, 0)
    writer.finish_unit(run_id, key, status=UnitStatus.COMPLETED, outcome=right(), generation=answer())
    writer.make_pending(run_id, [key])
    assert key not in reader.pending(run_id, 0), "a completed unit is never run again"


def test_that_the_rest_of_a_candidate_ends_at_once_with_one_cause(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer, candidates=2)
    writer.finish_unit(
        run_id, UnitKey(0, "001", 1), status=UnitStatus.COMPLETED, outcome=right(), generation=answer()
    )
    ended = writer.end_pending_units(run_id, 0, Outcome(Cause.NOT_RUN, None, None, "It ran out of memory."))
    assert ended == [UnitKey(0, "002", 1), UnitKey(0, "003", 1)]
    assert [row.cause for row in reader.units(run_id, 0)] == [Cause.CORRECT, Cause.NOT_RUN, Cause.NOT_RUN]
    assert reader.pending(run_id, 0) == []
    assert len(reader.pending(run_id, 1)) == 3


def test_that_the_highest_peak_of_all_sessions_is_kept(writer: JournalWriter, reader: JournalReader) -> None:
    run_id = add(writer)
    for peak in (500.0, None, 400.0):
        writer.update_candidate(run_id, 0, status=CandidateStatus.RUNNING, peak_mib=peak)
    writer.update_candidate(
        run_id,
        0,
        status=CandidateStatus.COMPLETED,
        reason="",
        load_ms=812.0,
        engine="llama.cpp b1",
        load_options={"threads": 1},
        notes=["No chat template."],
        memory_line=[MemoryPoint(0.2, 100.0), MemoryPoint(0.4, 500.0)],
    )
    candidate = reader.candidates(run_id)[0]
    assert candidate.peak_mib == 500.0
    assert candidate.load_options == {"threads": 1}
    assert candidate.notes == ("No chat template.",)
    assert reader.memory_line(run_id, 0) == [MemoryPoint(0.2, 100.0), MemoryPoint(0.4, 500.0)]


def test_that_a_notice_is_kept_once(writer: JournalWriter, reader: JournalReader) -> None:
    run_id = add(writer)
    for message in ("On battery.", "Busy.", "On battery."):
        writer.add_notice(run_id, message)
    assert reader.run(run_id).notices == ("On battery.", "Busy.")


def test_that_a_unique_prefix_names_a_run_and_an_ambiguous_one_names_its_candidates(
    writer: JournalWriter, reader: JournalReader
) -> None:
    add(writer, "aa11bb22cc33dd44")
    add(writer, "aa99bb22cc33dd44")
    assert reader.resolve("aa9") == "aa99bb22cc33dd44"
    assert reader.resolve("AA11") == "aa11bb22cc33dd44"
    assert reader.resolve("last") == "aa99bb22cc33dd44"
    with pytest.raises(AppError) as caught:
        reader.resolve("aa")
    assert caught.value.code == "ambiguous_run"
    assert "aa11bb22cc33dd44" in caught.value.message and "aa99bb22cc33dd44" in caught.value.message
    for unknown in ("b", "", "%", "aa11%"):
        with pytest.raises(AppError) as caught:
            reader.resolve(unknown)
        assert caught.value.code == "unknown_run"
        assert "aa99bb22cc33dd44" in caught.value.fix


def test_that_deleting_can_be_undone_until_it_is_purged(writer: JournalWriter, reader: JournalReader) -> None:
    first, second = add(writer, "aa11bb22cc33dd44"), add(writer, "aa99bb22cc33dd44")
    writer.finish_unit(
        second, UnitKey(0, "001", 1), status=UnitStatus.COMPLETED, outcome=right(), generation=answer()
    )
    writer.delete(second)
    assert [run.id for run in reader.runs()] == [first]
    assert [run.id for run in reader.runs(deleted=True)] == [second]
    assert reader.resolve("last") == first
    writer.restore(second)
    assert [run.id for run in reader.runs()] == [second, first]
    writer.delete(second)
    assert writer.purge("2026-01-01T00:00:00Z") == 0
    assert writer.purge("2027-01-01T00:00:00Z") == 1
    assert reader.runs(deleted=True) == []
    for table in ("units", "answers", "judgements", "candidates", "request_options"):
        left = writer.connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
        assert left == (3 if table == "units" else 1 if table == "candidates" else 0), table
    with pytest.raises(AppError):
        writer.set_note("ffff", "?")


def test_that_what_a_run_takes_on_the_disk_is_right_within_a_tenth(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    fill(path)
    add_large_run(path, "large", examples=1_000, models=4)
    with JournalWriter(path) as writer:
        writer.free_deleted()
    with JournalReader(path) as reader:
        both = [reader.run_bytes(run.id) for run in reader.runs()]
        whole = reader.disk_bytes()
    assert sum(both) == pytest.approx(whole, rel=0.1)
    with JournalWriter(path) as writer:
        writer.delete("large")
        writer.free_deleted()
    with JournalReader(path) as reader:
        assert whole - reader.disk_bytes() == pytest.approx(min(both), rel=0.1)


def test_that_a_removed_run_gives_its_room_back_unless_a_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with JournalWriter(path) as writer, JournalReader(path) as reader:
        add_large_run(path, "large", examples=500, models=2)
        add(writer, "aa11bb22cc33dd44")
        writer.delete("large")
        run_lock.acquire(writer.connection, path, command="test", run_id="aa11bb22cc33dd44", now=writer.now)
        full = reader.disk_bytes()
        assert writer.free_deleted() == 1
        assert reader.disk_bytes() >= full
        run_lock.release(writer.connection, path)
        assert writer.free_deleted() == 0
        assert reader.disk_bytes() < full / 2
        assert [run.id for run in reader.runs()] == ["aa11bb22cc33dd44"]


def test_that_a_pinned_run_comes_first_and_notes_stay(writer: JournalWriter, reader: JournalReader) -> None:
    first = add(writer, "aa11bb22cc33dd44")
    add(writer, "aa99bb22cc33dd44")
    writer.set_pinned(first, True)
    writer.set_note(first, "before the new prompt")
    assert reader.runs()[0].id == first
    assert reader.run(first).note == "before the new prompt"
    assert reader.run(first).pinned


def test_that_judging_again_replaces_scores_and_keeps_answers(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer)
    key = UnitKey(0, "001", 1)
    writer.finish_unit(run_id, key, status=UnitStatus.COMPLETED, outcome=right(), generation=answer())
    wrong = Outcome(Cause.WRONG, 0.0, False, "Another label.", 0.0, False, scored_text="billing")
    assert writer.judge_again(run_id, [(key, wrong), (UnitKey(0, "002", 1), wrong)]) == 1
    unit = reader.unit(run_id, key)
    assert unit is not None
    assert unit.outcome == wrong
    assert unit.generation == answer()


def test_that_units_come_in_batches_in_order_of_running(writer: JournalWriter, reader: JournalReader) -> None:
    add(writer, "aa11bb22cc33dd44", examples=4)
    run_id = add(writer, "aa99bb22cc33dd44", candidates=2, examples=5, repetitions=2)
    batches = list(reader.unit_batches(run_id, size=6))
    assert [len(batch) for batch in batches] == [6, 6, 6, 2]
    assert [row.key for batch in batches for row in batch] == [key for _, key in keys(2, 5, 2)]
    assert [row.key for row in reader.units(run_id, 1)] == [key for _, key in keys(2, 5, 2) if key.candidate]


@pytest.mark.parametrize(
    "content", [b"this is no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 8000]
)
def test_that_a_damaged_journal_is_kept_aside_and_a_new_one_started(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with JournalReader(path) as reader, pytest.raises(AppError) as caught:
        reader.runs()
    assert caught.value.code == "journal_damaged"
    with JournalWriter(path, now=lambda: NOW) as writer:
        assert writer.kept_aside is not None
        assert writer.kept_aside.read_bytes() == content
        add(writer)
    with JournalWriter(path, now=lambda: NOW) as writer, JournalReader(path) as reader:
        assert writer.kept_aside is None
        assert len(reader.runs()) == 1


def test_that_a_second_damaged_journal_of_the_same_second_does_not_replace_the_first(path: Path) -> None:
    path.parent.mkdir(parents=True)
    for content in (b"first damage" * 200, b"second damage" * 200):
        path.write_bytes(content)
        JournalWriter(path, now=lambda: NOW).close()
    assert sorted(file.read_bytes()[:5] for file in path.parent.glob("runs.damaged-*.db")) == [
        b"first",
        b"secon",
    ]


def test_that_a_damaged_page_in_the_middle_is_noticed(path: Path) -> None:
    with JournalWriter(path) as writer:
        add(writer, examples=2000)
    content = bytearray(path.read_bytes())
    content[8192:12288] = b"\xa5" * 4096
    path.write_bytes(bytes(content))
    with JournalWriter(path, now=lambda: NOW) as writer:
        assert writer.kept_aside is not None


def test_that_a_journal_of_a_later_version_is_left_alone(path: Path) -> None:
    JournalWriter(path).close()
    later = sqlite3.connect(path)
    later.execute(f"PRAGMA user_version = {schema.CURRENT_VERSION + 1}")
    later.close()
    before = path.read_bytes()
    with pytest.raises(AppError) as caught:
        JournalWriter(path)
    assert caught.value.code == "journal_too_new"
    assert path.read_bytes() == before


def test_that_a_folder_in_the_place_of_the_journal_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs.db").mkdir()
    with pytest.raises(AppError) as caught:
        JournalWriter(tmp_path / "runs.db")
    assert caught.value.code == "journal_unusable"


def test_that_a_second_run_is_told_who_holds_the_lock(writer: JournalWriter, reader: JournalReader) -> None:
    run_id = add(writer)
    run_lock.acquire(writer.connection, writer.path, command="packbench run", run_id=run_id, now=lambda: NOW)
    assert reader.run(run_id).status is RunStatus.RUNNING
    with pytest.raises(AppError) as caught:
        run_lock.acquire(writer.connection, writer.path, command="again", run_id="b", now=lambda: NOW)
    assert str(os.getpid()) in caught.value.message and "packbench run" in caught.value.message
    with pytest.raises(AppError):
        writer.delete(run_id)
    run_lock.release(writer.connection, writer.path)
    assert reader.lock_holder() is None
    assert reader.run(run_id).status is RunStatus.INTERRUPTED


@pytest.mark.parametrize("pid, started", [(2**22 + 1, None), (os.getpid(), 1.0)], ids=["gone", "another"])
def test_that_the_lock_of_a_dead_process_is_taken_over(
    writer: JournalWriter, reader: JournalReader, pid: int, started: float | None
) -> None:
    run_id = add(writer)
    writer.connection.execute(
        "INSERT INTO run_lock (only, pid, process_started, started_at, command, run_id) VALUES (1,?,?,?,?,?)",
        (pid, started, NOW, "gone", run_id),
    )
    assert reader.lock_holder() is None
    run_lock.acquire(writer.connection, writer.path, command="packbench run", run_id=run_id, now=lambda: NOW)
    assert reader.lock_holder() is not None


def test_that_a_full_disk_says_that_finished_units_are_safe(
    writer: JournalWriter, reader: JournalReader
) -> None:
    run_id = add(writer)
    pages = writer.connection.execute("PRAGMA page_count").fetchone()[0]
    writer.connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(AppError) as caught:
        writer.finish_unit(
            run_id,
            UnitKey(0, "001", 1),
            status=UnitStatus.COMPLETED,
            outcome=right(),
            generation=answer("x" * 500_000),
        )
    assert caught.value.code == "disk_full"
    assert len(reader.pending(run_id, 0)) == 3
    writer.connection.execute("PRAGMA max_page_count = 100000")
    writer.finish_unit(
        run_id, UnitKey(0, "001", 1), status=UnitStatus.COMPLETED, outcome=right(), generation=answer()
    )


def test_that_readers_see_what_is_committed_while_the_writer_goes_on(path: Path) -> None:
    with JournalWriter(path) as writer, JournalReader(path) as reader:
        run_id = add(writer)
        writer.connection.execute("BEGIN IMMEDIATE")
        writer.connection.execute("UPDATE units SET status = 'completed'")
        assert len(reader.pending(run_id, 0)) == 3
        writer.connection.execute("ROLLBACK")
    assert connection.open_for_reading(path.parent / "none.db") is None


def test_that_all_units_read_whole_are_the_units_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with JournalWriter(path) as writer:
        writer.add_run(run_record(), [candidate_record(0, "a")], keys(examples=3), examples=3, repetitions=1)
        writer.finish_unit(
            run_record().id,
            UnitKey(0, "002", 1),
            status=UnitStatus.COMPLETED,
            attempts=1,
            generation=Generation("x", "", "stop", Timing(1.0, 2.0, 3.0, 4, 0, 5), {"seed": 42}),
            outcome=Outcome(Cause.WRONG, 0.0, False, "no", near_misses=(NearMiss("a", "b", 0, 1),)),
        )
    with JournalReader(path) as reader:
        whole = list(reader.whole_units(run_record().id))
        assert whole == [reader.unit(run_record().id, unit.key) for unit in whole]
        assert [unit.example for unit in whole] == ["001", "002", "003"]
