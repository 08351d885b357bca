"""What the person says about their machine where a probe is wrong. Kept in one small file, shown in reports."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from desktop.foundation.private_files import make_private_folder
from desktop.inference.machine.machine import BandwidthReading, Limit, Machine, MemoryReading, ProcessorReading
from packs.documents.atomic import write_atomically
from packs.documents.regular_file import open_regular

log = logging.getLogger(__name__)

FILE_NAME = "machine.json"
BY_USER = "set by you"
_MAX_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Corrections:
    """None: the probe counts. All are above 0.

    memory_mib: how much memory models may use at most. physical_cores: how many there are.
    bandwidth_gbps: reading speed of the memory, 10^9 bytes a second.
    """

    memory_mib: float | None = None
    physical_cores: float | None = None
    bandwidth_gbps: float | None = None

    def __bool__(self) -> bool:
        return any(value is not None for value in asdict(self).values())


class CorrectionsFile:
    """Reads and writes the corrections. A file that cannot be read is left aside and logged."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME

    def read(self) -> Corrections:
        try:
            with open_regular(self._file) as file:
                data = json.loads(file.read(_MAX_BYTES))
        except FileNotFoundError:
            return Corrections()
        except (OSError, ValueError, RecursionError) as error:
            log.warning("corrections of the machine are not readable and were left aside: %s", error)
            return Corrections()
        if not isinstance(data, dict):
            return Corrections()
        return Corrections(**{entry.name: _positive(data.get(entry.name)) for entry in fields(Corrections)})

    def write(self, corrections: Corrections) -> None:
        """Raises OSError."""
        make_private_folder(self._file.parent)
        write_atomically(self._file, json.dumps(asdict(corrections), indent=1).encode())


def apply_corrections(machine: Machine, corrections: Corrections) -> Machine:
    """The machine as the person says it is; the raw answers of the probes stay."""
    reported: list[str] = []
    if corrections.memory_mib is not None:
        machine = replace(machine, memory=correct_memory(machine.memory, corrections))
        reported.append(f"memory for models at most {corrections.memory_mib:,.0f} MiB")
    if corrections.physical_cores is not None:
        machine = replace(machine, processor=_correct_cores(machine.processor, corrections.physical_cores))
        reported.append(f"{corrections.physical_cores:.0f} physical cores")
    if corrections.bandwidth_gbps is not None:
        reading = BandwidthReading(corrections.bandwidth_gbps, machine.processor.threads, BY_USER, False)
        machine = replace(machine, bandwidth=reading)
        reported.append(f"memory speed {corrections.bandwidth_gbps:.0f} GB/s")
    return replace(machine, corrected=tuple(reported))


def correct_memory(memory: MemoryReading, corrections: Corrections) -> MemoryReading:
    """A bound of the person's is one more limit; it never makes more free than there is."""
    bound = corrections.memory_mib
    if bound is None:
        return memory
    available = bound if memory.available_mib is None else min(bound, memory.available_mib)
    total = bound if memory.total_mib is None else memory.total_mib
    if memory.limit is not None and memory.limit.limit_mib <= bound:
        return replace(memory, total_mib=total, available_mib=available)
    return replace(
        memory,
        total_mib=total,
        available_mib=available,
        limit=Limit(bound, available, BY_USER),
        problem="",
    )


def _correct_cores(processor: ProcessorReading, cores: float) -> ProcessorReading:
    return replace(processor, physical_cores=max(1, round(cores)), source=BY_USER)


def _positive(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value) if 0 < value < 1e9 else None
