"""What may go into the journal: finite numbers, valid text, plain JSON.

Answers come from servers that may say anything. A number that is not finite becomes None (a figure) or a word
(inside JSON), half a surrogate pair becomes U+FFFD, so that what is stored can always be read again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from desktop.inference.backends.base import JsonValue

MAX_DEPTH = 40
"""JSON nested deeper is cut and said to be; no record of ours comes near."""


def finite(value: float | None) -> float | None:
    """The number, or None when it is none that can be stored."""
    return value if value is not None and math.isfinite(value) else None


def storable_text(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def storable(value: object, depth: int = 0) -> JsonValue:
    """Plain JSON with the same content: tuples as lists, keys as text, anything unknown as its text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return storable_text(str(value))
    if depth >= MAX_DEPTH:
        return "… (nested too deep)"
    if isinstance(value, Mapping):
        return {storable_text(str(key)): storable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(item, depth + 1) for item in value]
    return storable_text(str(value))


def to_json(value: object) -> str:
    """Compact JSON text, keys in their order, no NaN."""
    return json.dumps(storable(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_json_object(text: str | None) -> Mapping[str, JsonValue]:
    """The stored mapping; empty for NULL and for anything that is not a mapping."""
    value = json.loads(text) if text else None
    return value if isinstance(value, dict) else {}


def from_json_texts(text: str | None) -> tuple[str, ...]:
    """The stored list of texts; empty for NULL."""
    value = json.loads(text) if text else None
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
