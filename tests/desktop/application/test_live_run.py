from __future__ import annotations

import tracemalloc

import pytest

from desktop.application.live_run import CandidateFacts, LiveRun
from desktop.application.strongest_cause import strongest
from desktop.runs.events import (
    Activity,
    CandidateFinished,
    CandidateLoaded,
    CandidateStarted,
    MemoryMeasured,
    Notice,
    Paused,
    RunFinished,
    RunStarted,
    TextArrived,
    UnitFinished,
    UnitKey,
    UnitStarted,
)
from desktop.runs.records import SKIPPED_BY_YOU, CandidateRecord, CandidateStatus, UnitRow, UnitStatus
from packs.task.outcome import Cause

AT = "10:07:41"


def finished(candidate: int, example: str, cause: Cause, repetition: int = 1, **more: object) -> UnitFinished:
    figures: dict[str, object] = {"ttft_ms": None, "tokens_per_second": None, "cold": None, **more}
    passed = cause is Cause.CORRECT
    return UnitFinished(UnitKey(candidate, example, repetition), cause, float(passed), passed, **figures)  # type: ignore[arg-type]


def unit_row(candidate: int, example: str) -> UnitRow:
    figures = ("ttft_ms", "wall_ms", "tokens_per_second", "prompt_tokens", "cached_tokens", "output_tokens")
    unknown = dict.fromkeys((*figures, "strict_score", "strict_passed", "failed_gate", "finish_reason", "cold"))
    return UnitRow(
        candidate, int(example) - 1, example, 1, UnitStatus.COMPLETED, Cause.CORRECT, 1.0, True,
        near_misses=(), retried=False, **unknown,
    )  # type: ignore[arg-type]  # fmt: skip


def candidate_record(
    index: int, status: CandidateStatus, reason: str = "", peak_mib: float | None = None
) -> CandidateRecord:
    return CandidateRecord(
        "r1", index, f"model-{index}", None, None, None, None, None, status, reason, "fits", None, {},
        peak_mib, None, None, None,
    )  # fmt: skip


def begun(candidates: int = 2, examples: int = 4, repetitions: int = 1) -> LiveRun:
    run = LiveRun({"model-0": CandidateFacts("Q8_0", 390.0)})
    names = tuple(f"model-{number}" for number in range(candidates))
    ids = tuple(f"{number:03}" for number in range(1, examples + 1))
    run.apply([RunStarted("r1", candidates * examples * repetitions, names, ids, repetitions)], AT)
    return run


def test_that_right_answers_are_counted_with_their_interval() -> None:
    run = begun()
    run.apply([finished(0, "001", Cause.CORRECT), finished(0, "002", Cause.WRONG)], AT)
    line = run.line(0)
    assert (line.right, line.judged, line.done, line.total) == (1.0, 2, 2, 4)
    assert line.interval is not None
    assert line.interval.lower < 0.5 < line.interval.upper
    assert line.quantization == "Q8_0"
    assert run.line(1).right is None
    assert run.line(1).interval is None


def test_that_what_is_not_the_models_doing_speaks_neither_for_nor_against_it() -> None:
    run = begun()
    run.apply([finished(0, "001", Cause.CORRECT), finished(0, "002", Cause.SERVER_ERROR)], AT)
    line = run.line(0)
    assert (line.right, line.judged, line.done) == (1.0, 1, 2)
    assert line.causes == ((Cause.CORRECT, 1), (Cause.SERVER_ERROR, 1))


def test_that_repetitions_of_an_example_count_once() -> None:
    run = begun(repetitions=2)
    run.apply(
        [
            finished(0, "001", Cause.CORRECT, 1),
            finished(0, "001", Cause.WRONG, 2),
            finished(0, "002", Cause.CORRECT, 1),
        ],
        AT,
    )
    assert (run.line(0).right, run.line(0).judged) == (1.5, 2)
    assert run.cell(0, 0) is Cause.WRONG


def test_that_a_batch_names_only_what_it_changed() -> None:
    run = begun()
    changes = run.apply([finished(1, "003", Cause.UNREADABLE)], AT)
    assert changes.lines == {1}
    assert changes.cells == {(1, 2): Cause.UNREADABLE}
    assert not changes.started
    assert not changes.finished


def test_that_the_text_of_the_unit_in_hand_is_kept_and_bounded() -> None:
    run = begun()
    key = UnitKey(0, "001", 1)
    run.apply([UnitStarted(key, 142), TextArrived(key, "The letter"), TextArrived(key, " is")], AT)
    run.apply([TextArrived(UnitKey(0, "002", 1), "somebody else's")], AT)
    assert run.writing is not None
    assert run.writing.text == "The letter is"
    assert run.writing.prompt_tokens == 142
    run.apply([TextArrived(key, "x" * 100_000)], AT)
    assert len(run.writing.text) == 20_000


def test_that_medians_are_those_of_all_units_so_far() -> None:
    run = begun()
    run.apply(
        [finished(0, f"00{n}", Cause.CORRECT, ttft_ms=float(ms)) for n, ms in ((1, 300), (2, 100), (3, 200))],
        AT,
    )
    assert run.line(0).ttft_ms == 200.0
    assert run.line(0).tokens_per_second is None


def test_that_a_candidate_that_ran_out_of_memory_is_told_as_that() -> None:
    run = begun()
    changes = run.apply(
        [
            CandidateStarted(0),
            CandidateLoaded(0, 4_100.0, ("This file has no chat template.",)),
            MemoryMeasured(0, 1_800.0, 1_990.0, 900.0),
            CandidateFinished(0, "oom", "It ran out of memory at example 5.", 1_990.0),
        ],
        AT,
    )
    line = run.line(0)
    assert line.status is CandidateStatus.OOM
    assert line.peak_mib == 1_990.0
    assert line.now_mib is None
    assert [(event.kind, event.subject) for event in changes.events] == [
        ("note", "model-0"),
        ("warn", "model-0"),
        ("bad", "model-0"),
    ]
    assert changes.events[0].message == "loaded in 4.1 s."


def test_that_pausing_and_ending_are_told() -> None:
    run = begun()
    run.apply([Activity(0, "reading", 0.0), Paused(True)], AT)
    assert run.paused
    changes = run.apply([Paused(False), Notice("battery", "On battery."), RunFinished("r1", "stopped", "")], AT)
    assert not run.paused
    assert run.finished is not None
    assert run.activity is None
    assert changes.events[-1].message == "The run is stopped."


def test_that_units_of_examples_nobody_knows_do_no_harm() -> None:
    run = begun()
    run.apply([finished(0, "999", Cause.CORRECT), "not an event"], AT)
    assert run.line(0).done == 0


@pytest.mark.parametrize(
    ("first", "second", "shown"),
    [
        (None, Cause.CORRECT, Cause.CORRECT),
        (Cause.WRONG, Cause.CORRECT, Cause.WRONG),
        (Cause.NOT_RUN, Cause.CORRECT, Cause.CORRECT),
        (Cause.CORRECT, Cause.CRASHED, Cause.CRASHED),
    ],
)
def test_that_a_cell_shows_what_wants_to_be_looked_at(first: Cause | None, second: Cause, shown: Cause) -> None:
    assert strongest(first, second) is shown


def test_that_memory_stays_flat_over_sixty_thousand_units() -> None:
    run = begun(candidates=20, examples=1_000, repetitions=3)
    ids = run.examples
    tracemalloc.start()
    try:
        for candidate in range(20):
            for repetition in (1, 2, 3):
                run.apply(
                    [finished(candidate, example, Cause.CORRECT, repetition, ttft_ms=90.0) for example in ids],
                    AT,
                )
        grown = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert grown < 8_000_000
    assert run.units_done == 60_000


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("", CandidateStatus.COMPLETED),
        (SKIPPED_BY_YOU, CandidateStatus.SKIPPED),
        ("The engine ended three times.", CandidateStatus.FAILED),
    ],
)
def test_that_a_model_with_some_answers_is_finished_only_when_nothing_was_left_out(
    reason: str, status: CandidateStatus
) -> None:
    run = begun()
    run.apply([finished(0, "001", Cause.CORRECT), CandidateFinished(0, "completed", reason)], AT)
    assert run.line(0).status is status


def test_that_a_run_that_broke_off_holds_nothing_in_hand() -> None:
    run = begun()
    run.apply(
        [CandidateStarted(0), MemoryMeasured(0, 700.0, 800.0, 900.0), UnitStarted(UnitKey(0, "001", 1), 9)], AT
    )
    assert not run.line(0).over
    run.abort()
    assert run.writing is None
    assert all(run.line(place).over and run.line(place).now_mib is None for place in range(2))


def test_that_the_last_answer_of_a_model_goes_away_with_it() -> None:
    run = begun()
    run.apply([CandidateStarted(0), UnitStarted(UnitKey(0, "004", 1), 9)], AT)
    changes = run.apply([CandidateFinished(0, "completed", "")], AT)
    assert run.writing is None
    assert changes.writing


def test_that_a_resumed_run_shows_models_without_anything_left_as_they_ended() -> None:
    run = LiveRun()
    run.apply([RunStarted("r1", 6, ("model-0", "model-1", "model-2"), ("001", "002"), 1, units_done=3)], AT)
    rows = [unit_row(0, "001"), unit_row(0, "002"), unit_row(1, "001")]
    records = [
        candidate_record(0, CandidateStatus.COMPLETED, peak_mib=390.0),
        candidate_record(1, CandidateStatus.COMPLETED),
        candidate_record(2, CandidateStatus.OOM, reason="It ran out of memory."),
    ]
    changes = run.preload(rows, records)
    assert [run.line(place).status for place in range(3)] == [
        CandidateStatus.COMPLETED,
        CandidateStatus.WAITING,
        CandidateStatus.OOM,
    ]
    assert run.line(0).peak_mib == 390.0
    assert run.line(2).reason == "It ran out of memory."
    assert changes.lines == {0, 1, 2}
