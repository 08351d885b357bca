"""Can this processor run the engine? Looked up before the engine is started.

The prebuilt engine for x86-64 needs AVX2, FMA, F16C and BMI2 and does not look for them itself: without one of
them it would die of an illegal instruction.
"""

from __future__ import annotations

import platform

from desktop.inference.backends.base import BackendFault, FaultKind
from desktop.inference.machine.probe_processor import X86, read_processor

NEEDED_X86_FLAGS = ("avx2", "fma", "f16c", "bmi2")


def check_processor(machine: str | None = None, flags: frozenset[str] | None = None) -> None:
    """Raises BackendFault with a sentence when the engine would not run here.

    machine: as `platform.machine()`; flags: processor flags in lower case; both read from this machine when
    None. Where the flags cannot be read, nothing is raised.
    """
    machine = (machine or platform.machine()).lower()
    if machine not in X86:
        return
    if flags is None:
        reading = read_processor(machine=machine)
        if reading.problem:
            return
        flags = reading.features
    missing = [flag.upper() for flag in NEEDED_X86_FLAGS if flag not in flags]
    if missing:
        raise BackendFault(
            FaultKind.NOT_SUPPORTED,
            f"This computer's processor is too old for the built-in engine: it lacks {', '.join(missing)}.",
            "Use a local server that is made for this computer, such as Ollama, or another computer.",
        )
