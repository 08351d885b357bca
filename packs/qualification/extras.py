"""What a request may carry beside the fixed fields, and what looks like a credential. Format, section 7.3."""

from __future__ import annotations

import math
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.documents.problems import FieldPath
from packs.qualification.redaction import scrub_text

RESERVED = frozenset(
    (
        "model",
        "messages",
        "temperature",
        "top_p",
        "seed",
        "max_tokens",
        "max_completion_tokens",
        "stream",
        "n",
        "extra_body",
    )
)
CREDENTIAL_WORDS = (
    "api_key",
    "apikey",
    "api_token",
    "access_token",
    "authorization",
    "password",
    "secret",
    "bearer",
    "credential",
)
DEPTH = 60


@dataclass(frozen=True, slots=True)
class Refusal:
    """reason: 'not_object', 'reserved', 'credential', 'not_finite'. path: inside the extras."""

    reason: str
    path: FieldPath
    message: str
    fix: str


def refusal(extras: JsonValue) -> Refusal | None:
    """Why these extras may not be sent; None when they may."""
    if not isinstance(extras, dict):
        return Refusal("not_object", (), "Request extras must be a group of fields.", 'Write {"name": value}.')
    for name in extras:
        if name in RESERVED:
            return Refusal(
                "reserved",
                (name,),
                f"'{name}' is set by the run itself and cannot be an extra.",
                "Use the sampling settings, or remove it.",
            )
    return _inside(extras, (), 0)


def _inside(value: JsonValue, path: FieldPath, depth: int) -> Refusal | None:
    if depth > DEPTH:
        return Refusal("not_object", path, "The extras are nested too deep.", "Flatten them.")
    if isinstance(value, dict):
        for name, item in value.items():
            here = (*path, name)
            folded = str(name).lower().replace("-", "_")
            if any(word in folded for word in CREDENTIAL_WORDS):
                return Refusal(
                    "credential",
                    here,
                    f"'{name}' looks like a credential; extras are stored in the evidence.",
                    "Give keys through the environment (ETALON_API_KEY or OPENAI_API_KEY).",
                )
            found = _inside(item, here, depth + 1)
            if found:
                return found
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found = _inside(item, (*path, index), depth + 1)
            if found:
                return found
    elif isinstance(value, str) and scrub_text(value)[1]:
        return Refusal(
            "credential", path, "A value looks like a secret; extras are stored in the evidence.", "Remove it."
        )
    elif isinstance(value, float) and not math.isfinite(value):
        return Refusal("not_finite", path, f"{value} cannot be sent as JSON.", "Write a finite number.")
    return None


def effective_extras(pack: dict[str, JsonValue], flag: dict[str, JsonValue] | None) -> dict[str, JsonValue]:
    """Extras of the pack with those of `--extra-body` laid over, key by key at the top level."""
    return {**pack, **(flag or {})}
