"""How much memory there is and how much of it can be had now. Cheap: may be asked every second."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import psutil

from desktop.hardware.cgroups import smallest_limit
from desktop.hardware.machine import MemoryReading

_MIB = 1 << 20


class SystemMemory(Protocol):
    """What psutil answers; bytes."""

    @property
    def total(self) -> int: ...

    @property
    def available(self) -> int: ...


def read_memory(
    ask: Callable[[], SystemMemory] = psutil.virtual_memory,
    *,
    root: Path = Path("/"),
    linux: bool = sys.platform == "linux",
) -> MemoryReading:
    """Swap is not counted: a model in swap does not answer. Never raises."""
    try:
        answer = ask()
        total, available = answer.total / _MIB, answer.available / _MIB
    except (OSError, psutil.Error, ValueError, RuntimeError) as error:
        return MemoryReading(None, None, None, None, _source(linux), f"The system did not answer: {error}.")
    raw = {"total bytes": str(answer.total), "available bytes": str(answer.available)}
    limit = None
    if linux:
        limit, groups = smallest_limit(root)
        raw |= groups
    if limit is not None and limit.limit_mib >= total:
        limit = None
    least = min(available, limit.free_mib) if limit else available
    return MemoryReading(total, least, available, limit, _source(linux), "", raw)


def _source(linux: bool) -> str:
    if linux:
        return "from the operating system (MemAvailable and control groups)"
    if sys.platform == "darwin":
        return "from the operating system; not yet checked on a Mac"
    return "from the operating system; not yet checked on this kind of system"
