"""Reading what a drafting model answered, even when it thought aloud or was cut off."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_LONE_END = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_MAX_REPAIRS = 200
_MAX_UNCLOSED = 5


def without_reasoning(text: str) -> str:
    """The answer without thinking text: marked blocks, an unclosed block, all before a lone closing mark."""
    text = _THINKING.sub("", text)
    return _LONE_END.sub("", text).strip()


def read_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in `text`, or what can be saved of one that was cut off; None without any.

    Of a cut object every complete member and every complete list entry is kept. Never raises.
    """
    asked_for = _parse(text.strip())
    if isinstance(asked_for, dict):
        return asked_for  # whatever marks its texts hold
    body = without_reasoning(text)
    unclosed = 0
    for start in (place for place, sign in enumerate(body) if sign == "{"):
        whole = _parse(body[start : _end(body, start)])
        if isinstance(whole, dict):
            return whole
        if _end(body, start) == len(body):
            saved = _save_cut(body[start:])
            unclosed += 1
            # Else it may be a brace of prose that is never closed, before the object itself.
            if saved is not None or unclosed == _MAX_UNCLOSED:
                return saved
    return None


def _end(text: str, start: int) -> int:
    """Position after the bracket that closes the one at `start`; the end of the text when none does."""
    depth = 0
    in_text = escaped = False
    for place in range(start, len(text)):
        sign = text[place]
        if in_text:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                in_text = False
        elif sign == '"':
            in_text = True
        elif sign in "{[":
            depth += 1
        elif sign in "}]":
            depth -= 1
            if depth == 0:
                return place + 1
    return len(text)


def _save_cut(text: str) -> dict[str, Any] | None:
    """Cut back, comma by comma from the end, until what is open can simply be closed."""
    ends = [len(text), *(place for place, sign in enumerate(text) if sign in ",]}")]
    for end in sorted(set(ends), reverse=True)[:_MAX_REPAIRS]:
        keep = end + 1 if end < len(text) and text[end] in "]}" else end
        closing = _open_brackets(text[:keep])
        if closing is None:
            continue
        value = _parse(text[:keep] + closing)
        if isinstance(value, dict):
            return value
    return None


def _open_brackets(text: str) -> str | None:
    """What closes all open brackets of `text`; None inside a text."""
    stack: list[str] = []
    in_text = escaped = False
    for sign in text:
        if in_text:
            if escaped:
                escaped = False
            elif sign == "\\":
                escaped = True
            elif sign == '"':
                in_text = False
        elif sign == '"':
            in_text = True
        elif sign in "{[":
            stack.append("}" if sign == "{" else "]")
        elif sign in "}]" and stack:
            stack.pop()
    return None if in_text else "".join(reversed(stack))


def _parse(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        plain = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    try:
        plain.encode()
    except UnicodeEncodeError:
        # Half of a pair, as `\ud800`: a pack's file could not be written with it.
        return json.loads(plain.encode("utf-8", "replace"))
    return value


def _finite(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)
