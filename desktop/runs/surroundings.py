"""What else goes on in this computer while a run measures: memory, battery, other programs."""

from __future__ import annotations

import os
import time
from typing import Protocol

import psutil

MIB = 2**20

SHORTEST_LOOK_S = 1.0
"""A shorter look at the processors says nothing."""


class Surroundings(Protocol):
    """All cheap, none blocks, any thread. Unknown is None."""

    def free_mib(self) -> float | None:
        """Memory a new program could have."""

    def used_mib(self) -> float | None: ...

    def on_battery(self) -> bool | None: ...

    def busy_percent(self) -> float | None:
        """Share of all processors in use since the last call, 0 to 100; None when that is no second ago."""

    def clock_percent(self) -> float | None:
        """Processor clock as a share of its highest, 0 to 100."""


class ThisComputer:
    """By psutil."""

    def __init__(self) -> None:
        psutil.cpu_percent(interval=None)
        self._asked = time.monotonic()

    def free_mib(self) -> float | None:
        return float(psutil.virtual_memory().available) / MIB

    def used_mib(self) -> float | None:
        memory = psutil.virtual_memory()
        return float(memory.total - memory.available) / MIB

    def on_battery(self) -> bool | None:
        try:
            battery = psutil.sensors_battery()
        except (AttributeError, OSError, RuntimeError):
            return None
        return None if battery is None or battery.power_plugged is None else not battery.power_plugged

    def busy_percent(self) -> float | None:
        now = time.monotonic()
        if now - self._asked < SHORTEST_LOOK_S:
            return None
        self._asked = now
        return float(psutil.cpu_percent(interval=None))

    def clock_percent(self) -> float | None:
        try:
            clock = psutil.cpu_freq()
        except (AttributeError, OSError, RuntimeError, NotImplementedError):
            return None
        return 100.0 * clock.current / clock.max if clock and clock.max else None


def physical_cores() -> int:
    """At least 1."""
    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


def default_threads() -> int:
    """Physical cores but one, so that window and system keep breathing; at least 1."""
    return max(1, physical_cores() - 1)
