"""How a qualification run is followed in a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable

from desktop.cli.progress_line import ProgressLine
from desktop.cli.terminal import Terminal
from desktop.reports import text
from desktop.runs.qualification.events import (
    BundleWritten,
    CaptureStarted,
    JudgeProgress,
    QualifyEvent,
    ReplyArrived,
    ScoringBegan,
    Waiting,
)
from packs import numbers

_ENOUGH = 5
"""Replies before the time that is left is reckoned."""


class QualifyProgress(ProgressLine):
    """A listener for one run."""

    def __init__(
        self, terminal: Terminal, monotonic: Callable[[], float] = time.monotonic, *, quiet: bool = False
    ) -> None:
        super().__init__(terminal, monotonic, quiet=quiet)
        self._taken_over = 0
        self._failed = 0

    def on_event(self, event: QualifyEvent) -> None:
        if self._quiet:
            return
        match event:
            case CaptureStarted():
                self._taken_over = event.already_done
                self.begin(event.already_done, event.total)
                kept = f", {event.already_done} kept from before" if event.already_done else ""
                self.say(f"Run {event.run_id}: {numbers.count(event.total, 'request')}{kept}")
                self.now("asking")
            case ReplyArrived():
                self._failed += event.error is not None
                if event.error is not None:
                    self.say(text.one_line(f"{event.case_id}: {event.error}"))
                self._count(event.done, event.total)
            case Waiting():
                self.now(f"{event.case_id}: {event.reason}, tried again in {event.seconds:.1f} s")
            case JudgeProgress():
                self.now(f"judge: {event.done} of {event.total}")
            case ScoringBegan():
                self.now("scoring")
            case BundleWritten():
                self.now("done")

    def _count(self, done: int, total: int) -> None:
        more = [f"{self._failed} failed"] if self._failed else []
        fresh = done - self._taken_over
        if fresh >= _ENOUGH and done < total:
            more.append(f"about {numbers.duration(self.elapsed_s / fresh * (total - done))} left")
        self.count(done, *more)
