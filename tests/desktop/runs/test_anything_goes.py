"""Whatever a backend does and a person wishes: no unit is lost, nothing stays loaded or locked."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from desktop.inference.backends.base import FaultKind
from desktop.runs.control import RunControl
from desktop.runs.engine import RunEnd
from desktop.runs.events import Paused, RunEvent, RunFinished, UnitFinished, UnitStarted
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunStatus, UnitStatus
from desktop.runs.resume import go_on
from desktop.runs.settings import RunSettings
from packs.task.outcome import Cause, CauseKind
from tests.fakes.fake_backend import Answer, FakeBackend, fault
from tests.fakes.plain_work import PlainWork
from tests.fakes.runs import Told, model, setup_for, started

CANDIDATES, EXAMPLES, REPETITIONS = 3, 4, 2


def unruly(choice: random.Random) -> FakeBackend:
    """Models that fail, stall and lie now and then."""

    def special(word: str, nth: int) -> Answer | str | None:
        roll = choice.random()
        if roll < 0.10:
            return Answer(fault=fault(choice.choice(list(FaultKind))), text="so far", fault_after=1)
        if roll < 0.14:
            return Answer("never", stall=choice.choice(["before", "within"]))
        if roll < 0.20:
            return Answer("", finish_reason=choice.choice(["stop", "length"]))
        return None

    models = [model(f"model {number}", special, size_bytes=number) for number in range(1, CANDIDATES + 1)]
    for entry in models:
        if choice.random() < 0.15:
            entry.load_fault = fault(choice.choice(list(FaultKind)))
        elif choice.random() < 0.1:
            entry.load_stalls = True
    return FakeBackend(models)


def fickle(choice: random.Random, control: RunControl) -> Told:
    """A person who wishes something at every tenth event, and helps out of every stall."""
    reported = Told()

    requests = (control.skip_unit, control.skip_candidate, control.pause, control.stop, control.go_on)

    def on_event(event: RunEvent) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(event, Paused) and event.paused:
            loop.call_soon(control.go_on)
        if choice.random() < 0.03:
            loop.call_soon(choice.choice(requests))

    reported.on_event = on_event
    return reported


async def with_help(run: asyncio.Task[RunEnd], control: RunControl, choice: random.Random) -> RunEnd:
    """A stalled model is skipped, or the run stopped, after a moment."""
    while not run.done():
        await asyncio.wait([run], timeout=0.05)
        if not run.done():
            choice.choice([control.skip_unit, control.skip_candidate, control.stop])()
            control.go_on()
    return run.result()


def check(journal: Path, reported: Told, backend: FakeBackend, end: RunEnd) -> None:
    assert backend.loaded is None
    with JournalReader(journal) as reader:
        assert reader.lock_holder() is None
        summary = reader.summary(end.run_id)
        rows = reader.units(end.run_id)
        assert len(rows) == summary.units == CANDIDATES * EXAMPLES * REPETITIONS
        assert summary.status is end.status
        if end.status is RunStatus.FINISHED:
            assert summary.pending == 0
        for row in rows:
            if row.status is UnitStatus.PENDING:
                assert row.cause is None
            elif row.status is UnitStatus.COMPLETED:
                assert row.cause is not None and row.score is not None
            else:
                assert row.score is None and row.cause is not None
                assert row.cause.kind in (CauseKind.NOT_THE_MODEL, CauseKind.DID_NOT_HAPPEN)
        ended = [event.key for event in reported.of(UnitFinished)]
        assert len(ended) == len(set(ended)) == len(rows) - summary.pending
        assert {event.key for event in reported.of(UnitStarted)} <= {row.key for row in rows}
    assert isinstance(reported.events[-1], RunFinished)
    assert len(reported.of(RunFinished)) == 1


@pytest.mark.parametrize("seed", range(40))
def test_that_no_unit_is_lost_and_going_on_completes_the_run(seed: int, tmp_path: Path) -> None:
    choice = random.Random(seed)
    journal = tmp_path / "runs.db"
    control = RunControl()
    backend, reported = unruly(choice), fickle(choice, control)
    work = PlainWork(EXAMPLES, repetitions=REPETITIONS)
    settings = RunSettings(parallel=choice.choice([1, 1, 3]), cold=True, health_check=choice.random() < 0.5)

    async def first() -> RunEnd:
        task = asyncio.create_task(started(work, backend, journal, reported, settings, control))
        return await with_help(task, control, choice)

    end = asyncio.run(first())
    check(journal, reported, backend, end)

    sound = FakeBackend([model(f"model {number}", size_bytes=number) for number in range(1, CANDIDATES + 1)])
    last = asyncio.run(go_on(end.run_id, lambda _: work, setup_for(sound, journal, Told()), retry_failed=True))
    assert last.status is RunStatus.FINISHED
    with JournalReader(journal) as reader:
        assert reader.summary(end.run_id).completed == CANDIDATES * EXAMPLES * REPETITIONS
        causes = {row.cause for row in reader.units(end.run_id)}
        assert causes <= {Cause.CORRECT, Cause.WRONG, Cause.EMPTY, Cause.ANSWER_CUT, Cause.TEMPLATE_SUSPECTED}
