"""How a qualification run is followed in a terminal: one line that counts, or sparse lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

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

REDRAW_S = 0.1
SPARSE_S = 10.0
_BAR = 24


class QualifyProgress:
    """A listener for one run, and a context manager that leaves the terminal clean."""

    def __init__(
        self, terminal: Terminal, *, quiet: bool = False, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._terminal = terminal
        self._quiet = quiet
        self._live = terminal.err_is_terminal
        self._monotonic = monotonic
        self._begun = 0.0
        self._taken_over = 0
        self._failed = 0
        self._last = float("-inf")

    def __enter__(self) -> QualifyProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        if self._live and not self._quiet:
            self._terminal.redraw("")

    def say(self, message: str) -> None:
        self.clear()
        self._terminal.note(message)

    def on_event(self, event: QualifyEvent) -> None:
        if self._quiet:
            return
        match event:
            case CaptureStarted():
                self._begun = self._monotonic()
                self._taken_over = event.already_done
                kept = f", {event.already_done} kept from before" if event.already_done else ""
                self.say(f"Run {event.run_id}: {numbers.count(event.total, 'request')}{kept}")
            case ReplyArrived():
                self._failed += event.error is not None
                if event.error is not None:
                    self.say(text.one_line(f"{event.case_id}: {event.error}"))
                self._draw(event.done, event.total)
            case Waiting():
                self._line(f"{event.case_id}: {event.reason}, tried again in {event.seconds:.1f} s")
            case JudgeProgress():
                self._line(f"judge: {event.done} of {event.total}")
            case ScoringBegan():
                self._line("scoring", always=True)
            case BundleWritten():
                self.clear()

    def _draw(self, done: int, total: int) -> None:
        elapsed = self._monotonic() - self._begun
        fresh = done - self._taken_over
        left = ""
        if fresh >= 5 and done < total:
            left = f", about {numbers.duration(elapsed / fresh * (total - done))} left"
        failed = f", {self._failed} failed" if self._failed else ""
        filled = _BAR * done // max(1, total)
        bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] " if self._live else ""
        self._line(f"{bar}{done} of {total}{failed}{left}", always=done == total)

    def _line(self, message: str, *, always: bool = False) -> None:
        now = self._monotonic()
        if not always and now - self._last < (REDRAW_S if self._live else SPARSE_S):
            return
        self._last = now
        shown = text.one_line(message, self._terminal.width() - 1)
        if self._live:
            self._terminal.redraw(shown)
        else:
            self._terminal.note(shown)
