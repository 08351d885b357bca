"""Strict JSON (RFC 8259): no NaN, no comments, no trailing commas; bounded in depth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import NoReturn

MAX_DEPTH = 500
"""Nesting of lists and objects in an answer. Deeper data is nothing a person asked for."""
MAX_FILE_DEPTH = 100
"""The same in a file of a pack."""

_EXACT = 2**53
_BRACKET_OR_TEXT = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


class JsonFault(ValueError):
    """The text is not strict JSON. `reason` in plain words; `offset` in code points from the start."""

    def __init__(self, reason: str, offset: int, *, code: str = "syntax") -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset
        self.code = code


class DuplicateKey(JsonFault):
    def __init__(self, key: str) -> None:
        super().__init__(f"The key '{key}' stands twice in one object.", 0, code="duplicate_key")
        self.key = key


def parse(text: str, *, unique_keys: bool = False, max_depth: int = MAX_DEPTH) -> object:
    """The value of a JSON text. Numbers beyond 2^53 become doubles, overflow becomes infinity.

    unique_keys: refuse an object that names a key twice (the format itself lets the last count).
    Raises JsonFault, nothing else, whatever the text.
    """
    if depth_exceeds(text, max_depth):
        raise JsonFault(f"It is nested more than {max_depth} levels deep.", 0, code="too_deep")
    try:
        return json.loads(
            text,
            parse_int=_integer,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique if unique_keys else None,
        )
    except JsonFault as fault:
        if fault.code == "constant":
            raise JsonFault(fault.reason, _constant_offset(text), code="constant") from None
        if isinstance(fault, DuplicateKey):
            parse(text, max_depth=max_depth)  # a fault further on comes first: without it there is no tree
        raise
    except json.JSONDecodeError as error:
        code, reason = explain(text, error.pos, error.msg)
        raise JsonFault(reason, error.pos, code=code) from None
    except RecursionError:
        raise JsonFault("It is nested too deep.", 0, code="too_deep") from None


def depth_exceeds(text: str, limit: int) -> bool:
    """Are more than `limit` brackets open at once, outside of texts?"""
    if text.count("[") + text.count("{") <= limit:
        return False
    depth = 0
    for match in _BRACKET_OR_TEXT.finditer(text):
        char = match[0][0]
        if char in "[{":
            depth += 1
            if depth > limit:
                return True
        elif char in "]}":
            depth -= 1
    return False


def explain(text: str, offset: int, message: str) -> tuple[str, str]:
    """What stands at `offset` and why JSON does not allow it: a stable code, and a sentence in plain words."""
    rest = text[offset : offset + 20]
    before = text[:offset].rstrip(" \t\r\n")
    word = re.match(r"(True|False|None|undefined|nan|inf)\b", rest)
    if not rest.strip():
        return ("cut_off", "It ends too early.") if text.strip() else ("empty", "It is empty.")
    if rest[0] in "“”„‟«»":
        return "curly_quotes", "Curly quotes stand where straight ones are needed."
    if rest[0] in "'‘’`":
        return "single_quotes", "Single quotes stand where double quotes are needed."
    if rest.startswith(("//", "/*", "#")):
        return "comment", "A comment stands here; JSON has none."
    if (before.endswith(",") and rest[0] in "}]") or (rest[0] == "," and rest[1:].lstrip()[:1] in ("}", "]")):
        return "trailing_comma", "A comma stands before a closing bracket."
    if word is not None:
        return "not_json_word", f"'{word[0]}' is no JSON word."
    if "control character" in message:
        return "line_break_in_text", "A line break or tab stands inside a text; write it as \\n or \\t."
    if "escape" in message:
        return "bad_escape", "A backslash stands inside a text before a sign it cannot be used with."
    if "delimiter" in message and "','" in message:
        return "missing_comma", "A comma is missing."
    if "delimiter" in message:
        return "missing_colon", "A colon is missing after a key."
    if rest[0] == "+" or re.match(r"0[0-9x]|\.[0-9]", text[max(0, offset - 1) : offset + 2]):
        return "number_form", "A number is written in a way that JSON does not know."
    if "property name" in message:
        return "unquoted_key", "A key stands without double quotes."
    if "Extra data" in message:
        return "text_after", "More text follows after the value."
    return "syntax", f"'{rest[0]}' cannot stand here."


def _integer(digits: str) -> int | float:
    if len(digits) > 17:
        return float(digits)
    value = int(digits)
    return value if -_EXACT <= value <= _EXACT else float(value)


def _refuse_constant(word: str) -> NoReturn:
    raise JsonFault(f"{word} is no JSON number.", 0, code="constant")


def _constant_offset(text: str) -> int:
    outside = re.compile(r'"(?:[^"\\]|\\.)*"|(NaN|-?Infinity)', re.DOTALL)
    for match in outside.finditer(text):
        if match[1]:
            return match.start()
    return 0


def _unique(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            raise DuplicateKey(key)
        result[key] = value
    return result


def shown(value: object, limit: int = 80) -> str:
    """A JSON value as one short line for a message; never raises on lone surrogates."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= limit else text[: limit - 1] + "…"
