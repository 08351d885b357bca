"""How much memory there is and how much of it can be had now. Cheap: may be asked every second."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import psutil

from desktop.inference.machine.cgroups import smallest_limit
from desktop.inference.machine.machine import Limit, MemoryReading

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
    commit: Callable[[], tuple[int, int] | None] | None = None,
) -> MemoryReading:
    """Swap is not counted: a model in swap does not answer. Never raises.

    commit: what Windows can promise to programs in all and now, bytes; its own answer unless given.
    """
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
    promised = (commit or windows_commit)()
    if promised is not None:
        raw |= {"commit limit bytes": str(promised[0]), "commit available bytes": str(promised[1])}
        if promised[1] / _MIB < available:
            # Windows refuses memory that it could not back, even while some is free.
            limit = Limit(promised[0] / _MIB, promised[1] / _MIB, "what Windows can promise (commit limit)")
    least = min(available, limit.free_mib) if limit else available
    return MemoryReading(total, least, available, limit, _source(linux), "", raw)


def windows_commit() -> tuple[int, int] | None:
    """Bytes in all and now, from GlobalMemoryStatusEx; None elsewhere. Not yet checked on Windows."""
    try:
        status = _Status(dwLength=ctypes.sizeof(_Status))
        if not getattr(ctypes, "windll").kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):  # noqa: B009
            return None
    except (AttributeError, OSError):
        return None
    return int(status.ullTotalPageFile), int(status.ullAvailPageFile)


class _Status(ctypes.Structure):
    """MEMORYSTATUSEX."""

    _fields_ = (
        ("dwLength", ctypes.c_uint32),
        ("dwMemoryLoad", ctypes.c_uint32),
        ("ullTotalPhys", ctypes.c_uint64),
        ("ullAvailPhys", ctypes.c_uint64),
        ("ullTotalPageFile", ctypes.c_uint64),
        ("ullAvailPageFile", ctypes.c_uint64),
        ("ullTotalVirtual", ctypes.c_uint64),
        ("ullAvailVirtual", ctypes.c_uint64),
        ("ullAvailExtendedVirtual", ctypes.c_uint64),
    )


def _source(linux: bool) -> str:
    if linux:
        return "from the operating system (MemAvailable and control groups)"
    if sys.platform == "darwin":
        return "from the operating system; not yet checked on a Mac"
    return "from the operating system; not yet checked on this kind of system"
