"""Does the reply hold every fact the case asks for, ignoring case?"""

from __future__ import annotations

from collections.abc import Mapping

from packs.canonical import JsonValue
from packs.qualification.evaluators.base import EvaluatorOutcome, failing, outside, passing
from packs.qualification.pack import Case
from packs.qualification.replies import Reply


class RequiredFacts:
    kind = "reference"
    type = "required_facts"
    settings: tuple[str, ...] = ()

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        listed = case.expected.get("required_facts")
        facts = list(listed) if isinstance(listed, list | tuple) else []
        if not facts:
            return outside([], [], "The case asks for no facts.")
        content = reply.content.casefold()
        absent = [fact for fact in facts if fact.casefold() not in content]
        if not absent:
            return passing(facts, absent, "Every fact is there.")
        return failing("omission", facts, absent, f"Not in the reply: {'; '.join(absent)}.")
