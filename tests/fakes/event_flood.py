"""Events of a large run at a set pace, from a thread of their own, as the engine would tell them."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator

from desktop.runs.events import (
    Activity,
    CandidateFinished,
    CandidateLoaded,
    CandidateStarted,
    MemoryMeasured,
    RunEvent,
    RunFinished,
    RunStarted,
    TextArrived,
    TimeLeft,
    UnitFinished,
    UnitKey,
    UnitStarted,
)
from packs.task.outcome import Cause

_CAUSES = (*[Cause.CORRECT] * 6, Cause.WRONG, Cause.UNREADABLE, Cause.GATE_FAILED, Cause.PARTLY_CORRECT)


def flood(candidates: int, examples: int, repetitions: int, pieces: int = 6) -> Iterator[list[RunEvent]]:
    """Lists of events, one list a unit; `pieces` of text in each answer."""
    names = tuple(f"model-{number:02}" for number in range(candidates))
    ids = tuple(f"{number:04}" for number in range(1, examples + 1))
    total = candidates * examples * repetitions
    yield [RunStarted("flood", total, names, ids, repetitions)]
    done = 0
    for candidate in range(candidates):
        yield [CandidateStarted(candidate), CandidateLoaded(candidate, 1_000.0, ())]
        for repetition, example in itertools.product(range(1, repetitions + 1), ids):
            key = UnitKey(candidate, example, repetition)
            cause = _CAUSES[done % len(_CAUSES)]
            done += 1
            right = cause is Cause.CORRECT
            events: list[RunEvent] = [
                UnitStarted(key, 142),
                Activity(
                    candidate, f"{names[candidate]} is writing the answer to {example}", time.monotonic(), True
                ),
            ]
            events += [TextArrived(key, f"piece {number} ") for number in range(pieces)]
            events.append(
                UnitFinished(key, cause, float(right), right, 140.0 + done % 37, 60.0 + done % 11, False)
            )
            events.append(MemoryMeasured(candidate, 500.0, 600.0, 9_000.0))
            events.append(TimeLeft(done / 200, (total - done) / 250, (total - done) / 150, done, total))
            yield events
        yield [CandidateFinished(candidate, "completed", "", 600.0)]
    yield [RunFinished("flood", "finished", "Finished.")]


class Flooder:
    """Pushes `per_second` units a second until the flood ends or `stop` is called."""

    def __init__(
        self, push: Callable[[object], None], lists: Iterator[list[RunEvent]], per_second: float
    ) -> None:
        self._push = push
        self._lists = lists
        self._pace = 1 / per_second
        self._stop = threading.Event()
        self.pushed = 0
        self.thread = threading.Thread(target=self._work, name="flood")

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self._stop.set()
        self.thread.join()

    def _work(self) -> None:
        began = time.perf_counter()
        for number, events in enumerate(self._lists):
            for event in events:
                self._push(event)
            self.pushed = number
            ahead = began + number * self._pace - time.perf_counter()
            if ahead > 0 and self._stop.wait(ahead):
                return
            if self._stop.is_set():
                return
