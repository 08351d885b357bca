"""Counts work by function calls, of Python and of C: the same on any machine at any load, other than time.

A long step of the window is one that does much between two turns of the event loop; work that grows faster
than its input shows in the calls for twice the input. Times are in `tests/bench`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, Qt, QTimer, Slot


def calls_of(work: Callable[[], object]) -> int:
    """How many functions `work` calls on this thread, itself among them."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        if event in ("call", "c_call"):
            counted += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


class TurnProbe(QObject):
    """From `start` to `stop`: the calls that the window's thread makes between two turns of its event loop."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.turns = 0
        self._most = 0
        self._calls = 0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(1)
        self._timer.timeout.connect(self._turn)

    def start(self) -> None:
        self.turns = self._most = self._calls = 0
        self._timer.start()
        sys.setprofile(self._count)

    def stop(self) -> int:
        """The maximum of calls in one turn."""
        sys.setprofile(None)
        self._timer.stop()
        return max(self._most, self._calls)

    def _count(self, _frame: FrameType, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            self._calls += 1

    @Slot()
    def _turn(self) -> None:
        self.turns += 1
        self._most = max(self._most, self._calls)
        self._calls = 0
