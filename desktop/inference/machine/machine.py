"""What is known of this machine, each figure with where it comes from or why it is not known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from desktop.inference.machine.budget import MemoryBudget


@dataclass(frozen=True, slots=True)
class Limit:
    """The smallest bound on memory below the machine's own. who: in words, 'container limit'."""

    limit_mib: float
    free_mib: float
    who: str


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """MiB. available_mib: the least that the system and every limit leave now. None: see `problem`."""

    total_mib: float | None
    available_mib: float | None
    system_available_mib: float | None
    limit: Limit | None
    source: str
    problem: str = ""
    raw: Mapping[str, str] = field(default_factory=dict)

    @property
    def budget(self) -> MemoryBudget | None:
        """For verdicts: a limit smaller than the machine counts as the machine."""
        if self.total_mib is None or self.available_mib is None:
            return None
        total = min(self.total_mib, self.limit.limit_mib) if self.limit else self.total_mib
        return MemoryBudget(self.available_mib, total)


def threads_of(physical_cores: int | None, logical_cores: int | None) -> int:
    """One core is left to window and system; at least 1. Of an unknown processor two cores are assumed."""
    return max(1, (physical_cores or logical_cores or 2) - 1)


@dataclass(frozen=True, slots=True)
class ProcessorReading:
    """physical_cores: this process may use; features: lower case, only those that decide something here."""

    name: str
    machine: str
    physical_cores: int | None
    logical_cores: int | None
    features: frozenset[str]
    repack_types: frozenset[str]
    source: str
    problem: str = ""
    raw: Mapping[str, str] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """Physical cores less one: what the engine is started with."""
        return threads_of(self.physical_cores, self.logical_cores)


@dataclass(frozen=True, slots=True)
class GraphicsReading:
    """One device. unified: it shares the machine's memory; None where that is not known."""

    name: str
    total_mib: float | None
    free_mib: float | None
    unified: bool | None
    source: str
    problem: str = ""
    raw: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """One question to the machine: which interface was asked, and what it said or why not."""

    probe: str
    devices: tuple[GraphicsReading, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BandwidthReading:
    """Reading speed of the memory, 10^9 bytes a second; the median of several rounds.

    busy: other programs used more than 15 % of a core meanwhile, so it should be taken again. taken_at: UTC.
    """

    gbps: float
    threads: int
    taken_at: str
    busy: bool
    rounds: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Machine:
    system: str
    """'Linux 6.1 (Debian GNU/Linux 12)'."""
    processor: ProcessorReading
    memory: MemoryReading
    graphics: tuple[ProbeAnswer, ...]
    bandwidth: BandwidthReading | None = None
    corrected: tuple[str, ...] = ()
    """Which figures the person has set, in words."""

    @property
    def devices(self) -> tuple[GraphicsReading, ...]:
        return tuple(device for answer in self.graphics for device in answer.devices)
