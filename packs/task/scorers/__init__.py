"""The scorers of the task-pack format, in one table."""

from __future__ import annotations

from packs.registry import Registry
from packs.task.scorers.base import BadExpected, BadParams, ParamFault, Score, Scorer, ScorerParams
from packs.task.scorers.exact_label import ExactLabel
from packs.task.scorers.field_f1 import FieldF1
from packs.task.scorers.json_schema import JsonSchema
from packs.task.scorers.numeric_tolerance import NumericTolerance
from packs.task.scorers.parts import ExpectedShape
from packs.task.scorers.pattern import Pattern

SCORERS: Registry[type[Scorer]] = Registry(
    "scorer", [(one.name, one) for one in (ExactLabel, FieldF1, NumericTolerance, JsonSchema, Pattern)]
)
DEFAULT_SCORER: type[Scorer] = FieldF1
"""Of a new pack."""
DEFAULT_GATE: type[Scorer] = JsonSchema


def scorer_named(name: object) -> type[Scorer] | None:
    """None for anything that is no scorer: packs being edited and old journals may hold any."""
    return SCORERS[name] if isinstance(name, str) and name in SCORERS else None


def scorer_for(shape: ExpectedShape) -> type[Scorer]:
    """The first of the table whose expected values have this shape."""
    return next(scorer for scorer in SCORERS if scorer.shape is shape)


__all__ = [
    "DEFAULT_GATE",
    "DEFAULT_SCORER",
    "SCORERS",
    "BadExpected",
    "BadParams",
    "ExpectedShape",
    "ParamFault",
    "Score",
    "Scorer",
    "ScorerParams",
    "scorer_for",
    "scorer_named",
]
