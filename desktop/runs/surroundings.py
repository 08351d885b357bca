"""What else goes on in this computer while a run measures: memory, battery, other programs."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
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
        """Share of all processors that other programs used since the last call, 0 to 100.

        None when that is no second ago.
        """

    def clock_percent(self) -> float | None:
        """Processor clock as a share of its highest, 0 to 100."""


class ThisComputer:
    """By psutil."""

    def __init__(self) -> None:
        self._asked = time.monotonic()
        self._times = processor_times()

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
        before, self._times = self._times, processor_times()
        elapsed = self._times.all_s - before.all_s
        if elapsed <= 0:
            return None
        others = (self._times.busy_s - before.busy_s) - (self._times.own_s - before.own_s)
        return min(100.0, max(0.0, 100.0 * others / elapsed))

    def clock_percent(self) -> float | None:
        try:
            clock = psutil.cpu_freq()
        except (AttributeError, OSError, RuntimeError, NotImplementedError):
            return None
        return 100.0 * clock.current / clock.max if clock and clock.max else None


@dataclass(frozen=True, slots=True)
class ProcessorTimes:
    """Seconds of all processors together since the system started; own_s: this program and ended children."""

    all_s: float
    busy_s: float
    own_s: float


def processor_times() -> ProcessorTimes:
    now, own = psutil.cpu_times(), os.times()
    # A guest's time is counted in its host process already.
    every = sum(now) - getattr(now, "guest", 0.0) - getattr(now, "guest_nice", 0.0)
    idle = now.idle + getattr(now, "iowait", 0.0)
    return ProcessorTimes(every, every - idle, own.user + own.system + own.children_user + own.children_system)
