"""The form in which a request travels: as the format has it, or as Ollama's native API has it.

Ollama's OpenAI-compatible path ignores the context length and cuts prompts in silence; its native one obeys.
Evidence keeps requests and replies in the format's own form either way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit

from packs.canonical import JsonValue
from packs.qualification.requests import chat_url

OPENAI, OLLAMA = "openai", "ollama"
APIS = (OPENAI, OLLAMA)
_OWN = ("model", "messages", "temperature", "top_p", "seed", "max_tokens", "options")


class Wire(Protocol):
    def url(self, endpoint: str, interface_path: str) -> str: ...
    def request(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]: ...
    def reply(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]: ...


class PlainWire:
    """Requests and replies as they are."""

    def url(self, endpoint: str, interface_path: str) -> str:
        return chat_url(endpoint, interface_path)

    def request(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        return body

    def reply(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        return body


class OllamaWire:
    """`/api/chat`. Extras under `options` join the sampling options; other extras stand beside them."""

    def url(self, endpoint: str, interface_path: str) -> str:
        parts = urlsplit(endpoint)
        return f"{parts.scheme}://{parts.netloc}/api/chat"

    def request(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        extra = body.get("options")
        options: dict[str, JsonValue] = {
            "temperature": body.get("temperature"),
            "top_p": body.get("top_p"),
            "seed": body.get("seed"),
            "num_predict": body.get("max_tokens"),
            **(extra if isinstance(extra, dict) else {}),
        }
        return {
            "model": body.get("model"),
            "messages": body.get("messages"),
            "stream": False,
            "options": options,
            **{name: value for name, value in body.items() if name not in _OWN},
        }

    def reply(self, body: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """Message, finish reason and counts at the format's places; what else came stays beside them."""
        message = body.get("message")
        prompt, written = body.get("prompt_eval_count"), body.get("eval_count")
        usage: dict[str, JsonValue] = {}
        if isinstance(prompt, int):
            usage["prompt_tokens"] = prompt
        if isinstance(written, int):
            usage["completion_tokens"] = written
        if isinstance(prompt, int) and isinstance(written, int):
            usage["total_tokens"] = prompt + written
        rest = {name: value for name, value in body.items() if name not in ("message", "done_reason")}
        return {
            **rest,
            "choices": [{"index": 0, "message": message, "finish_reason": body.get("done_reason")}],
            "usage": usage,
        }


def wire_for(api: str) -> Wire:
    return OllamaWire() if api == OLLAMA else PlainWire()
