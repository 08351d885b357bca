"""Which candidate to use: the entry for both rules (task-pack format, section 17)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from packs.errors import AppError
from packs.task.paired_rule import paired_recommendation
from packs.task.recommendation import Candidate, Recommendation, Rule
from packs.task.tolerance_rule import tolerance_recommendation

DEFAULT_MARGIN = 0.05
DEFAULT_CONFIDENCE = 0.8


def recommend(
    candidates: Sequence[Candidate],
    *,
    rule: Rule = Rule.PAIRED,
    rng: random.Random | None = None,
    tolerance: float = 0.02,
    margin: float = DEFAULT_MARGIN,
    confidence: float = DEFAULT_CONFIDENCE,
    floor: float | None = None,
    floor_text: str = "",
    groups: Mapping[str, str] | None = None,
) -> Recommendation:
    """The recommendation of one run.

    rng: a seeded generator, so that the same journal always gives the same words; `random.Random(0)` if None.
    tolerance: share of the best quality, [0, 1), for the format's rule. margin: in quality, [0, 1); confidence:
    probability wanted, (0.5, 1). floor: quality reached by always giving the commonest answer, and floor_text
    what that answer is, for example "always answering 'other'". groups: example -> the one that it repeats
    (`packs.task.near_copies.groups_of`); those that are not in it repeat none.
    Raises AppError for settings outside their range.
    """
    if not 0 <= tolerance < 1:
        raise AppError(f"The tolerance is {tolerance:g}.", "Use 0 or more and less than 1.", code="tolerance")
    if not 0 <= margin < 1:
        raise AppError(f"The margin is {margin:g}.", "Use 0 or more and less than 1.", code="margin")
    if not 0.5 < confidence < 1:
        raise AppError(
            f"The sureness is {confidence:g}.", "Use more than 0.5 and less than 1.", code="sureness"
        )
    if rule is Rule.PEAK_WITHIN_TOLERANCE:
        return tolerance_recommendation(candidates, tolerance)
    return paired_recommendation(
        candidates, rng or random.Random(0), margin, confidence, floor, floor_text, groups=groups
    )
