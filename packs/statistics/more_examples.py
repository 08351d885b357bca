"""How many more examples would show that one candidate is as good as another, planned as a trial is planned.

The count that a comparison needs goes with 1 / (difference + margin)², and 20 to 100 examples hardly tell the
difference: a number built on the difference seen is off by more than a factor of two in half of all cases,
even the best possible one (J. M. Hoenig and D. M. Heisey, "The abuse of power", 2001). What those examples do
tell is how much the results of the two scatter against each other. So the question answered here is the one
of planning: suppose the candidate *is* as good as the best: how many more examples until that is sure? One
that is worse by twice the margin is found out with about as many; one that is worse by just the margin, never.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from packs.statistics.bootstrap import PRIOR_EXAMPLES

MAX_EXAMPLES = 5000
"""More than so many are told as 'no number'."""
LEAST_REPORTED = 10
"""Never told as fewer: the estimate is no finer."""
_LEAST_MARGIN = 0.001
"""A tenth of a point; hundreds of thousands of examples would be needed below it."""
_SURE_Z = 1.6448536269514722
"""Standard normal quantile of one-sided 95 %."""
_PRIOR_SQUARE = 0.5
"""An imagined example differs by -1, 0 or 1: the square is 1 half of the time."""


class NoNumber(StrEnum):
    """Why there is no number."""

    TOO_FEW_DIFFER = "too_few_differ"
    """So few answers differ that the number could not be told within a factor of two."""
    MARGIN_TOO_SMALL = "margin_too_small"


@dataclass(frozen=True, slots=True)
class MoreExamples:
    """count: examples beyond those at hand, at least `LEAST_TOLD`; None with the reason in `because`."""

    count: float | None
    because: NoNumber | None = None


def more_examples(first: Sequence[float], best: Sequence[float], margin: float) -> MoreExamples:
    """More examples until it is an even chance that `first` is sure (95 %) to be within `margin` of `best`.

    Given that both are equally good in truth, and given the examples at hand. first, best: scores in [0, 1] by
    the same examples, at least one; margin in [0, 1). The mean difference after N more is expected to be the
    sum seen so far over all examples, and sure is what lies 1.645 standard errors above minus the margin.
    A number is told only if it stays within a factor of two with a scatter that is one standard error larger or
    smaller. `tests/bench/bench_more_examples.py` measures how well that holds.
    """
    differences = [a - b for a, b in zip(first, best, strict=True)]
    weight = len(differences) + PRIOR_EXAMPLES
    total = sum(differences)
    squares = sum(value**2 for value in differences) + _PRIOR_SQUARE
    fourths = sum(value**4 for value in differences) + _PRIOR_SQUARE
    if margin < _LEAST_MARGIN:
        return MoreExamples(None, NoNumber.MARGIN_TOO_SMALL)
    factor = math.exp(math.sqrt(fourths) / squares)
    low, middle, high = (
        max(float(LEAST_REPORTED), _wanted(total, squares / weight * times, margin) - weight)
        for times in (1 / factor, 1.0, factor)
    )
    if middle > MAX_EXAMPLES:
        return MoreExamples(None, NoNumber.MARGIN_TOO_SMALL)
    if high > 2 * middle or low < middle / 2:
        return MoreExamples(None, NoNumber.TOO_FEW_DIFFER)
    return MoreExamples(middle)


def _wanted(total: float, variance: float, margin: float) -> float:
    """The n at which total / n + margin = z * sqrt(variance / n): an equation of second degree in sqrt(n)."""
    step = _SURE_Z * math.sqrt(variance)
    inside = step * step - 4 * margin * total
    return ((step + math.sqrt(inside)) / (2 * margin)) ** 2 if inside > 0 else 0.0
