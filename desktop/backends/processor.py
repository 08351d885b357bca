"""Can this processor run the engine, and with how many threads? Looked up before the engine is started.

The prebuilt engine for x86-64 needs AVX2, FMA, F16C and BMI2 and does not look for them itself: without one of
them it would die of an illegal instruction.
"""

from __future__ import annotations

import ctypes
import os
import platform
from pathlib import Path

import psutil

from desktop.backends.base import BackendFault, FaultKind

NEEDED_X86_FLAGS = ("avx2", "fma", "f16c", "bmi2")

_CPUINFO = Path("/proc/cpuinfo")
_PF_AVX2_INSTRUCTIONS_AVAILABLE = 40


def check_processor(machine: str | None = None, flags: frozenset[str] | None = None) -> None:
    """Raises BackendFault with a sentence when the engine would not run here.

    machine: as `platform.machine()`; flags: processor flags in lower case; both read from this machine when
    None. Where the flags cannot be read, nothing is raised.
    """
    machine = (machine or platform.machine()).lower()
    if machine not in ("x86_64", "amd64"):
        return
    known = processor_flags() if flags is None else flags
    if known is None:
        return
    missing = [flag.upper() for flag in NEEDED_X86_FLAGS if flag not in known]
    if missing:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            f"This computer's processor is too old for the built-in engine: it lacks {', '.join(missing)}.",
            "Use a local server that is made for this computer, such as Ollama, or another computer.",
        )


def processor_flags() -> frozenset[str] | None:
    """Lower-case flags of the first processor; None where the system does not tell."""
    readers = {"Linux": _linux_flags, "Windows": _windows_flags, "Darwin": _mac_flags}
    reader = readers.get(platform.system())
    return reader() if reader is not None else None


def default_threads() -> int:
    """Physical cores less one, at least 1, never more than this process may use."""
    physical = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows and macOS
        usable = physical
    return max(1, min(physical, usable) - 1)


def _linux_flags() -> frozenset[str] | None:
    try:
        with _CPUINFO.open(encoding="ascii", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                if name.strip() == "flags":
                    return frozenset(value.split())
    except OSError:
        return None
    return None


def _windows_flags() -> frozenset[str] | None:
    """Windows tells AVX2 only; every processor that has it has the other three as well."""
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - absent from the types of other systems
    if kernel.IsProcessorFeaturePresent(_PF_AVX2_INSTRUCTIONS_AVAILABLE):
        return frozenset(NEEDED_X86_FLAGS)
    return frozenset()


def _mac_flags() -> frozenset[str] | None:
    """Intel Macs; `sysctl` names the newer flags in a list of their own."""
    library = ctypes.CDLL(None)
    found: set[str] = set()
    for name in (b"machdep.cpu.features", b"machdep.cpu.leaf7_features"):
        buffer = ctypes.create_string_buffer(4096)
        size = ctypes.c_size_t(len(buffer))
        if library.sysctlbyname(name, buffer, ctypes.byref(size), None, ctypes.c_size_t(0)) == 0:
            found.update(buffer.value.decode("ascii", "replace").lower().split())
    return frozenset(found) or None
