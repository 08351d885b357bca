"""Reading a chat reply: content, object, finish reason and counts, whatever shape came back.

Qualification-pack format, section 8. Cases: qualification/parsing.json and requests.json (responses).
Nothing here raises on a reply, however odd (section 28, W1 and W2).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from packs.canonical import JsonValue

USAGE_KEYS = ("prompt_tokens", "completion_tokens", "total_tokens")


@dataclass(frozen=True, slots=True)
class Reply:
    """What scoring reads. parsed: the JSON object in the content, None without one.

    truncated: the first choice says finish_reason 'length'. error: the endpoint error, None without one.
    """

    content: str
    parsed: Mapping[str, JsonValue] | None
    finish_reason: str | None
    truncated: bool
    error: str | None = None


def read_reply(body: JsonValue, error: str | None = None) -> Reply:
    """From a chat-completion body. With an endpoint error the content is empty."""
    source = None if error is not None else body
    content = content_of(source)
    choice = _first_choice(source)
    return Reply(
        content=content,
        parsed=parse_object(content),
        finish_reason=finish_reason_of(source),
        truncated=choice.get("finish_reason") == "length",
        error=error,
    )


def _first_choice(body: JsonValue) -> Mapping[str, JsonValue]:
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else {}


def content_of(body: JsonValue) -> str:
    """`choices[0].message.content` when it is text, else the empty text."""
    message = _first_choice(body).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else ""


def empty_content(body: JsonValue) -> bool:
    return not content_of(body).strip()


def finish_reason_of(body: JsonValue) -> str | None:
    reason = _first_choice(body).get("finish_reason")
    if isinstance(reason, str) and reason:
        return reason
    reason = body.get("done_reason") if isinstance(body, dict) else None
    return reason if isinstance(reason, str) and reason else None


def usage_of(body: JsonValue) -> dict[str, int]:
    """Token counts that the server gave; nothing is estimated."""
    if not isinstance(body, dict):
        return {}
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    found: dict[str, int] = {}
    for name in USAGE_KEYS:
        if _is_count(usage.get(name)):
            found[name] = usage[name]
    for name, native in (("prompt_tokens", "prompt_eval_count"), ("completion_tokens", "eval_count")):
        if name not in found and _is_count(body.get(native)):
            found[name] = body[native]
    details = usage.get("completion_tokens_details")
    for holder in (usage, details if isinstance(details, dict) else {}):
        if "reasoning_tokens" not in found and _is_count(holder.get("reasoning_tokens")):
            found["reasoning_tokens"] = holder["reasoning_tokens"]
    return found


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def parse_object(text: str) -> dict[str, JsonValue] | None:
    """The JSON object that is the whole text, one code fence around it allowed; None otherwise.

    NaN and infinities are accepted as values and the last of duplicate keys counts, as the format says.
    """
    stripped = text.strip()
    if stripped.startswith("```"):
        lines = stripped.splitlines()[1:]
        if lines and lines[-1].strip() == "```":
            lines = lines[:-1]
        stripped = "\n".join(lines).strip()
    if not stripped.startswith("{"):
        return None
    try:
        value: JsonValue = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
