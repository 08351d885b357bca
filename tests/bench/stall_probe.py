"""Measures how long the event loop was held up: a precise timer of 10 ms that notes its gaps."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer, Slot

STEP_MS = 10


class StallProbe(QObject):
    """gaps_ms: time between two turns of the timer; idle they are 10 to 15 ms."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.gaps_ms: list[float] = []
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(STEP_MS)
        self._timer.timeout.connect(self._turn)

    def start(self) -> None:
        self.gaps_ms.clear()
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> float:
        """The longest gap, ms."""
        self._timer.stop()
        return self.longest_ms

    @property
    def longest_ms(self) -> float:
        return max(self.gaps_ms, default=0.0)

    @Slot()
    def _turn(self) -> None:
        now = time.perf_counter()
        self.gaps_ms.append((now - self._last) * 1000)
        self._last = now
