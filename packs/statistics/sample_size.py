"""How many cases a threshold needs before a result can clear it.

The verdict rule is that of qualification-pack format, section 14.1: a 95 % Wilson interval, rounded to six
decimals, must lie wholly on the good side of the threshold.
"""

from __future__ import annotations

import math

from packs.statistics.wilson import wilson_interval

LARGEST = 200_000
"""Beyond this many cases the answer is 'none can be collected'."""


def verdict(operator: str, threshold: float, lower: float, upper: float) -> str:
    """'met', 'missed' or 'straddle' for an interval; operator is gte, gt, lte, lt or eq."""
    match operator:
        case "gte":
            met, missed = lower >= threshold, upper < threshold
        case "gt":
            met, missed = lower > threshold, upper <= threshold
        case "lte":
            met, missed = upper <= threshold, lower > threshold
        case "lt":
            met, missed = upper < threshold, lower >= threshold
        case "eq":
            met, missed = lower == threshold == upper, not lower <= threshold <= upper
        case _:
            raise ValueError(f"unknown operator {operator!r}")
    return "met" if met else "missed" if missed else "straddle"


def met_by(operator: str, threshold: float, events: int, n: int) -> bool:
    """Would `events` of `n` meet the threshold?"""
    interval = wilson_interval(events, n)
    return verdict(operator, threshold, round(interval.lower, 6), round(interval.upper, 6)) == "met"


def _best(operator: str, n: int) -> int:
    """Events of a perfect result: all for 'at least', none for 'at most'."""
    return n if operator in ("gte", "gt") else 0


def cases_for_perfect(operator: str, threshold: float) -> int | None:
    """Smallest number of cases with which even a perfect result meets the threshold; None when no number does.

    For 'gte': 0.90 needs 35, 0.95 needs 73, 0.99 needs 381.
    """
    if operator == "eq" or not met_by(operator, threshold, _best(operator, LARGEST), LARGEST):
        return None
    low, high = 0, LARGEST
    while high - low > 1:
        middle = (low + high) // 2
        if met_by(operator, threshold, _best(operator, middle), middle):
            high = middle
        else:
            low = middle
    return high


def cases_needed(operator: str, threshold: float, true_rate: float, chance: float = 0.8) -> int | None:
    """About how many cases a model of this true rate needs to meet the threshold with this chance.

    true_rate and chance are proportions (0..1, chance below 1). The rate is of the metric's events: of passes
    for a pass rate, of failures for a failure rate. None when the model is not better than the threshold or
    more than `LARGEST` cases would be needed. Exact up to 400 cases, within 1 % above.
    """
    if not 0 <= true_rate <= 1 or not 0 < chance < 1:
        raise ValueError("rates and chances are proportions from 0 to 1")
    better = true_rate > threshold if operator in ("gte", "gt") else true_rate < threshold
    n = cases_for_perfect(operator, threshold)
    if not better or n is None:
        return None
    while n <= LARGEST:
        if chance_to_meet(operator, threshold, true_rate, n) >= chance:
            return n
        n += max(1, n // 100 if n > 400 else 1)
    return None


def chance_to_meet(operator: str, threshold: float, true_rate: float, n: int) -> float:
    """Probability (0..1) that n independent cases of this true rate meet the threshold."""
    if not met_by(operator, threshold, _best(operator, n), n):
        return 0.0
    rising = operator in ("gte", "gt")
    low, high = (0, n) if rising else (-1, n)
    while high - low > 1:
        middle = (low + high) // 2
        met = met_by(operator, threshold, middle, n)
        if met == rising:
            high = middle
        else:
            low = middle
    if rising:
        if met_by(operator, threshold, low, n):
            return 1.0
        return _tail(high, n, n, true_rate)
    return _tail(0, low if not met_by(operator, threshold, high, n) else high, n, true_rate)


def _tail(first: int, last: int, n: int, rate: float) -> float:
    """P(first <= X <= last) of a binomial."""
    if rate in (0.0, 1.0):
        return float(first <= n * rate <= last)
    log_rate, log_rest = math.log(rate), math.log1p(-rate)
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * log_rate + (n - k) * log_rest
        for k in range(first, last + 1)
    ]
    return min(1.0, math.fsum(math.exp(log) for log in logs))
