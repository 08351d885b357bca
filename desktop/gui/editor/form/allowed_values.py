"""The allowed values of a field in a schema as one line of text, and back. Free of Qt."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from packs.documents.strict_json import JsonFault, parse


def allowed_text(values: Sequence[Any]) -> str:
    """`red, green` or `1, 2`; a JSON list where commas would not tell the values apart."""
    texts = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values]
    plain = all(text == text.strip() and text and "," not in text for text in texts)
    if plain and not "".join(texts[:1]).startswith("["):
        return ", ".join(texts)
    return json.dumps(list(values), ensure_ascii=False)


def allowed_values(text: str, kind: str) -> list[Any]:
    """What is written between commas, or as a JSON list, each value once.

    kind: type of the field in JSON Schema. What suits it is read as such, anything else stays a text.
    """
    body = text.strip()
    try:
        found = parse(body) if body.startswith("[") else None
    except JsonFault:
        found = None
    parts = found if isinstance(found, list) else [part.strip() for part in body.split(",") if part.strip()]
    values: list[Any] = []
    for part in parts:
        value = _as_kind(part, kind)
        if not any(type(value) is type(known) and value == known for known in values):
            values.append(value)
    return values


def _as_kind(value: Any, kind: str) -> Any:
    if kind == "string":
        return value if isinstance(value, str) or value is None else json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return value
    try:
        read = parse(value)
    except JsonFault:
        return value
    match read:
        case bool():
            suits = kind == "boolean"
        case int() | float():
            suits = math.isfinite(read) and (kind == "number" or (kind == "integer" and read == int(read)))
        case list() | dict():
            suits = kind == ("array" if isinstance(read, list) else "object")
        case _:
            suits = False
    return read if suits else value
