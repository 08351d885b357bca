"""Does the reply hold back or pass on where the case asks for it?"""

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

DEFAULT_POPULATION = ("abstain", "escalate")


class Behaviour:
    kind = "reference"
    type = "behaviour"
    settings = ("field", "expected_field", "applicable_behaviours", "abstain_failure_type")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        name = text_setting(config, "field", "behaviour")
        wanted = case.expected.get(text_setting(config, "expected_field", "required_behaviour"))
        listed = config.get("applicable_behaviours")
        population = listed if isinstance(listed, list) and listed else DEFAULT_POPULATION
        actual = observed_text(reply, name)
        if wanted not in population:
            return outside(wanted, None, "The case asks for none of the behaviours tested.")
        if actual is None:
            return unscorable(wanted, name)
        if actual == wanted:
            return passing(wanted, actual, "The behaviour is the one asked for.")
        special = config.get("abstain_failure_type")
        code = special if wanted == "abstain" and isinstance(special, str) and special else "behaviour_mismatch"
        return failing(code, wanted, actual, "The behaviour is another one.")
