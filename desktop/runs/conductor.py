"""The person's wishes on the run's own loop: which task to end, whether to go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from desktop.runs.control import ControlRequest, SetPaused, SkipCandidate, SkipUnit, Stop
from desktop.runs.events import Activity, Paused, RunEvent
from desktop.runs.records import UnitKey


class Conductor:
    """Holds the tasks that a wish may end. `tell` reports events, `monotonic` gives their time."""

    def __init__(
        self, notify: Callable[[RunEvent], None], monotonic: Callable[[], float], *, paused: bool = False
    ) -> None:
        self._notify, self._monotonic = notify, monotonic
        self._main: asyncio.Task[object] | None = None
        self._candidate: tuple[int, asyncio.Task[object]] | None = None
        self._units: dict[UnitKey, asyncio.Task[object]] = {}
        self._skipped: set[UnitKey] = set()
        self._going = asyncio.Event()
        self._reported_paused = False
        self._over = False
        self.stopping = False
        self.skipping_candidate = False
        if not paused:
            self._going.set()

    def run_begins(self, main: asyncio.Task[object]) -> None:
        self._main = main

    def run_ends(self) -> None:
        """Wishes that are on their way are too late: nothing is told after the end."""
        self._over = True

    def candidate_begins(self, index: int, task: asyncio.Task[object]) -> None:
        self._candidate = (index, task)
        self.skipping_candidate = False

    def candidate_ends(self) -> None:
        self._candidate = None

    def unit_begins(self, key: UnitKey, task: asyncio.Task[object]) -> None:
        self._units[key] = task

    def unit_ends(self, key: UnitKey) -> None:
        self._units.pop(key, None)

    def was_skipped(self, key: UnitKey) -> bool:
        """Did the person skip this unit? Answers once."""
        if key in self._skipped:
            self._skipped.discard(key)
            return True
        return False

    async def gate(self) -> None:
        """Returns at once, or when the run goes on after a pause."""
        if self._going.is_set():
            return
        if not self._units and not self._reported_paused:
            self._reported_paused = True
            self._notify(Paused(True))
        await self._going.wait()

    def on_request(self, request: ControlRequest) -> None:
        """Called on the loop."""
        if self._over:
            return
        match request:
            case Stop():
                if self._main is not None and not self.stopping:
                    self.stopping = True
                    self._main.cancel()
            case SkipCandidate(index):
                self._skip_candidate(index)
            case SkipUnit(key):
                for present, task in list(self._units.items()):
                    if key is None or key == present:
                        self._skipped.add(present)
                        task.cancel()
            case SetPaused(paused):
                self._pause(paused)

    def _skip_candidate(self, index: int | None) -> None:
        if self._candidate is None or self.skipping_candidate or index not in (None, self._candidate[0]):
            return
        self.skipping_candidate = True
        self._candidate[1].cancel()

    def _pause(self, paused: bool) -> None:
        if paused:
            self._going.clear()
            if self._units:
                index = next(iter(self._units)).candidate
                self._notify(
                    Activity(
                        index, "finishing the present answer, then pausing", self._monotonic(), can_skip=True
                    )
                )
            return
        self._going.set()
        if self._reported_paused:
            self._reported_paused = False
            self._notify(Paused(False))
