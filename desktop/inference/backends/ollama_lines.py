"""What Ollama's answers say, read without trusting them. Cases: task/backend_parse.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.chat_stream import count, positive
from desktop.inference.backends.finish_reasons import UNKNOWN
from desktop.inference.backends.http_client import parse_json

BACKEND = "ollama"


@dataclass(frozen=True, slots=True)
class OllamaChunk:
    """A piece of the answer; may be empty."""

    text: str
    thinking: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """The closing record. Text on it is dropped by the format's rule."""

    stop: str
    prompt_tokens: int | None
    output_tokens: int | None
    prompt_ms: float | None = None
    tokens_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class ServerSaysError:
    message: str


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    line: str


Line = OllamaChunk | End | ServerSaysError | NotUnderstood


def generate_line(line: str) -> Line:
    """One line of a streamed `/api/generate` answer."""
    try:
        data = parse_json(line)
    except ValueError:
        return NotUnderstood(line)
    if not isinstance(data, dict):
        return NotUnderstood(line)
    error = data.get("error")
    if isinstance(error, str):
        return ServerSaysError(error)
    if data.get("done") is True:
        reason = data.get("done_reason")
        return End(
            stop=reason if isinstance(reason, str) and reason else UNKNOWN,
            prompt_tokens=count(data.get("prompt_eval_count")),
            output_tokens=count(data.get("eval_count")),
            prompt_ms=_milliseconds(data.get("prompt_eval_duration")),
            tokens_per_second=_speed(data),
        )
    text, thinking = data.get("response"), data.get("thinking")
    if not isinstance(text, str):
        return NotUnderstood(line)
    return OllamaChunk(text, thinking if isinstance(thinking, str) else "")


def error_body(body: str) -> str:
    """Ollama's own words: the text under `error`, else the body as it came; '' for a blank one."""
    try:
        data = parse_json(body)
    except ValueError:
        return body.strip()
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, str) and error else body.strip()


def model_list(data: object) -> list[ModelRef]:
    """The models of `/api/tags`; entries without a name are passed over."""
    entries = data.get("models") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        return []
    return [ref for entry in entries if isinstance(entry, dict) and (ref := _model(entry)) is not None]


def find_model(models: Sequence[ModelRef], name: str) -> ModelRef | None:
    """By its exact name, or `name:latest` for a name without a tag; the tagged one first."""
    by_name = {model.name: model for model in reversed(models)}
    return by_name.get(name) or (by_name.get(f"{name}:latest") if ":" not in name else None)


def _model(entry: Mapping[str, object]) -> ModelRef | None:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        return None
    details = entry.get("details")
    details = details if isinstance(details, dict) else {}
    digest, remote = entry.get("digest"), entry.get("remote_host")
    return ModelRef(
        backend=BACKEND,
        name=name,
        digest=digest if isinstance(digest, str) and digest else None,
        size_bytes=count(entry.get("size")) or None,
        quantization=_text(details.get("quantization_level")),
        parameter_count=_text(details.get("parameter_size")),
        remote=isinstance(remote, str) and bool(remote),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _milliseconds(nanoseconds: object) -> float | None:
    value = positive(nanoseconds)
    return None if value is None else value / 1e6


def _speed(data: Mapping[str, object]) -> float | None:
    written, took = count(data.get("eval_count")), positive(data.get("eval_duration"))
    if written is None or took is None or written < 2:
        return None
    return written * 1e9 / took
