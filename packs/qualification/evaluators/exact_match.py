"""Does one field of the reply equal the reference, character for character?"""

from __future__ import annotations

from collections.abc import Mapping

from packs.canonical import JsonValue
from packs.qualification.evaluators.base import (
    EvaluatorOutcome,
    failing,
    observed_text,
    passing,
    text_setting,
    unscorable,
)
from packs.qualification.pack import Case
from packs.qualification.replies import Reply


class ExactMatch:
    kind = "deterministic"
    type = "exact_match"
    settings = ("field", "expected_field")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        name = text_setting(config, "field", "label")
        wanted = case.expected.get(text_setting(config, "expected_field", "label"))
        actual = observed_text(reply, name)
        if actual is None:
            return unscorable(wanted, name)
        if wanted is not None and actual == wanted:
            return passing(wanted, actual, f"'{name}' equals the reference.")
        return failing("label_mismatch", wanted, actual, f"'{name}' differs from the reference.")
