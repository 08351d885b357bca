"""The line that counts in a terminal, for runs of both kinds; sparse lines where there is no terminal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self

from desktop.cli.terminal import Terminal
from desktop.reports import text
from packs import numbers

REDRAW_S = 0.2
"""Between two drawings of the line: seconds must be seen to count, more often would only flicker."""
SPARSE_S = 30.0
"""Without a terminal: at most one line in so many seconds."""
WAITED_S = 2.0
"""What takes longer shows for how long."""
_BAR = 20


class ProgressLine:
    """A context manager: entering starts the counting line, leaving removes it. Any thread may call it.

    quiet: only what `say` says is shown.
    """

    def __init__(
        self, terminal: Terminal, monotonic: Callable[[], float] = time.monotonic, *, quiet: bool = False
    ) -> None:
        self._terminal, self._monotonic, self._quiet = terminal, monotonic, quiet
        self._live = terminal.err_is_terminal and not quiet
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._began = self._since = self._reported_at = monotonic()
        self._done = self._total = 0
        self._more: tuple[str, ...] = ()
        self._message, self._tail = "getting ready", ""

    def __enter__(self) -> Self:
        if self._live:
            self._thread = threading.Thread(target=self._redraw, name="progress line", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._terminal.redraw("")

    @property
    def elapsed_s(self) -> float:
        """Since `begin`."""
        return self._monotonic() - self._began

    def begin(self, done: int, total: int) -> None:
        """Counting starts; `done` were there before."""
        with self._lock:
            self._began, self._done, self._total = self._monotonic(), done, total

    def count(self, done: int, *more: str) -> None:
        """more: said beside the count: '3 failed', '2 – 3 min left'."""
        with self._lock:
            self._done, self._more = done, more
            if self._live or self._quiet or self._monotonic() - self._reported_at < SPARSE_S:
                return
            self._reported_at = self._monotonic()
            self._terminal.note(f"  {self._counts()}")

    def now(self, message: str, since: float | None = None) -> None:
        """What is being done. since: as `monotonic` has it, None for now."""
        with self._lock:
            self._message, self._tail = text.one_line(message), ""
            self._since = self._monotonic() if since is None else since

    def tail(self, shown: str) -> None:
        """The end of what is being written; stands until the next `now`."""
        with self._lock:
            self._tail = shown

    def say(self, message: str) -> None:
        """A line for the person that stays, above the counting one."""
        with self._lock:
            if self._live:
                self._terminal.redraw("")
            self._terminal.note(message)

    def _redraw(self) -> None:
        while not self._over.wait(REDRAW_S):
            with self._lock:
                self._terminal.redraw(self.drawn())

    def drawn(self) -> str:
        """The line as it stands now."""
        width = self._terminal.columns() - 1
        bar = self._bar()
        rest = f"{self._counts()}  {self._message}"
        if self._tail.strip():
            rest += f": {self._tail}"
        elif (waited := self._monotonic() - self._since) >= WAITED_S:
            rest += f", {numbers.duration(waited)}"
        if len(bar) + 1 + len(rest) > width:
            rest = rest[: max(10, width - len(bar) - 2)] + "…"
        return f"{self._terminal.style(bar, 'accent', err=True)} {rest}"

    def _bar(self) -> str:
        filled = round(_BAR * self._done / self._total) if self._total else 0
        full, empty = ("█", "░") if self._terminal.can_show("█░", err=True) else ("#", ".")
        return full * filled + empty * (_BAR - filled)

    def _counts(self) -> str:
        return ", ".join((f"{self._done}/{self._total}", numbers.duration(self.elapsed_s), *self._more))
