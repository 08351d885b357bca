"""How a route can be wrong: qualification-pack format, section 9.1. Cases: qualification/judge.json."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from packs.canonical import JsonValue
from packs.qualification.pack import Case

ROUTE_CODES = ("critical_misroute", "abstain_miss", "soft_ambiguity", "label_mismatch", "behaviour_mismatch")
"""In order of precedence."""


def is_ambiguous(case: Case) -> bool:
    return case.coverage.get("input_character") == "ambiguous" or case.metadata.get("ambiguity") == "soft"


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def label_failure(
    expected: JsonValue, actual: JsonValue, critical: Collection[str], *, ambiguous: bool
) -> str | None:
    """The code of a wrong label, None for a right one. Empty and non-text labels count as absent."""
    wanted, found = _text(expected), _text(actual)
    if wanted is None:
        return "label_mismatch"
    if wanted == found:
        return None
    if wanted in critical and found not in critical:
        return "critical_misroute"
    if ambiguous and wanted not in critical:
        return "soft_ambiguity"
    return "label_mismatch"


def behaviour_failure(expected: JsonValue, actual: JsonValue) -> str | None:
    wanted, found = _text(expected), _text(actual)
    if wanted is not None and wanted == found:
        return None
    return "abstain_miss" if wanted == "abstain" else "behaviour_mismatch"


def route_failure(case: Case, parsed: Mapping[str, JsonValue] | None, critical: Collection[str]) -> str | None:
    """Label and behaviour of a reply together, by the fixed field names `label` and `behaviour`."""
    reply = parsed or {}
    codes = {
        label_failure(case.expected.get("label"), reply.get("label"), critical, ambiguous=is_ambiguous(case)),
        behaviour_failure(case.expected.get("required_behaviour"), reply.get("behaviour")),
    }
    return next((code for code in ROUTE_CODES if code in codes), None)
