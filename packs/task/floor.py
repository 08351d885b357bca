"""What always giving the same answer would reach: the least a model must beat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from packs.documents.strict_json import shown
from packs.task.model import Example
from packs.task.scoring import Scoring

MAX_ANSWERS = 60
"""Different answers tried, the commonest first."""


@dataclass(frozen=True, slots=True)
class Floor:
    """quality: of the best constant answer, [0, 1]. words: "always answering 'other'"."""

    quality: float
    message: str


def floor_of(scoring: Scoring, examples: Sequence[Example]) -> Floor | None:
    """The best constant answer made of the expected values; None when answers are not compared with any."""
    if not scoring.primary.uses_expected or not examples:
        return None
    counts: dict[str, int] = {}
    for example in examples:
        expected = example.expected
        answer = expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)
        counts[answer] = counts.get(answer, 0) + 1
    best, quality = "", -1.0
    for answer in sorted(counts, key=lambda text: -counts[text])[:MAX_ANSWERS]:
        scores = [scoring.score(answer, example.expected).score or 0.0 for example in examples]
        mean = sum(scores) / len(scores)
        if mean > quality:
            best, quality = answer, mean
    name = f"'{best}'" if len(best) <= 40 else shown(best, 40)
    return Floor(quality, f"always answering {name}")
