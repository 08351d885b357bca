"""Partial pooling: what several candidates have in common tempers what is believed of each.

The best of twelve that are nearly equal looks better than it is, and the worst looks worse, because chance has
picked them. So the true qualities are taken as spread around a common mean with a standard deviation that is
itself unknown, and each draw of a posterior is pulled towards the mean by the share of its scatter that is
chance: with many examples, or a wide spread, hardly at all (B. Efron and C. Morris, "Stein's estimation rule
and its competitors", 1973; A. Gelman and others, "Bayesian Data Analysis", section 5.4). What all candidates
share, such as easy and hard examples, is in the chance of none of them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import accumulate

SPREADS = (0.003, 0.006, 0.01, 0.015, 0.02, 0.03, 0.04, 0.055, 0.075, 0.1, 0.13, 0.17, 0.22, 0.3, 0.4)
"""Standard deviations of true qualities that are considered; each stands for the stretch up to its neighbours.

Their prior grows with the spread, so that "all are equal" is not believed from a few examples alone (Y. Chung
and others, "A nondegenerate penalized likelihood estimator for variance parameters", 2013).
"""


def pooled(
    posterior: Sequence[Sequence[float]], scores: Sequence[Sequence[float]], rng: random.Random
) -> list[tuple[float, ...]]:
    """The draws of a joint posterior, pulled together as far as the candidates' scores are like each other's.

    posterior: draws of the candidates' true mean scores, each for itself. scores: what they were drawn from, a
    row a candidate, a column an independent example. One candidate or one example: nothing to pool, the draws
    come back. Where all score alike on every example, all draws but for the prior's part are equal already.
    """
    count, examples = len(scores), len(scores[0]) if scores else 0
    draws = [tuple(draw) for draw in posterior]
    if count < 2 or examples < 2 or not draws:
        return draws
    noise = _noise(scores)
    means = [math.fsum(draw[index] for draw in draws) / len(draws) for index in range(count)]
    centre = math.fsum(means) / count
    apart = [mean - centre for mean in means]
    square = math.fsum(value * value for value in apart)
    cumulated = list(accumulate(_weights(noise, square, count)))
    result = []
    for draw in draws:
        place = rng.random() * cumulated[-1]
        spread = next(value for value, upto in zip(SPREADS, cumulated, strict=True) if upto >= place)
        kept = spread * spread / (spread * spread + noise)
        root = math.sqrt(kept)
        own = math.fsum(draw) / count
        result.append(
            tuple(
                own + kept * deviation + root * (value - own - deviation)
                for value, deviation in zip(draw, apart, strict=True)
            )
        )
    return result


def _noise(scores: Sequence[Sequence[float]]) -> float:
    """Variance of a mean score by chance alone, what all share in an example left aside; above 0."""
    count, examples = len(scores), len(scores[0])
    means = [math.fsum(row) / examples for row in scores]
    total = 0.0
    for column in zip(*scores, strict=True):
        residuals = [score - mean for score, mean in zip(column, means, strict=True)]
        shared = math.fsum(residuals) / count
        total += math.fsum((residual - shared) ** 2 for residual in residuals)
    return total / (count - 1) / (examples * (examples - 1)) + 1e-9


def _weights(noise: float, square: float, count: int) -> list[float]:
    """How likely each of `SPREADS` is. square: sum of squares of the means around their own mean."""
    logarithms = []
    for index, spread in enumerate(SPREADS):
        width = SPREADS[min(index + 1, len(SPREADS) - 1)] - SPREADS[max(index - 1, 0)]
        variance = spread * spread + noise
        likelihood = -0.5 * (count - 1) * math.log(variance) - 0.5 * square / variance
        logarithms.append(likelihood + math.log(spread * width))
    largest = max(logarithms)
    return [math.exp(value - largest) for value in logarithms]
