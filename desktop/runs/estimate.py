"""How long a run will take: the format's own figure, and an honest range."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

DEFAULT_TOKENS_PER_SECOND = 20.0
"""Assumed until something has been measured (task-pack format, section 13.4)."""

UNIT_OVERHEAD_S = 2.0
CANDIDATE_OVERHEAD_S = 30.0
HOUR_S = 3600

SHORT_ANSWER_TOKENS = 24
"""An answer that uses little of its cap: a label or a small object."""

CERTAIN_AFTER_UNITS = 5
"""With fewer measured units the range stays wide."""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Seconds, low <= high."""

    low_s: float
    high_s: float

    def __add__(self, other: TimeRange) -> TimeRange:
        return TimeRange(self.low_s + other.low_s, self.high_s + other.high_s)


def rounded(value: float) -> int:
    """To the nearest whole number, halves up."""
    return math.floor(value + 0.5)


def candidate_seconds(units: int, max_tokens: int, tokens_per_second: float | None = None) -> int:
    """The format's estimate for one candidate, section 13.4. Cases: task/plan.json in the conformance files."""
    rate = tokens_per_second or DEFAULT_TOKENS_PER_SECOND
    return rounded(units * (max_tokens / rate + UNIT_OVERHEAD_S) + CANDIDATE_OVERHEAD_S)


def planned_range(units: int, max_tokens: int, tokens_per_second: float | None = None) -> TimeRange:
    """Before anything was measured: from short answers to answers that use up their cap.

    With a speed measured earlier the range is narrower, but still from short answers to long ones.
    """
    rate = tokens_per_second or DEFAULT_TOKENS_PER_SECOND
    short = units * (min(max_tokens, SHORT_ANSWER_TOKENS) / rate + 0.2) + 2.0
    return TimeRange(short, max(short, float(candidate_seconds(units, max_tokens, tokens_per_second))))


def remaining_range(
    seconds: Sequence[float], units_left: int, later: Sequence[tuple[int, float]], *, in_flight: int = 1
) -> TimeRange | None:
    """From the units measured so far (`seconds` each, of the candidate that runs now).

    units_left: of this candidate. later: (units, size in proportion to this candidate) of those to come; time
    grows with size. None when nothing was measured. The range is the middle half of what was seen, wider while
    there are few units.
    """
    if not seconds:
        return None
    ordered = sorted(seconds)
    if len(ordered) >= CERTAIN_AFTER_UNITS:
        quarters = statistics.quantiles(ordered, n=4)
        mean = statistics.fmean(ordered)
        low, high = min(quarters[0], mean), max(quarters[2], mean)
    else:
        low, high = ordered[0] * 0.5, ordered[-1] * 2.0
    total = TimeRange(low * units_left, high * units_left)
    for units, proportion in later:
        total = total + TimeRange(
            low * units * min(proportion, 1.0) * 0.8,
            high * units * max(proportion, 1.0) * 1.2 + CANDIDATE_OVERHEAD_S,
        )
    return TimeRange(total.low_s / in_flight, total.high_s / in_flight)
