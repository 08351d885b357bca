"""What limits an answer to the form that a scorer reads: a grammar of labels or of a number, or a schema.

A constrained answer says how well a model chooses, not whether it keeps to a form; results of the two kinds are
never mixed without saying so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop.inference.backends.base import Constraint
from packs.task.model import TaskPack

NUMBER_GRAMMAR = r"""root ::= "-"? whole ("." [0-9]{1,9})?
whole ::= "0" | [1-9] [0-9]{0,14}
"""
"""A plain number as the numeric scorer reads it: no groups, no currency, no exponent."""


def constraint_for(pack: TaskPack) -> Constraint | None:
    """By the scorer, or by a json-schema gate; None where neither tells the form of an answer (pattern)."""
    params = pack.scorer_params
    for spec in (*pack.gates, pack.scoring.primary_spec):
        schema = spec.params.get("schema")
        if spec.scorer == "json-schema" and isinstance(schema, Mapping):
            return Constraint(json_schema=schema)
    if pack.scorer == "exact-label":
        return Constraint(grammar=label_grammar(params["labels"]))
    if pack.scorer == "numeric-tolerance":
        return Constraint(grammar=NUMBER_GRAMMAR)
    if pack.scorer == "field-f1":
        expected = [example.expected for example in pack.examples]
        return Constraint(json_schema=object_schema(params["key_fields"], expected))
    return None


def label_grammar(labels: Sequence[str]) -> str:
    """GBNF that allows one of the labels as declared, and nothing else."""
    return "root ::= " + " | ".join(_literal(label) for label in dict.fromkeys(labels)) + "\n"


def object_schema(key_fields: Sequence[str], expected: Sequence[object]) -> dict[str, Any]:
    """An object with just the key fields, each of the kinds that the examples' expected values have.

    The values themselves do not enter: a schema must not give the answer away.
    """
    properties: dict[str, Any] = {}
    for name in dict.fromkeys(key_fields):
        values = [entry[name] for entry in expected if isinstance(entry, Mapping) and name in entry]
        properties[name] = _kinds(values)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _kinds(values: Sequence[object]) -> dict[str, Any]:
    kinds = sorted({_kind(value) for value in values})
    if not kinds or "array" in kinds or "object" in kinds:
        return {}
    return {"type": kinds[0]} if len(kinds) == 1 else {"type": kinds}


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _literal(text: str) -> str:
    """A GBNF text: quotes, backslashes and control characters escaped, all else as it stands."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(f"\\x{ord(mark):02x}" if ord(mark) < 32 else mark for mark in escaped) + '"'
