"""Do two results on the same cases differ by more than chance? McNemar's exact test."""

from __future__ import annotations


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
    # Each binomial coefficient from the one before: computed alone, those of 10,000 changed cases take seconds.
    tail = ways = 1
    for k in range(fewer):
        ways = ways * (n - k) // (k + 1)
        tail += ways
    return min(1.0, tail / (1 << (n - 1)))
