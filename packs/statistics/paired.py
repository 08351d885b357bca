"""Tests on paired results: the same examples answered by two candidates."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

from packs.statistics.mcnemar import mcnemar_exact

EXACT_PAIRS = 14
"""Up to this many non-zero differences all sign patterns are counted; beyond it they are sampled."""
SAMPLED_PAIRS = 60
"""Beyond this many the normal distribution serves; sampling would take seconds for large packs."""


def sign_flip_p(differences: Sequence[float], rng: random.Random, samples: int = 2000) -> float:
    """Two-sided p-value of the paired permutation test: is the mean difference zero?

    Under the hypothesis each difference may as well have the other sign. Exact up to 14 non-zero differences,
    up to 60 by `samples` random sign patterns with the observed one counted in (never 0), beyond that by the
    normal distribution, which the sum of so many independent signs follows closely.
    """
    values = [value for value in differences if abs(value) > 1e-12]
    if not values:
        return 1.0
    observed = abs(sum(values)) - 1e-9
    if len(values) <= EXACT_PAIRS:
        sums = [0.0]
        for value in values:
            sums = [total + sign * value for total in sums for sign in (1, -1)]
        return sum(abs(total) >= observed for total in sums) / len(sums)
    # Of n equal differences the number that turn out positive is a count of n random bits: graded scores have
    # few distinct differences, so a thousand examples cost little more than twenty.
    sizes = list(Counter(round(abs(value), 12) for value in values).items())
    if len(values) > SAMPLED_PAIRS:
        return math.erfc(observed / math.sqrt(2 * sum(value * value for value in values)))
    hits = 1
    for _ in range(samples):
        total = 0.0
        for size, times in sizes:
            total += size * (2 * rng.getrandbits(times).bit_count() - times)
        hits += abs(total) >= observed
    return hits / (samples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        adjusted[index] = largest
    return adjusted


def paired_p(first: Sequence[float], second: Sequence[float], rng: random.Random) -> float:
    """McNemar when both hold only 0 and 1, else the sign-flip test. Same length, same order of examples."""
    if all(value in (0.0, 1.0) for value in (*first, *second)):
        only_first = sum(a > b for a, b in zip(first, second, strict=True))
        only_second = sum(b > a for a, b in zip(first, second, strict=True))
        return mcnemar_exact(only_first, only_second)
    return sign_flip_p([a - b for a, b in zip(first, second, strict=True)], rng)
