"""How the run of a task pack is followed in a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable

from desktop.cli.progress_line import ProgressLine
from desktop.cli.terminal import Terminal
from desktop.reports import text
from desktop.runs.events import (
    Activity,
    CandidateFinished,
    CandidateLoaded,
    CandidateStarted,
    Notice,
    RunEvent,
    RunFinished,
    RunStarted,
    TextArrived,
    TimeLeft,
    UnitFinished,
    UnitStarted,
)
from packs import numbers

_TAIL = 32
"""Characters of the answer being written that are shown."""


class RunProgress(ProgressLine):
    """A listener for one run."""

    def __init__(
        self, terminal: Terminal, monotonic: Callable[[], float] = time.monotonic, *, quiet: bool = False
    ) -> None:
        super().__init__(terminal, monotonic, quiet=quiet)
        self._names: tuple[str, ...] = ()
        self._finished = 0
        self._left: tuple[str, ...] = ()
        self._written = ""
        self.run_id = ""

    def on_event(self, event: RunEvent) -> None:
        """Takes every event of the run, from any thread."""
        with self._lock:
            self._take(event)

    def _take(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self.run_id = event.run_id
                self._names, self._finished = event.candidates, event.units_done
                self.begin(event.units_done, event.units_total)
            case CandidateStarted():
                self._step(self._who(event.candidate) + "getting ready")
                self._report(f"{self._name(event.candidate)} …")
            case Activity():
                self._step(self._who(event.candidate) + event.message, event.since)
            case CandidateLoaded():
                for note in event.notes:
                    self._report(f"  {text.one_line(note)}")
            case UnitStarted():
                self._step(f"{self._who(event.key.candidate)}example {text.one_line(event.key.example, 20)}")
            case TextArrived():
                self._written = (self._written + text.one_line(event.text.replace("\n", " ")))[-_TAIL:]
                self.tail(self._written)
            case UnitFinished():
                self._finished += 1
                self.count(self._finished, *self._left)
            case TimeLeft():
                known = event.low_s is not None and event.high_s is not None
                self._left = (f"{span(event.low_s or 0, event.high_s or 0)} left",) if known else ()
            case CandidateFinished():
                self._say_finished(event)
            case Notice():
                self.say(f"  {text.one_line(event.message)}")
            case RunFinished():
                self._step(event.message)

    def _report(self, message: str) -> None:
        """Said only where progress is wanted."""
        if not self._quiet:
            self.say(message)

    def _step(self, message: str, since: float | None = None) -> None:
        self._written = ""
        self.now(message, since)

    def _say_finished(self, event: CandidateFinished) -> None:
        peak = f", {numbers.gibibytes(event.peak_mib)} at its peak" if event.peak_mib is not None else ""
        reason = f": {text.one_line(event.reason)}" if event.reason else ""
        self._report(
            f"  {self._name(event.candidate)} {_STATUS_TEXT.get(event.status, event.status)}{peak}{reason}"
        )

    def _who(self, candidate: int | None) -> str:
        """The model's name before what it does; it goes without saying where there is only one."""
        return "" if candidate is None or len(self._names) < 2 else f"{self._name(candidate)}: "

    def _name(self, candidate: int) -> str:
        return text.one_line(self._names[candidate], 40) if candidate < len(self._names) else "a model"


_STATUS_TEXT = {
    "completed": "finished",
    "failed": "did not finish",
    "oom": "ran out of memory",
    "skipped": "was skipped",
}


def span(low_s: float, high_s: float) -> str:
    """'2 – 3 min', '40 – 70 s', '1 h 5 min – 2 h'."""
    low, high = numbers.duration(low_s), numbers.duration(high_s)
    if low == high:
        return f"about {low}"
    if high_s < 60:
        return f"{low.removesuffix(' s')} – {high}"
    if low_s >= 60 and high_s < 3600:
        return f"{round(low_s / 60)} – {max(round(low_s / 60) + 1, round(high_s / 60))} min"
    return f"{low} – {high}"
