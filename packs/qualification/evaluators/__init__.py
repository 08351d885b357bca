"""The table of evaluators, looked up by kind and type. Judges are apart: `packs.qualification.judge`."""

from __future__ import annotations

from packs.qualification.evaluators.base import Evaluator
from packs.qualification.evaluators.behaviour import Behaviour
from packs.qualification.evaluators.classes import ClassPrecision, ClassRecall
from packs.qualification.evaluators.exact_match import ExactMatch
from packs.qualification.evaluators.json_object import JsonObject
from packs.qualification.evaluators.labels import ConfusionSubset, RouteLabel
from packs.qualification.evaluators.length_bounds import LengthBounds
from packs.qualification.evaluators.prohibited_pattern import ProhibitedPattern
from packs.qualification.evaluators.required_facts import RequiredFacts
from packs.registry import Registry

JUDGE_PAIR = "judge:rubric_judge"


def pair(kind: str, type_: str) -> str:
    """'deterministic', 'exact_match' -> 'deterministic:exact_match'."""
    return f"{kind}:{type_}"


EVALUATORS: Registry[Evaluator] = Registry(
    "evaluator",
    [
        (pair(evaluator.kind, evaluator.type), evaluator)
        for evaluator in (
            JsonObject(),
            ExactMatch(),
            ProhibitedPattern(),
            LengthBounds(),
            RequiredFacts(),
            Behaviour(),
            ConfusionSubset(),
            RouteLabel(),
            ClassRecall(),
            ClassPrecision(),
        )
    ],
)
