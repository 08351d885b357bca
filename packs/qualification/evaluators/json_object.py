"""Is the reply a JSON object with the fields and values agreed?"""

from __future__ import annotations

from collections.abc import Mapping

from packs.canonical import JsonValue
from packs.qualification.evaluators.base import EvaluatorOutcome, failing, passing
from packs.qualification.pack import Case
from packs.qualification.replies import Reply


class JsonObject:
    kind = "deterministic"
    type = "json_object"
    settings = ("required_fields", "allowed_values")

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome:
        required = config.get("required_fields") or []
        allowed = config.get("allowed_values") or {}
        assert isinstance(required, list)
        assert isinstance(allowed, dict)
        wanted: JsonValue = {"required_fields": required}
        parsed = reply.parsed
        cut = reply.finish_reason == "length"
        code = "truncated" if cut else "schema_violation"
        if parsed is None:
            return failing(code, wanted, None, "The reply is not one JSON object.")
        actual = {name: parsed[name] for name in required if name in parsed}
        absent = [name for name in required if not _filled(parsed.get(name))]
        if absent:
            return failing(code, wanted, actual, f"No text in: {', '.join(map(str, absent))}.")
        bad = [name for name, values in allowed.items() if not _one_of(parsed.get(name), values)]
        if bad:
            return failing(
                "invalid_value",
                {name: allowed[name] for name in bad},
                {name: parsed.get(name) for name in bad},
                f"None of the allowed values in: {', '.join(map(str, bad))}.",
            )
        return passing(wanted, actual, "The reply is the object agreed.")


def _one_of(value: JsonValue, values: JsonValue) -> bool:
    return isinstance(value, str) and isinstance(values, list) and value in values


def _filled(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value)
