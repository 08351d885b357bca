"""Memory of one process of ours, now and at its highest, with the method in words for the report."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil

from desktop.inference.backends.base import MemorySample

_MIB = 2**20


class ProcessMemory:
    """Asks the system about one process. `sample` takes below 0.1 ms on Linux; any thread may call it.

    Linux and Windows keep the peak themselves, so none is missed between samples; elsewhere the peak is the
    highest of the samples taken.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._highest_mib = 0.0
        try:
            self._process: psutil.Process | None = psutil.Process(pid)
        except psutil.Error:
            self._process = None

    def sample(self) -> MemorySample | None:
        """None when the process is gone or may not be asked."""
        measured = self._linux() if sys.platform == "linux" else self._elsewhere()
        if measured is None:
            return None
        self._highest_mib = max(self._highest_mib, measured.peak_mib)
        return MemorySample(measured.used_mib, self._highest_mib, measured.method)

    def _linux(self) -> MemorySample | None:
        try:
            status = Path(f"/proc/{self._pid}/status").read_text(encoding="ascii", errors="replace")
        except OSError:
            return None
        kib = dict(_kib_values(status))
        if "VmRSS" not in kib or "VmHWM" not in kib:
            return None
        method = "resident memory of the engine's own process; peak kept by the Linux kernel (VmHWM)"
        return MemorySample(kib["VmRSS"] / 1024, kib["VmHWM"] / 1024, method)

    def _elsewhere(self) -> MemorySample | None:
        if self._process is None:
            return None
        try:
            info = self._process.memory_info()
        except psutil.Error:
            return None
        peak = getattr(info, "peak_wset", None)
        if peak is not None:
            method = "working set of the engine's own process; peak kept by Windows (PeakWorkingSetSize)"
            return MemorySample(info.rss / _MIB, peak / _MIB, method)
        method = "resident memory of the engine's own process; peak is the highest of the samples"
        return MemorySample(info.rss / _MIB, info.rss / _MIB, method)


def _kib_values(status: str) -> list[tuple[str, int]]:
    """The 'Name:   123 kB' lines of /proc/PID/status."""
    values = []
    for line in status.splitlines():
        name, _, rest = line.partition(":")
        parts = rest.split()
        if len(parts) == 2 and parts[1] == "kB" and parts[0].isdigit():
            values.append((name, int(parts[0])))
    return values
