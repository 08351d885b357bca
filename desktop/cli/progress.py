"""How a run is followed in a terminal: one line that counts, or sparse lines where there is none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

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

REDRAW_S = 0.2
"""Between two drawings of the line: seconds must be seen to count, more often would only flicker."""
SPARSE_S = 30.0
"""Without a terminal: at most one line in so many seconds, beside beginnings and ends of models."""
_BAR = 20
_TAIL = 32
"""Characters of the answer being written that are shown."""


class RunProgress:
    """A listener for one run, and a context manager: entering starts the counting line, leaving removes it."""

    def __init__(self, terminal: Terminal, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._terminal = terminal
        self._monotonic = monotonic
        self._live = terminal.err_is_terminal
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._names: tuple[str, ...] = ()
        self._began = monotonic()
        self._done = self._total = 0
        self._left: TimeLeft | None = None
        self._message = "getting ready"
        self._since = self._began
        self._tail = ""
        self._reported_at = self._began
        self.run_id = ""

    def __enter__(self) -> RunProgress:
        if self._live:
            self._thread = threading.Thread(target=self._count, name="progress line", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._terminal.redraw("")

    def on_event(self, event: RunEvent) -> None:
        """Takes every event of the run, from any thread."""
        with self._lock:
            self._take(event)

    def say(self, message: str) -> None:
        """A line for the person that stays, above the counting one."""
        with self._lock:
            if self._live:
                self._terminal.redraw("")
            self._terminal.note(message)

    def _take(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self.run_id = event.run_id
                self._names, self._total, self._done = event.candidates, event.units_total, event.units_done
                self._began = self._monotonic()
            case CandidateStarted():
                self._now(self._who(event.candidate) + "getting ready")
                self.say(f"{self._name(event.candidate)} …")
            case Activity():
                self._now(self._who(event.candidate) + event.message, event.since)
            case CandidateLoaded():
                for note in event.notes:
                    self.say(f"  {text.one_line(note)}")
            case UnitStarted():
                self._now(f"{self._who(event.key.candidate)}example {text.one_line(event.key.example, 20)}")
            case TextArrived():
                self._tail = (self._tail + text.one_line(event.text.replace("\n", " ")))[-_TAIL:]
            case UnitFinished():
                self._done += 1
                self._sparse()
            case TimeLeft():
                self._left = event
            case CandidateFinished():
                self._finished(event)
            case Notice():
                self.say(f"  {text.one_line(event.message)}")
            case RunFinished():
                self._now(event.message)

    def _now(self, message: str, since: float | None = None) -> None:
        self._message = message
        self._since = self._monotonic() if since is None else since
        self._tail = ""

    def _finished(self, event: CandidateFinished) -> None:
        peak = f", {numbers.gibibytes(event.peak_mib)} at its peak" if event.peak_mib is not None else ""
        reason = f": {text.one_line(event.reason)}" if event.reason else ""
        self.say(
            f"  {self._name(event.candidate)} {_STATUS_TEXT.get(event.status, event.status)}{peak}{reason}"
        )

    def _sparse(self) -> None:
        if self._live or self._monotonic() - self._reported_at < SPARSE_S:
            return
        self._reported_at = self._monotonic()
        self._terminal.note(f"  {self._counts()}")

    def _count(self) -> None:
        while not self._over.wait(REDRAW_S):
            with self._lock:
                self._terminal.redraw(self._line())

    def _line(self) -> str:
        width = self._terminal.columns() - 1
        bar = self._bar()
        rest = f"{self._counts()}  {self._message}"
        if self._tail.strip():
            rest += f": {self._tail}"
        elif (waited := self._monotonic() - self._since) >= 2:
            rest += f", {numbers.duration(waited)}"
        if len(bar) + 1 + len(rest) > width:
            rest = rest[: max(10, width - len(bar) - 2)] + "…"
        return f"{self._terminal.style(bar, 'accent', err=True)} {rest}"

    def _bar(self) -> str:
        filled = round(_BAR * self._done / self._total) if self._total else 0
        full, empty = ("█", "░") if self._terminal.can_show("█░", err=True) else ("#", ".")
        return full * filled + empty * (_BAR - filled)

    def _counts(self) -> str:
        parts = [f"{self._done}/{self._total}", numbers.duration(self._monotonic() - self._began)]
        if self._left is not None and self._left.low_s is not None and self._left.high_s is not None:
            parts.append(f"{span(self._left.low_s, self._left.high_s)} left")
        return ", ".join(parts)

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
