"""Failures in groups with examples: the content of `failures.json`. Format, section 20."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.scoring import failing_rows

EXAMPLES = 5
FURTHER_SENSITIVE = 2
PLACEHOLDER = "[redacted]"

Row = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """What of sensitive cases is hidden where something is shown: format, sections 3 and 18.2."""

    inputs: bool = True
    outputs: bool = True
    strip_reasoning: bool = False
    placeholder: str = PLACEHOLDER

    def as_json(self) -> dict[str, JsonValue]:
        return {
            "redact_sensitive_inputs": self.inputs,
            "redact_sensitive_outputs": self.outputs,
            "strip_reasoning": self.strip_reasoning,
            "placeholder": self.placeholder,
        }


def policy_of(record: JsonValue) -> RedactionPolicy:
    """From `as_json` or a policy file; what is missing keeps its default."""
    found = record if isinstance(record, dict) else {}
    return RedactionPolicy(
        inputs=found.get("redact_sensitive_inputs", True) is not False,
        outputs=found.get("redact_sensitive_outputs", True) is not False,
        strip_reasoning=found.get("strip_reasoning", False) is True,
        placeholder=str(found.get("placeholder", PLACEHOLDER)),
    )


def failure_groups(rows: Sequence[Row], policy: RedactionPolicy) -> dict[str, JsonValue]:
    """One group a corpus and code. What derives from a sensitive reply is hidden as the policy says (W6)."""
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in failing_rows(rows):
        grouped.setdefault((str(row["corpus"]), str(row["failure_type"])), []).append(row)
    groups: list[JsonValue] = [
        {
            "corpus": corpus,
            "failure_type": code,
            "severity": members[0]["severity"],
            "count": len(members),
            "examples": [example(row, policy) for row in _chosen(members)],
        }
        for (corpus, code), members in sorted(grouped.items())
    ]
    return {"groups": groups}


def _chosen(members: Sequence[Row]) -> list[Row]:
    chosen = list(members[:EXAMPLES])
    further = [row for row in members[EXAMPLES:] if row["sensitive"]][:FURTHER_SENSITIVE]
    for row in further:
        plain = [index for index, shown in enumerate(chosen) if not shown["sensitive"]]
        if plain:
            chosen[plain[-1]] = row
    return chosen


def example(row: Row, policy: RedactionPolicy) -> dict[str, JsonValue]:
    """A failing row as it may be shown: every column that derives from a sensitive reply is hidden."""
    evidence = row["evidence"]
    assert isinstance(evidence, dict)
    hidden = row["sensitive"] is True
    return {
        "case_id": row["case_id"],
        "test_id": row["test_id"],
        "severity": row["severity"],
        "expected": policy.placeholder if hidden and policy.inputs else evidence["expected"],
        "actual": policy.placeholder if hidden and policy.outputs else evidence["actual"],
        "detail": policy.placeholder if hidden and policy.outputs else evidence["detail"],
        "input_ref": evidence["input_ref"],
        "output_ref": evidence["output_ref"],
    }
