"""JSON text for evidence files, safe for whatever a model or server put into it.

Keys are sorted. Line separators that a reader might split at are escaped, half surrogate pairs are written as
escapes, and numbers that are no JSON become texts, so that no content can decide whether evidence is written
(qualification-pack format, section 28, W2).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from packs.canonical import JsonValue

_SEPARATORS = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"})
DEPTH = 100


def finite(value: JsonValue, depth: int = 0) -> JsonValue:
    """The same tree with NaN and infinities as the texts 'NaN', 'Infinity', '-Infinity'.

    What is nested deeper than `DEPTH` levels becomes the text '[too deep]'.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict | list | tuple) and depth > DEPTH:
        return "[too deep]"
    if isinstance(value, dict):
        return {str(key): finite(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item, depth + 1) for item in value]
    return value


def line(value: JsonValue) -> bytes:
    """One compact line with its LF. `value` must be finite."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _encode(text) + b"\n"


def lines(values: Iterable[JsonValue]) -> bytes:
    return b"".join(line(value) for value in values)


def document(value: JsonValue) -> bytes:
    """An indented document with its final LF. `value` must be finite."""
    return _encode(json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)) + b"\n"


def _encode(text: str) -> bytes:
    """Only inside JSON strings can these characters stand, so replacing them keeps the JSON the same."""
    if not text.isascii():
        text = text.translate(_SEPARATORS)
    return text.encode("utf-8", "backslashreplace")
