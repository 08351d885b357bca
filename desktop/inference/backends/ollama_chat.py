"""Ollama's native chat API for qualifications.

Its OpenAI-compatible path ignores the context length and cuts prompts in silence; this one obeys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from packs.canonical import JsonValue

_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_OWN = ("model", "messages", "temperature", "top_p", "seed", "max_tokens", "options")


class OllamaChatApi:
    """`/api/chat`. Extras under `options` join the sampling options; other extras stand beside them."""

    sets_context = True
    note = "The model was asked through Ollama's native API."

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


def runtime_digests(tags: JsonValue) -> dict[str, str]:
    """By model name, out of `/api/tags`. Ollama writes its digests without 'sha256:' (section 28, W28); both
    spellings count."""
    found: dict[str, str] = {}
    models = tags.get("models") if isinstance(tags, dict) else None
    for entry in models if isinstance(models, list) else ():
        if not isinstance(entry, dict):
            continue
        match = _DIGEST.fullmatch(str(entry.get("digest", "")))
        if match:
            for name in (entry.get("name"), entry.get("model")):
                if isinstance(name, str):
                    found[name] = f"sha256:{match.group(1)}"
    return found
