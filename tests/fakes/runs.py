"""A whole run over the fake backend, with everything that it told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from desktop.inference.backends.base import Backend
from desktop.runs.control import RunControl
from desktop.runs.engine import RunEnd, start
from desktop.runs.events import RunEvent, UnitFinished
from desktop.runs.health import QUESTION
from desktop.runs.memory_watch import INTERVAL_S
from desktop.runs.plan import make_plan
from desktop.runs.records import UnitKey
from desktop.runs.settings import RunSettings
from desktop.runs.setup import RunSetup
from desktop.runs.work import Work
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel

HEALTHY = "one two three four five six seven eight nine ten"
"""What a sound model says to the first check."""

E = TypeVar("E")


Special = Callable[[str, int], Answer | str | None]
"""What to say to a prompt, by its last word and how often it was asked; None: PlainWork's right answer."""


def nothing_special(word: str, nth: int) -> None:
    return None


def repeating(special: Special = nothing_special) -> Callable[[str, int], Answer | str]:
    """PlainWork's right answers, but what `special` gives."""

    def answers(prompt: str, nth: int) -> Answer | str:
        if prompt == QUESTION:
            return HEALTHY
        word = prompt.rsplit(" ", 1)[-1]
        scripted = special(word, nth)
        return word if scripted is None else scripted

    return answers


def model(name: str = "quick", special: Special = nothing_special, **facts: object) -> FakeModel:
    """A sound model that knows PlainWork's answers."""
    return FakeModel(name, answers=repeating(special), **facts)  # type: ignore[arg-type]


class QuietComputer:
    """Nothing else goes on."""

    def __init__(self) -> None:
        self.used = 1000.0
        self.battery: bool | None = None
        self.busy: float | None = None

    def free_mib(self) -> float | None:
        return 8000.0

    def used_mib(self) -> float | None:
        return self.used

    def on_battery(self) -> bool | None:
        return self.battery

    def busy_percent(self) -> float | None:
        return self.busy

    def clock_percent(self) -> float | None:
        return 100.0


@dataclass
class Told:
    """All events, and the waits that were asked for (not waited)."""

    events: list[RunEvent] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    on_event: Callable[[RunEvent], None] = lambda event: None

    def __call__(self, event: RunEvent) -> None:
        self.events.append(event)
        self.on_event(event)

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def sleep(self, seconds: float) -> None:
        if seconds == INTERVAL_S:
            await asyncio.sleep(seconds)
            return
        self.waits.append(seconds)
        await asyncio.sleep(0)


def setup_for(backend: Backend, journal: Path, reported: Told, control: RunControl | None = None) -> RunSetup:
    return RunSetup(
        backend,
        journal,
        on_event=reported,
        control=control or RunControl(),
        machine={"cpu": "a fake"},
        command="packbench run plain",
        surroundings=QuietComputer(),
        now=lambda: "2026-11-30T10:15:00Z",
        sleep=reported.sleep,
    )


async def started(
    work: Work,
    backend: FakeBackend,
    journal: Path,
    reported: Told,
    settings: RunSettings | None = None,
    control: RunControl | None = None,
) -> RunEnd:
    """Plan and run over all models of the backend."""
    settings = settings or RunSettings()
    plan = make_plan(work, await backend.list_models(), settings)
    return await start(work, plan, settings, setup_for(backend, journal, reported, control))


def finished_keys(reported: Told) -> Sequence[UnitKey]:
    return [event.key for event in reported.of(UnitFinished)]
