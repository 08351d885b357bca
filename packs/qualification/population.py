"""Which cases a test can apply to, as far as the case alone decides. Sections 9 and 11 of the format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from packs.canonical import JsonValue
from packs.qualification.evaluators.behaviour import DEFAULT_POPULATION

CaseExpected = Mapping[str, JsonValue]


def can_be_outside(type_: str) -> bool:
    """Does this evaluator type leave some cases out?"""
    return type_ in ("behaviour", "confusion_subset", "required_facts", "class_recall", "class_precision")


def applies(type_: str, config: Mapping[str, JsonValue], expected: CaseExpected) -> bool:
    """Can a case with this `expected` be in the evaluator's population? Precision depends on replies: True."""

    def listed(name: str, default: Sequence[str] = ()) -> Sequence[JsonValue]:
        found = config.get(name)
        return found if isinstance(found, list) and found else default

    def expected_value(default: str) -> JsonValue:
        name = config.get("expected_field", default)
        return expected.get(name) if isinstance(name, str) else None

    match type_:
        case "behaviour":
            return expected_value("required_behaviour") in listed("applicable_behaviours", DEFAULT_POPULATION)
        case "confusion_subset":
            return expected.get("label") in listed("critical_labels")
        case "required_facts":
            return bool(expected.get("required_facts"))
        case "class_recall":
            return expected_value("label") == config.get("class_label")
    return True


def population_size(
    evaluators: Iterable[tuple[str, Mapping[str, JsonValue]]], cases: Iterable[CaseExpected]
) -> int:
    """How many of the cases can give an applicable row of a test with these (type, config) evaluators."""
    pairs = list(evaluators)
    return sum(any(applies(type_, config, expected) for type_, config in pairs) for expected in cases)
