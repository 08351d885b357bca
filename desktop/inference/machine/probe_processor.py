"""The processor: name, cores, and the abilities that decide whether and how the engine rearranges weights."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil

from desktop.foundation.child_environment import child_environment
from desktop.inference.machine.machine import ProcessorReading, threads_of

X86 = frozenset({"x86_64", "amd64"})
"""What `platform.machine()` calls it, in lower case."""
_ARM = frozenset({"aarch64", "arm64"})
_SHOWN = frozenset({"avx", "avx2", "fma", "f16c", "bmi2", "avx512f", "asimd", "asimddp", "i8mm", "sve"})
_X86_REPACKED = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})
_ARM_REPACKED = frozenset({"Q4_0", "Q4_K", "Q5_K", "Q6_K", "Q8_0", "IQ4_NL", "MXFP4"})
_TIMEOUT_S = 5.0

Sysctl = Callable[[str], str | None]


def read_processor(
    *,
    root: Path = Path("/"),
    system: str = sys.platform,
    machine: str | None = None,
    sysctl: Sysctl | None = None,
) -> ProcessorReading:
    """Never raises; what cannot be read is None or empty, with the reason in `problem`."""
    machine = (machine or platform.machine()).lower()
    name = ""
    if system == "linux":
        name, features, raw = _from_cpuinfo(root / "proc/cpuinfo")
        source = "from the operating system (/proc/cpuinfo)"
    elif system == "darwin":
        name, features, raw = _from_sysctl(sysctl or run_sysctl, machine)
        source = "from the operating system (sysctl); not yet checked on a Mac"
    else:
        name = platform.processor()
        features, raw = _from_windows()
        source = "from the operating system; not yet checked on Windows"
    return ProcessorReading(
        name=name or platform.processor() or machine or "not known",
        machine=machine,
        physical_cores=_usable_physical(),
        logical_cores=_usable_logical(),
        features=(features or frozenset()) & _SHOWN,
        repack_types=repack_types(machine, features or frozenset()),
        source=source,
        problem="The system does not tell what the processor can do." if features is None else "",
        raw={"machine": machine, **raw},
    )


def repack_types(machine: str, features: frozenset[str]) -> frozenset[str]:
    """Tensor types that the embedded engine rearranges (memory-fit specification, section 3).

    The engine that comes along is built for AVX2 and uses nothing above it, even with AVX-512 at hand.
    """
    if machine in X86:
        return _X86_REPACKED if "avx2" in features else frozenset()
    if machine in _ARM:
        return _ARM_REPACKED if "asimddp" in features else frozenset()
    return frozenset()


def run_sysctl(name: str) -> str | None:
    """One value of macOS; None where there is none."""
    try:
        done = subprocess.run(
            ["/usr/sbin/sysctl", "-n", name],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            env=child_environment(),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def default_threads() -> int:
    """Physical cores that this process may use, less one for window and system; at least 1."""
    return threads_of(_usable_physical(), _usable_logical())


def _from_cpuinfo(file: Path) -> tuple[str, frozenset[str] | None, dict[str, str]]:
    """x86 calls them 'flags', ARM 'Features'; None without either. The first processor speaks for all."""
    fields: dict[str, str] = {}
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            for line in opened:
                key, _, value = line.partition(":")
                if not key.strip() and fields:
                    break
                fields.setdefault(key.strip().lower(), value.strip())
    except OSError:
        return "", None, {}
    flags = frozenset((fields.get("flags") or fields.get("features") or "").lower().split())
    return fields.get("model name", ""), flags or None, {"features": " ".join(sorted(flags & _SHOWN))}


def _from_sysctl(sysctl: Sysctl, machine: str) -> tuple[str, frozenset[str] | None, dict[str, str]]:
    """Intel Macs name the newer flags in a list of their own."""
    name = sysctl("machdep.cpu.brand_string") or ""
    raw = {"machdep.cpu.brand_string": name}
    if machine in _ARM:
        answer = sysctl("hw.optional.arm.FEAT_DotProd") or ""
        raw["hw.optional.arm.FEAT_DotProd"] = answer
        return name, frozenset({"asimd", "asimddp"}) if answer == "1" else frozenset({"asimd"}), raw
    flags: set[str] = set()
    for key in ("machdep.cpu.features", "machdep.cpu.leaf7_features"):
        raw[key] = sysctl(key) or ""
        flags.update(raw[key].lower().replace("avx1.0", "avx").split())
    return name, frozenset(flags) or None, raw


def _from_windows() -> tuple[frozenset[str] | None, dict[str, str]]:
    """Windows answers for AVX2 and for ARM's dot product; the other abilities come along with them.

    None when it cannot be asked; empty when it says no to both.
    """
    try:
        import ctypes

        kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - absent from the types of other systems
        avx2, dot = (bool(kernel.IsProcessorFeaturePresent(number)) for number in (40, 43))
    except (AttributeError, OSError):
        return None, {}
    found = {"avx", "avx2", "fma", "f16c", "bmi2"} if avx2 else set()
    if dot:
        found |= {"asimd", "asimddp"}
    return frozenset(found), {"PF_AVX2": str(avx2), "PF_ARM_V82_DP": str(dot)}


def _usable_logical() -> int | None:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Windows and macOS
        return psutil.cpu_count()


def _usable_physical() -> int | None:
    physical, logical = psutil.cpu_count(logical=False), _usable_logical()
    if physical is None or logical is None:
        return physical
    return min(physical, logical)
