"""A joint posterior of several candidates' true qualities: a Bayesian bootstrap with a weak prior.

Each draw gives every example a random weight (exponential, so that the weights are a flat Dirichlet) and
takes the weighted mean score of every candidate. Since the same weights hold for all, what they have in
common (hard and easy examples) cancels out in differences. Without a prior a candidate with 20 of 20 right
would be certain to be perfect; so each draw also holds a few imagined examples on which the candidates'
results are unknown and independent of each other. (D. B. Rubin, "The Bayesian bootstrap", 1981; with the base
measure of a Dirichlet process as prior, T. S. Ferguson, 1973.)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

PRIOR_EXAMPLES = 1
"""Weight of the prior in examples."""


def joint_posterior(
    scores: Sequence[Sequence[float]],
    rng: random.Random,
    draws: int = 2000,
    prior_examples: int = PRIOR_EXAMPLES,
    sizes: Sequence[float] | None = None,
) -> list[tuple[float, ...]]:
    """`draws` joint draws of the candidates' true mean scores.

    scores: one row per candidate, one column per example, all in [0, 1] and of the same length (at least one
    candidate; zero examples give the prior alone). sizes: how many examples a column stands for, against the
    others; 1 each when None. Columns on which all candidates score alike are drawn together, which makes
    hundreds of examples cheap.
    """
    if not scores or len({len(row) for row in scores}) != 1:
        raise ValueError("every candidate needs a score for every example")
    columns = list(zip(*scores, strict=True))
    patterns = list(Counter(zip(columns, sizes or [1.0] * len(columns), strict=True)).items())
    count = len(scores)
    result = []
    gamma = rng.gammavariate
    uniform = rng.random
    for _ in range(draws):
        total = 0.0
        sums = [0.0] * count
        for (pattern, size), times in patterns:
            weight = gamma(times, 1.0) * size
            total += weight
            for index, score in enumerate(pattern):
                if score:
                    sums[index] += weight * score
        for _ in range(prior_examples):
            weight = gamma(1.0, 1.0)
            total += weight
            for index in range(count):
                if uniform() < 0.5:
                    sums[index] += weight
        result.append(tuple(value / total for value in sums))
    return result


def share_within(posterior: Sequence[Sequence[float]], candidate: int, margin: float) -> float:
    """Probability that the candidate's true quality is no more than `margin` below the best one's."""
    return sum(draw[candidate] >= max(draw) - margin for draw in posterior) / len(posterior)
