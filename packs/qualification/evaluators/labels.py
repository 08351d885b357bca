"""Labels that must stay within a critical set, and routes with their kinds of failure."""

from __future__ import annotations

from collections.abc import Mapping

from packs.canonical import JsonValue
from packs.qualification.evaluators.base import (
    EvaluatorOutcome,
    failing,
    observed_text,
    outside,
    passing,
    text_setting,
    unscorable,
)
from packs.qualification.pack import Case
from packs.qualification.replies import Reply
from packs.qualification.taxonomy import is_ambiguous, label_failure


def critical_labels(config: Mapping[str, JsonValue]) -> list[str]:
    listed = config.get("critical_labels")
    return list(listed) if isinstance(listed, list | tuple) else []


class ConfusionSubset:
    """A critical case must get a critical label, whichever."""

    kind = "reference"
    type = "confusion_subset"
    settings = ("field", "critical_labels")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        name = text_setting(config, "field", "label")
        critical = critical_labels(config)
        wanted = case.expected.get("label")
        actual = observed_text(reply, name)
        if wanted not in critical:
            return outside(wanted, None, "The reference is not a critical label.")
        if actual is None:
            return unscorable(wanted, name)
        if actual in critical:
            return passing(wanted, actual, "The label stays within the critical set.")
        return failing("critical_misroute", wanted, actual, "A critical case got a label that is not critical.")


class RouteLabel:
    kind = "reference"
    type = "route_label"
    settings = ("field", "expected_field", "critical_labels")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        name = text_setting(config, "field", "label")
        wanted = case.expected.get(text_setting(config, "expected_field", "label"))
        actual = observed_text(reply, name)
        if actual is None:
            return unscorable(wanted, name)
        code = label_failure(wanted, actual, critical_labels(config), ambiguous=is_ambiguous(case))
        if code is None:
            return passing(wanted, actual, "The route is the reference one.")
        return failing(code, wanted, actual, "The route is another one.")
