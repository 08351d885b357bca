"""A robot at the window with the patience of a busy machine: its limits end a hang and measure nothing."""

from __future__ import annotations

from typing import Any

from pytestqt.qtbot import QtBot

HANG_MS = 60_000


class PatientBot(QtBot):
    """pytest-qt's robot with other defaults for `timeout`."""

    def waitUntil(self, *given: Any, timeout: int = HANG_MS, **named: Any) -> Any:
        return super().waitUntil(*given, timeout=timeout, **named)

    def waitSignal(self, *given: Any, timeout: int = HANG_MS, **named: Any) -> Any:
        return super().waitSignal(*given, timeout=timeout, **named)

    def waitSignals(self, *given: Any, timeout: int = HANG_MS, **named: Any) -> Any:
        return super().waitSignals(*given, timeout=timeout, **named)

    def waitExposed(self, *given: Any, timeout: int = HANG_MS, **named: Any) -> Any:
        return super().waitExposed(*given, timeout=timeout, **named)

    def waitActive(self, *given: Any, timeout: int = HANG_MS, **named: Any) -> Any:
        return super().waitActive(*given, timeout=timeout, **named)
