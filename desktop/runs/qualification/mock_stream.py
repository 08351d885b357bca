"""A whole chat-completion reply as server-sent events, for clients that ask for a stream."""

from __future__ import annotations

import json
from collections.abc import Mapping

from packs.canonical import JsonValue

PIECE_CHARS = 12
"""Of the answer in one event: a few tokens of a real server."""


def wants_stream(request: Mapping[str, JsonValue]) -> bool:
    return request.get("stream") is True


def streamed(reply: Mapping[str, JsonValue], request: Mapping[str, JsonValue]) -> bytes:
    """The events of a reply made by `completion`, with the counts at the end where they are asked for."""
    message = _first(reply, "message")
    content = message.get("content") if isinstance(message, dict) else ""
    text = content if isinstance(content, str) else ""
    head = {"id": reply.get("id"), "object": "chat.completion.chunk", "model": reply.get("model")}
    events: list[dict[str, JsonValue]] = [{**head, "choices": [_choice({"role": "assistant"}, None)]}]
    for start in range(0, len(text), PIECE_CHARS):
        piece = text[start : start + PIECE_CHARS]
        events.append({**head, "choices": [_choice({"content": piece}, None)]})
    reason = _first(reply, "finish_reason")
    events.append({**head, "choices": [_choice({}, reason if isinstance(reason, str) else "stop")]})
    options = request.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage") is True:
        events.append({**head, "choices": [], "usage": reply.get("usage")})
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def _choice(delta: dict[str, JsonValue], reason: str | None) -> JsonValue:
    return {"index": 0, "delta": delta, "finish_reason": reason}


def _first(reply: Mapping[str, JsonValue], key: str) -> JsonValue:
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first.get(key) if isinstance(first, dict) else None
