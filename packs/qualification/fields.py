"""Which reply fields a pack compares, by its own evaluators: for tables and matrices (section 28, W13)."""

from __future__ import annotations

from dataclasses import dataclass

from packs.qualification.evaluators.base import text_setting
from packs.qualification.pack import QualificationPack

_LABEL_TYPES = ("exact_match", "route_label", "class_recall", "class_precision")


@dataclass(frozen=True, slots=True)
class FieldPair:
    """Name in the reply, and name in a case's `expected`."""

    field: str
    expected_field: str


def label_fields(pack: QualificationPack) -> FieldPair:
    """Of the first evaluator that compares labels; 'label' when none says otherwise."""
    for spec in pack.evaluators.values():
        if spec.type in _LABEL_TYPES:
            return FieldPair(
                text_setting(spec.config, "field", "label"),
                text_setting(spec.config, "expected_field", "label"),
            )
    return FieldPair("label", "label")


def behaviour_fields(pack: QualificationPack) -> FieldPair:
    for spec in pack.evaluators.values():
        if spec.type == "behaviour":
            return FieldPair(
                text_setting(spec.config, "field", "behaviour"),
                text_setting(spec.config, "expected_field", "required_behaviour"),
            )
    return FieldPair("behaviour", "required_behaviour")
