"""Recall and precision of one class: the population is the class's references, or its predictions."""

from __future__ import annotations

from collections.abc import Mapping

from packs.canonical import JsonValue
from packs.qualification.evaluators.base import EvaluatorOutcome, failing, outside, passing, text_setting
from packs.qualification.pack import Case
from packs.qualification.replies import Reply


def _pair(config: Mapping[str, JsonValue], case: Case, reply: Reply) -> tuple[JsonValue, JsonValue, JsonValue]:
    """(class, reference, prediction). The prediction of a cut or failed reply counts as absent."""
    label = config["class_label"]
    wanted = case.expected.get(text_setting(config, "expected_field", "label"))
    readable = reply.error is None and not reply.truncated and reply.parsed is not None
    name = text_setting(config, "field", "label")
    actual = reply.parsed.get(name) if readable and reply.parsed is not None else None
    return label, wanted, actual


class ClassRecall:
    kind = "reference"
    type = "class_recall"
    settings = ("class_label", "field", "expected_field")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        label, wanted, actual = _pair(config, case, reply)
        if wanted != label:
            return outside(wanted, actual, "The reference is another class.")
        if actual == label:
            return passing(wanted, actual, "The class was found.")
        return failing("class_mismatch", wanted, actual, "The class was not found.")


class ClassPrecision:
    kind = "reference"
    type = "class_precision"
    settings = ("class_label", "field", "expected_field")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        label, wanted, actual = _pair(config, case, reply)
        if actual != label:
            return outside(wanted, actual, "The reply does not name the class.")
        if wanted == label:
            return passing(wanted, actual, "The class was named rightly.")
        return failing("class_mismatch", wanted, actual, "The class was named wrongly.")
