"""The five scorers of the task-pack format, in one table."""

from __future__ import annotations

from packs.registry import Registry
from packs.task.scorers.base import BadExpected, BadParams, ParamFault, Score, Scorer, ScorerParams
from packs.task.scorers.exact_label import ExactLabel
from packs.task.scorers.field_f1 import FieldF1
from packs.task.scorers.json_schema import JsonSchema
from packs.task.scorers.numeric_tolerance import NumericTolerance
from packs.task.scorers.pattern import Pattern

SCORERS: Registry[type[Scorer]] = Registry(
    "scorer",
    [
        (ExactLabel.name, ExactLabel),
        (FieldF1.name, FieldF1),
        (JsonSchema.name, JsonSchema),
        (NumericTolerance.name, NumericTolerance),
        (Pattern.name, Pattern),
    ],
)

__all__ = ["SCORERS", "BadExpected", "BadParams", "ParamFault", "Score", "Scorer", "ScorerParams"]
