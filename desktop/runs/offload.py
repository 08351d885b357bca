"""Does a model seem to have been split between processor and graphics? A suspicion, always with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LOW_MEMORY_SHARE = 0.6
"""Measured below this share of the prediction: part of the model may be elsewhere."""
SLOW_SHARE = 0.25
"""Speed below this share of the fastest like model."""
LIKE_SIZE = (0.5, 2.0)
"""Weights of a like model, in proportion (task-pack format, section 14)."""


@dataclass(frozen=True, slots=True)
class OffloadFacts:
    """Of one completed candidate; what is unknown is None."""

    name: str
    size_bytes: float
    predicted_mib: float | None
    measured_mib: float | None
    tokens_per_second: float | None


@dataclass(frozen=True, slots=True)
class Suspicion:
    """why: 'memory' or 'speed'. words: the sentence with its numbers."""

    name: str
    why: str
    message: str


def suspects(candidates: Sequence[OffloadFacts]) -> list[Suspicion]:
    """In the order given. Cases: task/offload.json in the conformance files."""
    found = (_suspicion(entry, candidates) for entry in candidates)
    return [suspicion for suspicion in found if suspicion is not None]


def _suspicion(entry: OffloadFacts, candidates: Sequence[OffloadFacts]) -> Suspicion | None:
    predicted, measured, speed = entry.predicted_mib, entry.measured_mib, entry.tokens_per_second
    if predicted is not None and measured is not None and measured < LOW_MEMORY_SHARE * predicted:
        message = (
            f"{measured:.0f} MiB were measured where {predicted:.0f} MiB were expected: part of the model may"
            " have run in memory that was not measured, such as a graphics card's."
        )
        return Suspicion(entry.name, "memory", message)
    if speed is None:
        return None
    low, high = (bound * entry.size_bytes for bound in LIKE_SIZE)
    like = [
        other.tokens_per_second
        for other in candidates
        if other is not entry and other.tokens_per_second is not None and low <= other.size_bytes <= high
    ]
    if like and speed < SLOW_SHARE * max(like):
        message = (
            f"{speed:.1f} tokens/s, where a model of like size reached {max(like):.1f}: part of it may have run"
            " on the processor instead of the graphics card."
        )
        return Suspicion(entry.name, "speed", message)
    return None
