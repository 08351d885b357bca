"""What one OpenAI-compatible server knows beyond the two addresses that all have. All of it is optional."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from desktop.inference.backends.base import JsonValue, ModelRef
from desktop.inference.backends.chat_stream import count, positive
from desktop.inference.backends.cloud_names import is_cloud_name
from desktop.inference.backends.server_session import ServerSession

BACKEND = "openai"
_MAX_MODELS = 2000


@dataclass(frozen=True, slots=True)
class ServerExtras:
    """kind: 'llama.cpp', 'vllm', 'rapid-mlx', 'other'. words: name and version. Unknown is None."""

    kind: str = "other"
    message: str = "OpenAI-compatible server"
    context_tokens: int | None = None
    has_chat_template: bool | None = None
    model_loaded: bool | None = None
    clears_cache: bool = False

    @property
    def counts_tokens(self) -> bool:
        return self.kind in ("llama.cpp", "vllm")

    @property
    def grammar_field(self) -> str | None:
        """The request field that takes a GBNF grammar."""
        return "grammar" if self.kind == "llama.cpp" else None

    def body_extras(self, *, thinking: bool) -> list[dict[str, JsonValue]]:
        """Sets of additional request fields worth trying, the fullest first, none last."""
        usage: dict[str, JsonValue] = {"stream_options": {"include_usage": True}}
        template: dict[str, JsonValue] = {"chat_template_kwargs": {"enable_thinking": thinking}}
        sets: list[dict[str, JsonValue]] = [usage, {}]
        if self.kind in ("llama.cpp", "vllm"):
            sets.insert(0, {**usage, **template})
        if self.kind == "llama.cpp":
            sets.insert(0, {**usage, **template, "cache_prompt": False, "return_progress": True})
        return sets


async def probe_extras(session: ServerSession) -> ServerExtras:
    """Ask around. Never raises; what a server does not know is left unknown."""
    props = await session.ask_if_known("GET", "/props")
    if props is not None and "default_generation_settings" in props:
        return _llama_cpp(props)
    version = await session.ask_if_known("GET", "/version")
    if version is not None and isinstance(version.get("version"), str):
        return ServerExtras("vllm", f"vLLM {version['version']}", context_tokens=await _listed_context(session))
    described = await session.ask_if_known("GET", "/openapi.json")
    health = await session.ask_if_known("GET", "/health") or {}
    loaded = health.get("model_loaded")
    message = _described(described)
    if isinstance(loaded, bool):
        cleared = await session.ask_if_known("POST", "/v1/cache/clear", {})
        return ServerExtras("rapid-mlx", message, model_loaded=loaded, clears_cache=cleared is not None)
    return ServerExtras("other", message, context_tokens=await _listed_context(session))


def models_of(data: object, *, remote: bool) -> list[ModelRef]:
    """The models of `/v1/models`; entries without an id are passed over."""
    entries = data.get("data") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        return []
    models = []
    for entry in entries[:_MAX_MODELS]:
        name = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(name, str) and name:
            meta = entry.get("meta")
            size = count(meta.get("size")) if isinstance(meta, dict) else None
            models.append(
                ModelRef(BACKEND, name, size_bytes=size or None, remote=remote or is_cloud_name(name))
            )
    return models


async def count_tokens(session: ServerSession, extras: ServerExtras, model: str, prompt: str) -> int | None:
    """Tokens of the whole prompt by the server's own tokenizer; None when it does not answer."""
    messages = [{"role": "user", "content": prompt}]
    if extras.kind == "vllm":
        answered = await session.ask_if_known("POST", "/tokenize", {"model": model, "messages": messages})
        return count(answered.get("count")) if answered else None
    applied = await session.ask_if_known("POST", "/apply-template", {"messages": messages})
    text = applied.get("prompt") if applied else None
    if not isinstance(text, str):
        return None
    body = {"content": text, "add_special": True, "parse_special": True}
    answered = await session.ask_if_known("POST", "/tokenize", body)
    tokens = answered.get("tokens") if answered else None
    return len(tokens) if isinstance(tokens, list) else None


def mlx_memory_mib(status: Mapping[str, object] | None) -> float | None:
    """`metal.active_memory_gb` × 1024 of Rapid-MLX's `/v1/status` (task-pack format, section 15.2)."""
    metal = status.get("metal") if status else None
    gib = positive(metal.get("active_memory_gb")) if isinstance(metal, dict) else None
    return None if gib is None else gib * 1024


def _llama_cpp(props: Mapping[str, object]) -> ServerExtras:
    settings, build = props.get("default_generation_settings"), props.get("build_info")
    context = count(settings.get("n_ctx")) if isinstance(settings, dict) else None
    template = props.get("chat_template")
    return ServerExtras(
        "llama.cpp",
        f"llama.cpp server {build}" if isinstance(build, str) else "llama.cpp server",
        context_tokens=context or None,
        has_chat_template=bool(template) if isinstance(template, str) else None,
    )


def _described(described: Mapping[str, object] | None) -> str:
    info = described.get("info") if described else None
    if not isinstance(info, dict):
        return "OpenAI-compatible server"
    title, version = info.get("title"), info.get("version")
    name = title if isinstance(title, str) and title else "OpenAI-compatible server"
    return f"{name} {version}" if isinstance(version, str) and version else name


async def _listed_context(session: ServerSession) -> int | None:
    """vLLM says `max_model_len` beside a model, LM Studio `max_context_length` or what is loaded."""
    for path, names in (
        ("/v1/models", ("max_model_len",)),
        ("/api/v0/models", ("loaded_context_length", "max_context_length")),
    ):
        listed = await session.ask_if_known("GET", path)
        entries = listed.get("data") if listed else None
        for entry in entries if isinstance(entries, list) else []:
            for name in names:
                found = count(entry.get(name)) if isinstance(entry, dict) else None
                if found:
                    return found
    return None
