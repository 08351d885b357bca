"""Wilson score interval of a proportion, used for every interval the program shows."""

from __future__ import annotations

import math
from typing import NamedTuple

Z_95 = 1.959963984540054
"""Standard normal quantile of a two-sided 95 % interval (qualification-pack format, section on estimates)."""


class Interval(NamedTuple):
    """Proportions, 0 <= lower <= upper <= 1; not percentages."""

    lower: float
    upper: float


def wilson_interval(events: float, n: int, z: float = Z_95) -> Interval:
    """Both Wilson bounds of events/n.

    0 <= events <= n; with n = 0 nothing is known and the bounds are 0 and 1. z >= 0 is the
    standard normal quantile. `events` may be a fraction when graded scores are summed; the interval is
    then conservative, since a graded score varies no more than a yes-or-no one with the same mean.
    Raises ValueError outside these ranges.
    Cases: qualification/wilson.json in the conformance files (within 1e-12).
    """
    if n < 0:
        raise ValueError("n must be at least 0")
    if not 0 <= events <= n:
        raise ValueError("events must lie between 0 and n")
    if not (z >= 0 and math.isfinite(z)):
        raise ValueError("z must be a finite number of at least 0")
    if n == 0:
        return Interval(0.0, 1.0)
    p = events / n
    d = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / d
    margin = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return Interval(max(0.0, centre - margin), min(1.0, centre + margin))
