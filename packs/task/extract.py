"""Finding the JSON in a model's answer (task-pack format, section 7)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packs.documents.strict_json import JsonFault, parse
from packs.task.text import trim

_OPENING = re.compile(r"[{\[]")
_CLOSING = {"{": "}", "[": "]"}
_TOKENS = {
    bracket: re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[' + re.escape(bracket + closing) + "]", re.DOTALL)
    for bracket, closing in _CLOSING.items()
}


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found.

    ok: `value` is the JSON value. carved: it had to be cut out of other text.
    error: 'none' (no opening bracket), 'unclosed', 'invalid', or None. bracket: the opening one, for
    'unclosed'. at: UTF-16 units of the trimmed text, as the format counts. start, end: the piece that was
    read, in code points of the trimmed text. fault: why it is not JSON, with its offset inside the piece.
    """

    ok: bool
    carved: bool
    value: object = None
    error: str | None = None
    bracket: str | None = None
    at: int | None = None
    start: int = 0
    end: int = 0
    fault: JsonFault | None = None


def extract_json(text: str) -> Extraction:
    """Never raises. Duplicate keys inside an answer: the last counts."""
    text = trim(text)
    try:
        return Extraction(True, False, parse(text), end=len(text))
    except JsonFault as fault:
        whole_fault = fault
    opening = _OPENING.search(text)
    if opening is None:
        return Extraction(False, False, error="none", end=len(text), fault=whole_fault)
    start, bracket = opening.start(), opening[0]
    at = len(text[:start].encode("utf-16-le", "surrogatepass")) // 2
    end = _closed_at(text, start, bracket)
    if end is None:
        never = JsonFault(f"The '{bracket}' is never closed.", len(text) - start, code="unclosed")
        return Extraction(
            False, True, error="unclosed", bracket=bracket, at=at, start=start, end=len(text), fault=never
        )
    try:
        return Extraction(True, True, parse(text[start:end]), start=start, end=end)
    except JsonFault as fault:
        return Extraction(False, True, error="invalid", at=at, start=start, end=end, fault=fault)


def _closed_at(text: str, start: int, bracket: str) -> int | None:
    """End (excluded) of the piece that begins with `bracket`; only that kind of bracket is counted."""
    depth = 0
    for match in _TOKENS[bracket].finditer(text, start):
        if match[0] == bracket:
            depth += 1
        elif match[0] == _CLOSING[bracket]:
            depth -= 1
            if depth == 0:
                return match.end()
    return None
