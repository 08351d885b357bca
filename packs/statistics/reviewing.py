"""What reviewing some of many examples tells about the rest.

The examples reviewed are drawn by chance from all, without putting any back, so the number of wrong ones among
them is hypergeometric. The bound is exact: the largest number of wrong ones in all with which seeing so few
would still happen in one of twenty cases or more.
"""

from __future__ import annotations

from math import comb

SURE = 0.95


def wrong_at_most(total: int, reviewed: int, wrong: int, sure: float = SURE) -> int:
    """Upper bound for the number of wrong ones among all `total`.

    0 <= wrong <= reviewed <= total; 0 < sure < 1. Returns a count from `wrong` to `total`.
    Raises ValueError outside these ranges.
    """
    if not 0 <= wrong <= reviewed <= total or not 0 < sure < 1:
        raise ValueError(f"{wrong} of {reviewed} of {total} at {sure}")
    low, high = wrong, total - (reviewed - wrong)
    while low < high:
        middle = (low + high + 1) // 2
        if _as_few(total, middle, reviewed, wrong) >= 1 - sure:
            low = middle
        else:
            high = middle - 1
    return low


def _as_few(total: int, bad: int, drawn: int, seen: int) -> float:
    """Probability of at most `seen` bad ones among `drawn` when `bad` of `total` are bad."""
    ways = sum(
        comb(bad, k) * comb(total - bad, drawn - k)
        for k in range(max(0, drawn - (total - bad)), min(seen, bad, drawn) + 1)
    )
    return ways / comb(total, drawn)
