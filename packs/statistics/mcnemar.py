"""Do two results on the same cases differ by more than chance? McNemar's exact test."""

from __future__ import annotations

from math import comb


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Two-sided p value, 0..1, from the cases that changed.

    only_first: passed in the first result and failed in the second; only_second: the other way round; both
    >= 0. 1.0 when nothing changed. Exact binomial with probability one half; large counts stay exact, since
    Python's integers do not overflow.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("counts are at least 0")
    n = only_first + only_second
    if n == 0:
        return 1.0
    fewer = min(only_first, only_second)
    tail = sum(comb(n, k) for k in range(fewer + 1))
    return min(1.0, tail / (1 << (n - 1)))
