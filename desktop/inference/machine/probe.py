"""Asks every probe once and puts the answers together, with the person's corrections on top."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence

from desktop.inference.machine.corrections import Corrections, apply_corrections
from desktop.inference.machine.machine import (
    BandwidthReading,
    Machine,
    MemoryReading,
    ProbeAnswer,
    ProcessorReading,
)
from desktop.inference.machine.probe_graphics import GraphicsProbe, graphics_probes
from desktop.inference.machine.probe_memory import read_memory
from desktop.inference.machine.probe_processor import read_processor


def read_machine(
    corrections: Corrections | None = None,
    bandwidth: Callable[[int], BandwidthReading | None] = lambda threads: None,
    *,
    memory: Callable[[], MemoryReading] = read_memory,
    processor: Callable[[], ProcessorReading] = read_processor,
    graphics: Sequence[GraphicsProbe] | None = None,
) -> Machine:
    """Some 10 ms; on macOS and with an NVIDIA driver up to a few hundred. Never raises.

    bandwidth: what was measured before with so many threads.
    """
    answers: tuple[ProbeAnswer, ...] = tuple(
        probe.read() for probe in (graphics_probes() if graphics is None else graphics)
    )
    found = processor()
    machine = Machine(_system(), found, memory(), answers, bandwidth(found.threads))
    return apply_corrections(machine, corrections or Corrections())


def _system() -> str:
    name = f"{platform.system()} {platform.release()}"
    if platform.system() != "Linux":
        return f"{name} ({platform.version()})"
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return name
    return f"{name} ({release.get('PRETTY_NAME', 'unnamed distribution')})"
