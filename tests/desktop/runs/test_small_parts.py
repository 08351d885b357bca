"""The small rules of a run: when to ask again, what counts as a cut input, what a sound model does."""

from __future__ import annotations

import asyncio
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.inference.backends.base import BackendFault, FaultKind, Generation, MemorySample, Timing
from desktop.inference.backends.retry import TASK_RUN, Refusal, RetryRule, qualification_rule
from desktop.inference.machine.probe_processor import default_threads
from desktop.runs import surroundings
from desktop.runs.after_candidate import let_memory_settle
from desktop.runs.canary import InputCanary, cannot_be_cut
from desktop.runs.control import RunControl
from desktop.runs.failures import failed, meaning, own_text, refusal_of
from desktop.runs.health import Health, health_of, with_suspicion
from desktop.runs.journal.connection import days_before
from desktop.runs.journal.storable import finite, storable, storable_text, to_json
from desktop.runs.memory_watch import MAX_POINTS, MemoryWatch
from desktop.runs.notices import Surrounding
from desktop.runs.records import UnitKey
from desktop.runs.repetition import AdaptiveRepetition
from desktop.runs.strict import strictly
from desktop.runs.surroundings import ThisComputer
from packs.task.outcome import Cause, CauseKind, Outcome
from tests.fakes.runs import QuietComputer


def answer(text: str, tokens: int | None, finish: str = "stop", reasoning: str = "") -> Generation:
    return Generation(text, reasoning, finish, Timing(1.0, 2.0, 3.0, 10, 0, tokens, chunks=3), {})


@pytest.mark.parametrize("kind", FaultKind)
def test_that_every_fault_has_a_cause_that_does_not_speak_against_the_model(kind: FaultKind) -> None:
    fault = BackendFault(kind, "It failed.", "Do this.", detail="server's words")
    assert failed(fault).cause.kind is CauseKind.NOT_THE_MODEL
    assert failed(fault).score is None
    assert failed(fault).reason == "It failed. Do this."
    assert own_text(fault) == "server's words"


def test_that_only_transport_faults_are_tried_again_and_twice_at_most() -> None:
    transient = {kind for kind in FaultKind if meaning(BackendFault(kind, "")).transient}
    assert transient == {FaultKind.NOT_REACHABLE, FaultKind.BUSY}
    fault = BackendFault(FaultKind.NOT_REACHABLE, "")
    assert refusal_of(fault) == Refusal("", None)
    assert refusal_of(BackendFault(FaultKind.BUSY, "later", retry_after_s=30.0)) == Refusal("later", 30.0)
    assert refusal_of(BackendFault(FaultKind.TIMED_OUT, "")) is None


@pytest.mark.parametrize(
    ("rule", "asked_s", "waits"),
    [
        (TASK_RUN, None, [1.0, 2.0, None]),
        (TASK_RUN, 30.0, [30.0, 30.0, None]),
        (TASK_RUN, 61.0, [None, None, None]),
        (qualification_rule(5), None, [0.2, 0.4, 0.8, 1.6, 2.0, None]),
        (qualification_rule(2), 3600.0, [120.0, 120.0, None]),
        (qualification_rule(0), None, [None]),
    ],
)
def test_that_waits_double_are_bounded_and_heed_the_server(
    rule: RetryRule, asked_s: float | None, waits: list[float | None]
) -> None:
    assert [rule.wait_s(attempts, asked_s) for attempts in range(1, len(waits) + 1)] == waits


def test_that_a_short_prompt_needs_no_counting() -> None:
    assert cannot_be_cut("x" * 1000, 512, 4096)
    assert not cannot_be_cut("x" * 4000, 512, 4096)
    assert not cannot_be_cut("x", 1, None)


def test_that_an_exact_count_finds_a_cut_input_and_allows_for_marks() -> None:
    canary = InputCanary(4096)
    assert canary.cut("prompt", 98, 100) == ""
    assert "read 60 of 100 prompt tokens" in canary.cut("prompt", 60, 100)
    assert canary.cut("prompt", None, 100) == ""


def test_that_without_a_count_a_prompt_that_grew_and_was_not_read_is_found() -> None:
    canary = InputCanary(1024)
    for size in (400, 800, 1600, 3600):
        assert canary.cut("x" * size, size // 4, None) == ""
    assert "the input was cut" in canary.cut("x" * 16_000, 1000, None)
    assert canary.cut("x" * 16_000, 300, None) == "", "far from the context: not cut for length"


def test_that_the_first_prompt_of_all_is_found_cut_as_well() -> None:
    message = "The parcel did not come. " * 640
    assert "the input was cut" in InputCanary(2048).cut(message, 1000, None)
    assert InputCanary(2048).cut("The parcel." * 640, 1200, None) == ""
    dashes = "-" * 16_000 + "\n" + " " * 16_000
    assert InputCanary(1024).cut(dashes, 700, None) == "", "one token may stand for many equal signs"


def test_that_a_prompt_that_fills_the_whole_context_was_cut() -> None:
    assert "the input was cut" in InputCanary(1024, loaded=1024).cut("word " * 1100, 1024, None)
    assert InputCanary(1024, loaded=1024).cut("word " * 1000, 1000, None) == ""
    assert InputCanary(1024).cut("word " * 1100, 1100, None) == "", "the server may hold more than was wanted"


def test_that_a_model_is_sound_unless_it_ends_at_once_or_never() -> None:
    assert health_of(answer("I am an assistant.", 6)) is Health.SOUND
    assert health_of(answer("I", 1)) is Health.ENDS_AT_ONCE
    assert health_of(answer("", 0)) is Health.ENDS_AT_ONCE
    assert health_of(answer("la " * 96, 96, "length")) is Health.NEVER_ENDS
    assert health_of(answer("<think>hm", 96, "length")) is Health.SOUND
    assert health_of(answer("", 96, "length", reasoning="hm")) is Health.SOUND


@pytest.mark.parametrize("cause", [Cause.CORRECT, Cause.REASONING_USED_IT_UP, Cause.INPUT_CUT])
def test_that_a_suspicion_leaves_these_causes_alone(cause: Cause) -> None:
    outcome = Outcome(cause, 0.0, False, "")
    assert with_suspicion(outcome, answer("x", 1), Health.ENDS_AT_ONCE) == outcome


def test_that_a_suspicion_needs_the_same_fault_in_the_answer() -> None:
    outcome = Outcome(Cause.WRONG, 0.0, False, "Another label.")
    assert with_suspicion(outcome, answer("a longer answer", 9), Health.ENDS_AT_ONCE) == outcome
    assert with_suspicion(outcome, answer("billing", 2), Health.NEVER_ENDS) == outcome
    suspected = with_suspicion(outcome, answer("x", 1), Health.ENDS_AT_ONCE)
    assert suspected.cause is Cause.TEMPLATE_SUSPECTED
    assert suspected.score == 0.0


@pytest.mark.parametrize(
    "score, passed, cause",
    [(0.0, False, Cause.UNREADABLE), (0.5, False, Cause.PARTLY_CORRECT), (1.0, True, Cause.CORRECT)],
)
def test_that_a_strict_score_brings_a_cause_that_goes_with_it(score: float, passed: bool, cause: Cause) -> None:
    ours = Outcome(Cause.WRONG if passed else Cause.CORRECT, float(not passed), not passed, "r", score, passed)
    strict = strictly(ours)
    assert (strict.score, strict.passed, strict.cause) == (score, passed, cause)
    assert strictly(strict) == strict


def test_that_memory_is_waited_for_and_told_when_it_does_not_come_back() -> None:
    computer = QuietComputer()
    clock = [0.0]

    async def sleep(seconds: float) -> None:
        clock[0] += seconds
        computer.used -= 100

    computer.used = 2000.0
    assert asyncio.run(let_memory_settle(computer, 1000.0, lambda: clock[0], sleep)) is None
    assert computer.used <= 1256.0

    async def sleep_in_vain(seconds: float) -> None:
        clock[0] += seconds

    computer.used = 2000.0
    before = clock[0]
    assert asyncio.run(let_memory_settle(computer, 1000.0, lambda: clock[0], sleep_in_vain)) == 1000.0
    assert clock[0] - before == 15.0


def test_that_a_long_memory_line_is_thinned_and_keeps_its_peak() -> None:
    used = iter([900.0, *([500.0] * (3 * MAX_POINTS))])
    reported: list[MemorySample] = []
    watch = MemoryWatch(
        lambda: MemorySample(next(used), 0.0, "as the test says"), reported.append, monotonic=lambda: 0.0
    )
    for _ in range(3 * MAX_POINTS):
        watch.take()
    assert len(watch.line) < MAX_POINTS
    assert watch.peak_mib == 900.0
    assert len(reported) == 3 * MAX_POINTS


def test_that_a_backend_without_memory_leaves_no_line() -> None:
    async def watched() -> MemoryWatch:
        async with MemoryWatch(lambda: None, lambda sample: None, monotonic=lambda: 0.0) as watch:
            await asyncio.sleep(0)
        return watch

    watch = asyncio.run(watched())
    assert (watch.peak_mib, watch.method, watch.line) == (None, None, [])


def test_that_each_notice_is_told_once_and_a_quiet_machine_tells_none() -> None:
    computer = QuietComputer()
    around = Surrounding(computer)
    assert around.before_a_model() == around.while_working() == []
    computer.battery, computer.busy = True, 80.0
    assert [notice.code for notice in around.before_a_model()] == ["on_battery", "machine_busy"]
    assert around.before_a_model() == around.while_working() == []


def test_that_a_processor_that_stays_slow_under_work_is_told() -> None:
    class Hot(QuietComputer):
        clocks = iter([40.0, 90.0, 40.0, 40.0, 40.0])

        def clock_percent(self) -> float | None:
            return next(self.clocks)

    around = Surrounding(Hot())
    looks = [around.while_working() for _ in range(5)]
    assert looks[:4] == [[]] * 4
    assert [notice.code for notice in looks[4]] == ["throttled"]
    assert "40 %" in looks[4][0].message


def test_that_this_computer_can_be_asked() -> None:
    computer = ThisComputer()
    free, used = computer.free_mib(), computer.used_mib()
    assert free is not None and free > 0
    assert used is not None and used > 0
    assert computer.busy_percent() is None, "no second has gone by"
    assert computer.on_battery() in (None, True, False)
    clock = computer.clock_percent()
    assert clock is None or clock > 0
    assert default_threads() >= 1


@given(st.integers(0, 60), st.integers(1, 4))
def test_that_adaptive_order_keeps_every_unit_once(examples: int, repetitions: int) -> None:
    names = [f"{number:03}" for number in range(examples)]
    keys = [UnitKey(0, name, repetition) for repetition in range(1, repetitions + 1) for name in names]
    adaptive = AdaptiveRepetition(names)
    ordered = adaptive.order(keys)
    assert sorted(ordered) == sorted(keys)
    assert [key.repetition for key in ordered[:examples]] == [1] * min(examples, len(ordered))
    assert len(set(adaptive.sample)) == len(adaptive.sample) <= max(5, examples)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_that_anything_can_be_stored_and_read_back_as_json(value: object) -> None:
    text = to_json(value)
    assert json.loads(text) == storable(value)
    assert to_json(storable(value)) == text


@given(st.text(st.characters(codec=None), max_size=40))  # lone surrogates included
def test_that_any_text_becomes_one_that_can_be_stored(text: str) -> None:
    stored = storable_text(text)
    stored.encode("utf-8")
    assert storable_text(stored) == stored


def test_that_deep_nesting_is_cut_and_numbers_that_are_none_are_unknown() -> None:
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    assert "nested too deep" in to_json(deep)
    assert [finite(value) for value in (1.5, None, math.nan, math.inf)] == [1.5, None, None, None]


def test_that_wishes_before_and_after_a_run_are_harmless() -> None:
    control = RunControl()
    control.skip_unit()
    control.skip_candidate(3)
    control.pause()
    assert control.paused
    control.go_on()
    loop = asyncio.new_event_loop()
    control.listen(loop, lambda request: None)
    loop.close()
    control.skip_unit()
    control.deaf()
    control.stop()
    assert control.stopped


def test_that_days_are_counted_back() -> None:
    assert days_before("2026-03-01T00:00:00Z", 30) == "2026-01-30T00:00:00Z"


def test_that_own_work_is_not_taken_for_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    times = [surroundings.ProcessorTimes(0.0, 0.0, 0.0), surroundings.ProcessorTimes(20.0, 12.0, 9.0)]
    monkeypatch.setattr(surroundings, "processor_times", lambda: times.pop(0))
    monkeypatch.setattr(surroundings.time, "monotonic", lambda: clock[0])
    computer = ThisComputer()
    clock[0] = 10.0
    assert computer.busy_percent() == 15.0
    clock[0] = 10.5
    assert computer.busy_percent() is None
