"""A run that never lies and never freezes: what becomes of every unit, whatever a backend does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path

import pytest

from desktop.inference.backends.base import Capabilities, FaultKind, Loaded, LoadSettings, ModelRef
from desktop.runs.control import RunControl
from desktop.runs.engine import RunEnd, start
from desktop.runs.events import (
    Activity,
    CandidateFinished,
    MemoryMeasured,
    Notice,
    Paused,
    RunFinished,
    RunStarted,
    TextArrived,
    TimeLeft,
    UnitFinished,
    UnitsLeftOut,
    UnitStarted,
)
from desktop.runs.journal import run_lock
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.plan import make_plan
from desktop.runs.records import CandidateStatus, RunStatus, UnitKey, UnitStatus
from desktop.runs.settings import RunSettings
from packs.errors import AppError
from packs.task.outcome import Cause
from tests.fakes.fake_backend import Answer, FakeBackend, fault
from tests.fakes.plain_work import PlainWork
from tests.fakes.runs import Told, finished_keys, model, setup_for, started

COLD = RunSettings(cold=True)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def reader(journal: Path) -> Iterator[JournalReader]:
    with JournalReader(journal) as opened:
        yield opened


@pytest.fixture
def reported() -> Told:
    return Told()


def run(job: Coroutine[object, object, RunEnd]) -> RunEnd:
    return asyncio.run(asyncio.wait_for(job, 120))


def causes(reader: JournalReader, candidate: int | None = None) -> list[Cause | None]:
    return [row.cause for row in reader.units(reader.resolve("last"), candidate)]


def test_that_a_run_ends_with_every_unit_journalled(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    backend = FakeBackend([model("small", size_bytes=10), model("large", size_bytes=90)])
    end = run(started(PlainWork(3, repetitions=2), backend, journal, reported))
    assert (end.status, end.message) == (RunStatus.FINISHED, "12 of 12 units completed.")
    summary = reader.summary(end.run_id)
    assert summary.candidates == ("large", "small")
    assert (summary.status, summary.completed, summary.pending) == (RunStatus.FINISHED, 12, 0)
    assert set(causes(reader)) == {Cause.CORRECT}
    assert [name for name, _ in backend.calls if name in ("load", "unload")] == ["load", "unload"] * 2
    assert reader.lock_holder() is None
    assert isinstance(reported.events[0], RunStarted) and isinstance(reported.events[-1], RunFinished)
    record = reader.run(end.run_id)
    assert record.pack_snapshot == PlainWork().snapshot(["0001", "0002", "0003"])
    assert record.settings["command"] == "packbench run plain"
    candidate = reader.candidates(end.run_id)[0]
    assert (candidate.status, candidate.peak_mib, candidate.engine) == (
        CandidateStatus.COMPLETED,
        500.0,
        "fake 1",
    )
    assert candidate.load_options == {"threads": candidate.load_options["threads"]}
    assert reader.memory_line(end.run_id, 0)


def test_that_each_repetition_is_one_pass_over_all_examples(journal: Path, reported: Told) -> None:
    run(started(PlainWork(3, repetitions=2), FakeBackend([model()]), journal, reported))
    assert [(key.repetition, key.example) for key in finished_keys(reported)] == [
        (repetition, f"{number:04}") for repetition in (1, 2) for number in (1, 2, 3)
    ]


def test_that_a_unit_is_told_after_it_is_stored(journal: Path, reader: JournalReader, reported: Told) -> None:
    def look(event: object) -> None:
        if isinstance(event, UnitFinished):
            unit = reader.unit(reader.resolve("last"), event.key)
            assert unit is not None and unit.status is UnitStatus.COMPLETED

    reported.on_event = look
    run(started(PlainWork(3), FakeBackend([model()]), journal, reported))
    assert len(reported.of(UnitFinished)) == len(reported.of(UnitStarted)) == 3
    assert {event.text for event in reported.of(TextArrived)} == {"0001", "0002", "0003"}


@pytest.mark.parametrize(
    "kind, status",
    [(FaultKind.OUT_OF_MEMORY, CandidateStatus.OOM), (FaultKind.BAD_MODEL_FILE, CandidateStatus.FAILED)],
)
def test_that_a_model_that_cannot_be_loaded_does_not_stop_the_others(
    journal: Path, reader: JournalReader, reported: Told, kind: FaultKind, status: CandidateStatus
) -> None:
    broken = model("broken", size_bytes=90, load_fault=fault(kind, "own words"))
    end = run(started(PlainWork(3), FakeBackend([broken, model("sound", size_bytes=10)]), journal, reported))
    assert end.message == "3 of 6 units completed, 3 not run."
    assert causes(reader, 0) == [Cause.NOT_RUN] * 3
    assert causes(reader, 1) == [Cause.CORRECT] * 3
    candidate = reader.candidates(end.run_id)[0]
    assert candidate.status is status
    assert "The fake says" in candidate.reason
    assert [event.status for event in reported.of(CandidateFinished)] == [status.value, "completed"]


def test_that_out_of_memory_in_mid_sweep_ends_the_candidate_and_counts_nothing_as_wrong(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer(fault=fault(FaultKind.OUT_OF_MEMORY, "oom")) if word == "0002" else None

    run(started(PlainWork(4), FakeBackend([model(special=special)]), journal, reported))
    run_id = reader.resolve("last")
    assert causes(reader) == [Cause.CORRECT, Cause.OUT_OF_MEMORY, Cause.NOT_RUN, Cause.NOT_RUN]
    assert [row.status for row in reader.units(run_id)][1:] == [
        UnitStatus.FAILED,
        UnitStatus.SKIPPED,
        UnitStatus.SKIPPED,
    ]
    assert [row.score for row in reader.units(run_id)] == [1.0, None, None, None]
    unit = reader.unit(run_id, UnitKey(0, "0002", 1))
    assert unit is not None and unit.failure == "oom"
    assert reader.candidates(run_id)[0].status is CandidateStatus.OOM


def test_that_a_transport_fault_is_tried_again_and_left_out_of_latency(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        if word == "0002" and nth < 2:
            return Answer(fault=fault(FaultKind.NOT_REACHABLE))
        return None

    run(
        started(
            PlainWork(3),
            FakeBackend([model(special=special)], primes=False),
            journal,
            reported,
            COLD,
        )
    )
    assert [row.retried for row in reader.units(reader.resolve("last"))] == [False, True, False]
    assert causes(reader) == [Cause.CORRECT] * 3
    assert reported.waits[:2] == [1.0, 2.0]


def test_that_a_busy_server_is_given_the_time_it_asks_for_and_no_more_than_a_minute(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        if word == "0002" and nth == 0:
            return Answer(fault=fault(FaultKind.BUSY, retry_after_s=17))
        if word == "0003":
            return Answer(fault=fault(FaultKind.BUSY, retry_after_s=3600))
        return None

    run(started(PlainWork(3), FakeBackend([model(special=special)]), journal, reported, COLD))
    assert 17 in reported.waits and 3600 not in reported.waits
    assert causes(reader) == [Cause.CORRECT, Cause.CORRECT, Cause.SERVER_ERROR]


def test_that_the_servers_own_words_are_told_where_they_end_a_candidate(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    message = "no kernel for this card\n" + "x" * 900
    end = run(
        started(
            PlainWork(2),
            FakeBackend([model(load_fault=fault(FaultKind.SERVER_ERROR, message))]),
            journal,
            reported,
        )
    )
    reason = reader.candidates(end.run_id)[0].reason
    assert "It said: no kernel for this card xxx" in reason
    assert len(reason) < 300


class BusyAtFirst(FakeBackend):
    """A server that is asked for the model too early."""

    async def load(self, model: ModelRef, settings: LoadSettings) -> Loaded:
        if not self.loads:
            self.loads.append(settings)
            raise fault(FaultKind.BUSY, retry_after_s=7)
        return await super().load(model, settings)


def test_that_a_server_that_is_busy_while_loading_is_asked_again(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    run(started(PlainWork(2), BusyAtFirst([model()]), journal, reported, COLD))
    assert 7 in reported.waits
    assert causes(reader) == [Cause.CORRECT] * 2
    assert any("waiting 7 s to ask again" in event.message for event in reported.of(Activity))


@pytest.mark.parametrize(
    "kind, cause",
    [
        (FaultKind.SERVER_ERROR, Cause.SERVER_ERROR),
        (FaultKind.TIMED_OUT, Cause.TIMED_OUT),
        (FaultKind.CRASHED, Cause.CRASHED),
        (FaultKind.INPUT_TOO_LONG, Cause.INPUT_CUT),
        (FaultKind.NOT_REACHABLE, Cause.SERVER_ERROR),
    ],
)
def test_that_one_units_fault_does_not_lose_the_run(
    journal: Path, reader: JournalReader, reported: Told, kind: FaultKind, cause: Cause
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer(fault=fault(kind)) if word == "0002" else None

    run(started(PlainWork(3), FakeBackend([model(special=special)]), journal, reported, COLD))
    assert causes(reader) == [Cause.CORRECT, cause, Cause.CORRECT]
    assert reader.candidates(reader.resolve("last"))[0].status is CandidateStatus.COMPLETED


def test_that_a_server_that_stays_silent_is_given_up_after_three_units(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer(fault=fault(FaultKind.TIMED_OUT)) if word != "0001" else None

    run(started(PlainWork(9), FakeBackend([model(special=special)]), journal, reported, COLD))
    assert causes(reader) == [Cause.CORRECT] + [Cause.TIMED_OUT] * 3 + [Cause.NOT_RUN] * 5
    candidate = reader.candidates(reader.resolve("last"))[0]
    assert candidate.status is CandidateStatus.COMPLETED
    assert "3 units in a row" in candidate.reason


def test_that_stopping_a_silent_answer_frees_the_model_and_keeps_what_is_finished(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer("x y", stall="before") if word == "0002" else None

    backend = FakeBackend([model(special=special), model("other", size_bytes=1)])
    control = RunControl()

    def look(event: object) -> None:
        if isinstance(event, UnitStarted) and event.key.example == "0002":
            asyncio.get_running_loop().call_later(0.05, control.stop)

    reported.on_event = look
    end = run(started(PlainWork(3), backend, journal, reported, COLD, control))
    assert end.status is RunStatus.STOPPED
    assert backend.loaded is None
    assert [row.status for row in reader.units(end.run_id, 0)] == [
        UnitStatus.COMPLETED,
        UnitStatus.PENDING,
        UnitStatus.PENDING,
    ]
    assert reader.summary(end.run_id).resumable
    assert reader.lock_holder() is None
    assert [name for name, _ in backend.calls].count("load") == 1


def test_that_stopping_while_a_model_loads_ends_the_load(journal: Path, reported: Told) -> None:
    backend = FakeBackend([model(load_stalls=True)])
    control = RunControl()

    async def stop_in_load() -> RunEnd:
        backend.stalled = asyncio.Event()
        job = asyncio.create_task(started(PlainWork(3), backend, journal, reported, None, control))
        await backend.stalled.wait()
        control.stop()
        return await job

    assert run(stop_in_load()).status is RunStatus.STOPPED


def test_that_a_run_stopped_before_it_began_runs_nothing(journal: Path, reported: Told) -> None:
    backend, control = FakeBackend([model()]), RunControl()
    control.stop()
    assert run(started(PlainWork(3), backend, journal, reported, None, control)).status is RunStatus.STOPPED
    assert backend.calls == []


def test_that_cancelling_from_outside_keeps_what_is_finished_too(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer("x", stall="before") if word == "0002" else None

    backend = FakeBackend([model(special=special)])

    async def cancel() -> None:
        backend.stalled = asyncio.Event()
        job = asyncio.create_task(started(PlainWork(3), backend, journal, reported, COLD))
        await backend.stalled.wait()
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job

    asyncio.run(cancel())
    assert reader.summary(reader.resolve("last")).status is RunStatus.STOPPED
    assert reader.lock_holder() is None
    assert backend.loaded is None


def test_that_a_skipped_unit_is_nobodys_fault_and_the_next_one_goes_on(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer("x", stall="before") if word == "0002" else None

    control = RunControl()

    def look(event: object) -> None:
        match event:
            case UnitStarted(UnitKey(_, "0002", _)):
                asyncio.get_running_loop().call_later(0.02, control.skip_unit, UnitKey(0, "0001", 1))
                asyncio.get_running_loop().call_later(0.04, control.skip_unit, UnitKey(0, "0002", 1))

    reported.on_event = look
    run(started(PlainWork(3), FakeBackend([model(special=special)]), journal, reported, COLD, control))
    assert causes(reader) == [Cause.CORRECT, Cause.CANCELLED, Cause.CORRECT]


def test_that_skipping_a_candidate_goes_on_with_the_next(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer("x", stall="before") if word == "0002" else None

    control = RunControl()

    def look(event: object) -> None:
        match event:
            case UnitStarted(UnitKey(0, "0002", _)):
                asyncio.get_running_loop().call_later(0.01, control.skip_candidate, 1)
                asyncio.get_running_loop().call_later(0.03, control.skip_candidate, 0)

    reported.on_event = look
    backend = FakeBackend([model("slow", special), model("other", size_bytes=1)])
    end = run(started(PlainWork(3), backend, journal, reported, COLD, control))
    assert end.status is RunStatus.FINISHED
    assert causes(reader, 0) == [Cause.CORRECT, Cause.CANCELLED, Cause.CANCELLED]
    assert causes(reader, 1) == [Cause.CORRECT] * 3
    assert reader.candidates(end.run_id)[0].reason == "Skipped by you."


def test_that_a_candidate_skipped_while_loading_has_no_completed_unit(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    control = RunControl()
    backend = FakeBackend([model("slow", load_stalls=True), model("other", size_bytes=1)])

    async def skip() -> RunEnd:
        backend.stalled = asyncio.Event()
        job = asyncio.create_task(started(PlainWork(2), backend, journal, reported, None, control))
        await backend.stalled.wait()
        control.skip_candidate()
        return await job

    end = run(skip())
    assert [entry.status for entry in reader.candidates(end.run_id)] == [
        CandidateStatus.SKIPPED,
        CandidateStatus.COMPLETED,
    ]


def test_that_a_pause_begins_after_the_present_answer_and_keeps_the_model(
    journal: Path, reported: Told
) -> None:
    control = RunControl()
    backend = FakeBackend([model()])
    during: list[bool] = []

    def look(event: object) -> None:
        match event:
            case UnitStarted(UnitKey(_, "0002", _)):
                control.pause()
            case Paused(True):
                during.append(backend.loaded is not None)
                asyncio.get_running_loop().call_later(0.02, control.go_on)

    reported.on_event = look
    run(started(PlainWork(4), backend, journal, reported, None, control))
    assert during == [True]
    order = [type(event).__name__ for event in reported.events if isinstance(event, Paused | UnitFinished)]
    assert order == ["UnitFinished"] * 2 + ["Paused", "Paused"] + ["UnitFinished"] * 2


def test_that_a_paused_run_can_be_stopped(journal: Path, reported: Told) -> None:
    control = RunControl()
    control.pause()

    def look(event: object) -> None:
        if isinstance(event, Paused):
            control.stop()

    reported.on_event = look
    assert (
        run(started(PlainWork(2), FakeBackend([model()]), journal, reported, None, control)).status
        is RunStatus.STOPPED
    )


def test_that_a_model_that_ends_at_once_everywhere_is_suspected_of_a_broken_template(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    backend = FakeBackend([model()])
    backend.models[0].answers = lambda prompt, nth: "0001" if prompt.endswith("0001") else Answer("hm")
    run(started(PlainWork(3), backend, journal, reported))
    assert causes(reader) == [Cause.CORRECT, Cause.TEMPLATE_SUSPECTED, Cause.TEMPLATE_SUSPECTED]
    assert [notice.code for notice in reported.of(Notice)] == ["template_suspected"]
    assert any("stopped almost at once" in note for note in reader.candidates(reader.resolve("last"))[0].notes)


def test_that_a_model_that_never_ends_is_suspected_and_a_sound_one_that_is_cut_is_not(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    endless = model("endless", size_bytes=2)
    endless.answers = lambda prompt, nth: Answer("la la la la la la", finish_reason="length")
    cut = model("cut", lambda *_: Answer("la la la la la la", finish_reason="length"), size_bytes=1)
    run(started(PlainWork(2), FakeBackend([endless, cut]), journal, reported))
    assert causes(reader, 0) == [Cause.TEMPLATE_SUSPECTED] * 2
    assert causes(reader, 1) == [Cause.ANSWER_CUT] * 2


def test_that_short_answers_of_a_sound_model_are_its_own(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    run(started(PlainWork(2), FakeBackend([model(special=lambda *_: "no")]), journal, reported))
    assert causes(reader) == [Cause.WRONG] * 2


def test_that_a_server_that_reads_fewer_tokens_than_were_sent_is_found_out(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return Answer(word, prompt_tokens=5) if word == "0002" else None

    work = PlainWork(3, filler=" word" * 1000)
    run(started(work, FakeBackend([model(special=special)]), journal, reported))
    assert causes(reader) == [Cause.CORRECT, Cause.INPUT_CUT, Cause.CORRECT]
    unit = reader.unit(reader.resolve("last"), UnitKey(0, "0002", 1))
    assert unit is not None and unit.outcome is not None
    assert "read 5 of 1,004 prompt tokens" in unit.outcome.reason


def test_that_units_start_from_the_shared_prefix_unless_cold_is_wanted(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    backend = FakeBackend([model()])
    run(started(PlainWork(2), backend, journal, reported))
    assert [request.reuse_prefix for request in backend.requests[-2:]] == [True, True]
    candidate = reader.candidates(reader.resolve("last"))[0]
    assert candidate.prefix == {"tokens": 7, "prompt_ms": 3.0, "method": "scripted"}
    assert candidate.cold_ttft_ms == (10.0, 10.0)
    run(started(PlainWork(2), backend, journal, reported, COLD))
    assert [request.reuse_prefix for request in backend.requests[-2:]] == [False, False]
    assert reader.candidates(reader.resolve("last"))[0].prefix == {}


def test_that_a_prefix_that_cannot_be_kept_is_tried_once_more_and_then_told(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    once = FakeBackend([model()], prime_faults=[fault(FaultKind.CRASHED)])
    run(started(PlainWork(2), once, journal, reported))
    assert reader.candidates(reader.resolve("last"))[0].prefix["tokens"] == 7
    never = FakeBackend([model()], prime_faults=[fault(FaultKind.CRASHED), fault(FaultKind.CRASHED)])
    run(started(PlainWork(2), never, journal, reported))
    candidate = reader.candidates(reader.resolve("last"))[0]
    assert candidate.prefix == {}
    assert any("each prompt was read whole" in note for note in candidate.notes)
    assert causes(reader) == [Cause.CORRECT] * 2


def test_that_memory_is_measured_and_told(journal: Path, reported: Told) -> None:
    def special(word: str, nth: int) -> Answer | None:
        return None

    run(started(PlainWork(2), FakeBackend([model(special=special, peak_mib=321.0)]), journal, reported))
    finished = reported.of(CandidateFinished)[0]
    assert finished.peak_mib is None or finished.peak_mib == 321.0
    assert all(event.free_mib == 8000.0 for event in reported.of(MemoryMeasured))


def test_that_a_second_run_is_refused_while_one_goes_on(journal: Path, reported: Told) -> None:
    with JournalWriter(journal) as writer:
        run_lock.acquire(
            writer.connection, journal, command="packbench run other", run_id="x", now=lambda: "then"
        )
        with pytest.raises(AppError) as caught:
            run(started(PlainWork(2), FakeBackend([model()]), journal, reported))
        run_lock.release(writer.connection, journal)
    assert caught.value.code == "run_in_progress"


def test_that_a_fault_of_ours_frees_the_model_and_is_not_hidden(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    class Broken(PlainWork):
        def judge(self, example_id: str, generation: object) -> object:  # type: ignore[override]
            raise RuntimeError("a bug")

    backend = FakeBackend([model()])
    with pytest.raises(RuntimeError, match="a bug"):
        run(started(Broken(2), backend, journal, reported))
    assert backend.loaded is None
    assert reader.lock_holder() is None
    assert reader.summary(reader.resolve("last")).status is RunStatus.FAILED


def test_that_units_in_parallel_are_all_journalled_once(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    maximum = 0
    backend = FakeBackend([model()])

    def look(event: object) -> None:
        nonlocal maximum
        started_units = len(reported.of(UnitStarted))
        maximum = max(maximum, started_units - len(reported.of(UnitFinished)))

    reported.on_event = look
    end = run(started(PlainWork(20, repetitions=2), backend, journal, reported, RunSettings(parallel=4)))
    assert maximum == 4
    assert end.message == "40 of 40 units completed."
    assert len(set(finished_keys(reported))) == 40


def test_that_out_of_memory_ends_all_units_in_flight(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> Answer | None:
        if word == "0003":
            return Answer(fault=fault(FaultKind.OUT_OF_MEMORY))
        # The first example is asked once before, to warm up.
        return Answer("x", stall="before") if word == "0002" or (word == "0001" and nth) else None

    settings = RunSettings(parallel=3, cold=True)
    run(started(PlainWork(6), FakeBackend([model(special=special)]), journal, reported, settings))
    assert causes(reader).count(Cause.OUT_OF_MEMORY) == 1
    assert causes(reader).count(Cause.NOT_RUN) == 5


def test_that_adaptive_repetition_stops_once_repetitions_prove_identical(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    work = PlainWork(20, repetitions=3)
    end = run(started(work, FakeBackend([model()]), journal, reported, RunSettings(adaptive=True)))
    rows = reader.units(end.run_id)
    assert [row.repetition for row in rows].count(1) == 20
    assert [row.repetition for row in rows].count(2) == 5
    assert len(rows) == 25
    candidate = reader.candidates(end.run_id)[0]
    assert candidate.repetitions_stopped is not None and "5 examples" in candidate.repetitions_stopped
    assert reported.of(UnitsLeftOut)[0].count == 35


def test_that_adaptive_repetition_runs_them_all_when_one_differs(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    def special(word: str, nth: int) -> str | None:
        return f"{word} {nth}" if word == "0010" else None

    work = PlainWork(10, repetitions=3)
    end = run(
        started(work, FakeBackend([model(special=special)]), journal, reported, RunSettings(adaptive=True))
    )
    assert len(reader.units(end.run_id)) == 30
    assert reader.candidates(end.run_id)[0].repetitions_stopped is None
    assert reported.of(UnitsLeftOut) == []


def test_that_what_remains_is_told_as_a_range(journal: Path, reported: Told) -> None:
    run(started(PlainWork(3), FakeBackend([model()]), journal, reported))
    left = reported.of(TimeLeft)[0]
    assert left.low_s is not None and left.high_s is not None and left.low_s <= left.high_s
    assert left.units_total == 3


def test_that_battery_and_a_busy_machine_are_told_once_and_kept_with_the_run(
    journal: Path, reader: JournalReader, reported: Told
) -> None:
    backend = FakeBackend([model("a", size_bytes=2), model("b", size_bytes=1)])
    setup = setup_for(backend, journal, reported)
    setup.surroundings.battery = True  # type: ignore[attr-defined]
    setup.surroundings.busy = 77.0  # type: ignore[attr-defined]

    async def go() -> RunEnd:
        settings = RunSettings()
        plan = make_plan(PlainWork(2), await backend.list_models(), settings)
        return await start(PlainWork(2), plan, settings, setup)

    end = run(go())
    assert [notice.code for notice in reported.of(Notice)] == ["on_battery", "machine_busy"]
    assert len(reader.run(end.run_id).notices) == 2
    assert any("77 %" in notice for notice in reader.run(end.run_id).notices)


@pytest.mark.parametrize("measured", [True, False])
def test_that_nothing_is_waited_for_between_models_when_memory_is_back_or_not_measured(
    measured: bool, journal: Path, reported: Told
) -> None:
    backend = FakeBackend(
        [model(f"m{number}") for number in range(4)], capabilities=Capabilities(memory=measured)
    )
    run(started(PlainWork(), backend, journal, reported, COLD))
    assert [event.candidate for event in reported.of(CandidateFinished)] == [0, 1, 2, 3]
    assert reported.waits == []
