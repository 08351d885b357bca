"""What a machine can give to a model (memory-fit specification, section 8)."""

from __future__ import annotations

from dataclasses import dataclass

_RESERVE_MIB = 512.0
_RESERVE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class MemoryBudget:
    """What the machine can give, MiB. available: now, under every limit that holds for this process."""

    available: float
    total: float

    @property
    def reserve(self) -> float:
        """Kept free for the system and other programs."""
        return max(_RESERVE_MIB, _RESERVE_SHARE * self.total)
