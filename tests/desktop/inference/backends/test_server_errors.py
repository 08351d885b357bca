"""What servers say when something is wrong, over all adapters and all places where it may stand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

import pytest

from desktop.inference.backends.base import (
    BackendFault,
    Clocks,
    FaultKind,
    Generation,
    GenerationRequest,
    LoadSettings,
    ModelRef,
)
from desktop.inference.backends.table import BackendOptions, make_backend
from tests.fakes.recorded_server import recorded, recorded_server
from tests.fakes.scripted_server import Reply, json_reply

ADAPTERS = ("ollama", "openai", "rapid-mlx", "anthropic")
USUAL: dict[str, Reply | list[Reply]] = {
    "GET /api/version": recorded("ollama/version.json"),
    "POST /api/show": recorded("ollama/show.json"),
    "GET /api/ps": recorded("ollama/ps.json"),
    "GET /v1/models": json_reply({"data": [{"id": "m"}]}),
    "GET /v1/models/m": recorded("anthropic/model.json"),
}
FIRST = {
    "ollama": ("POST /api/generate", [recorded("ollama/loaded.json")]),
    "openai": ("POST /v1/chat/completions", [recorded("openai/plain_stream.sse")] * 2),
    "rapid-mlx": ("POST /v1/chat/completions", [recorded("openai/plain_stream.sse")] * 2),
    "anthropic": ("POST /v1/messages", []),
}
TOO_LONG = {
    "llama.cpp": {
        "error": {
            "code": 400,
            "message": "request (5000 tokens) exceeds the available context size (4096 tokens)",
            "type": "exceed_context_size_error",
        }
    },
    "LM Studio": {
        "error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is "
        "loaded with context length of only 4096 tokens, which is not enough."
    },
    "LM Studio, newer": {
        "error": {"message": "The number of tokens to keep from the prompt is greater than the context length."}
    },
    "vLLM": {
        "object": "error",
        "message": "This model's maximum context length is 4096 tokens. However, you requested 5012 tokens.",
        "type": "BadRequestError",
        "code": 400,
    },
    "vLLM, newer": {
        "error": {"message": "The decoder prompt (length 5000) is longer than the maximum model length."}
    },
    "Ollama": {"error": "the input length exceeds the context length"},
    "Ollama, runner": {"error": "prompt too long; exceeded max context length by 904 tokens"},
    "lemonade": {
        "error": {
            "message": "llama-server request failed",
            "type": "backend_error",
            "details": {"response": {"error": {"code": 400, "type": "exceed_context_size_error"}}},
        }
    },
    "TGI": {
        "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000",
        "error_type": "validation",
    },
    "TGI, inputs alone": {"error": "Input validation error: `inputs` must have less than 4096 tokens."},
    "Anthropic": {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": "prompt is too long: 208310 tokens",
        },
    },
}


def answer_of(adapter: str, reply: Reply, clocks: Clocks | None = None) -> Generation:
    """The adapter's answer when the server replies so."""
    where, before = FIRST[adapter]
    answers: Mapping[str, Reply | list[Reply]] = {**USUAL, where: [*before, reply, *before[:1]]}

    async def go(url: str) -> Generation:
        backend = make_backend(adapter, BackendOptions(url=url, remote_allowed=True, clocks=clocks))
        try:
            await backend.load(ModelRef(adapter, "m"), LoadSettings(2048, 0))
            return await backend.generate(GenerationRequest("Hi", 2048, 16, 0.0, 7), lambda progress: None)
        finally:
            await backend.unload()

    with pytest.MonkeyPatch.context() as patch, recorded_server(answers) as server:
        patch.setenv("ANTHROPIC_API_KEY", "some-key-for-tests")
        return asyncio.run(go(server.url))


def fault_of(adapter: str, reply: Reply, clocks: Clocks | None = None) -> BackendFault:
    with pytest.raises(BackendFault) as raised:
        answer_of(adapter, reply, clocks)
    return raised.value


def lines(data: object, *, framed: bool) -> Reply:
    """An error where an answer is due: as an event of a stream, or as a plain line."""
    line = json.dumps(data).encode()
    kind = "text/event-stream" if framed else "application/x-ndjson"
    return Reply(((b"data: " if framed else b"") + line + b"\n\n",), 200, {"Content-Type": kind})


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("server", TOO_LONG)
def test_that_a_prompt_too_long_is_told_as_that_wherever_it_is_said(adapter: str, server: str) -> None:
    said = TOO_LONG[server]
    kinds = {status: fault_of(adapter, json_reply(said, status)).kind for status in (400, 413, 422, 500, 503)}
    assert set(kinds.values()) == {FaultKind.INPUT_TOO_LONG}, kinds
    assert fault_of(adapter, lines(said, framed=False)).kind is FaultKind.INPUT_TOO_LONG
    if adapter != "ollama":
        framed = {**said, "type": "error"} if adapter == "anthropic" else said
        assert fault_of(adapter, lines(framed, framed=True)).kind is FaultKind.INPUT_TOO_LONG


PAGE = Reply((b"<html><body><h1>Unavailable</h1>No server is available</body></html>",), length=True)


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_that_a_proxy_or_server_that_cannot_just_now_is_busy_with_or_without_retry_after(
    adapter: str, status: int
) -> None:
    for reply in (
        Reply(PAGE.parts, status, {"Content-Type": "text/html"}, length=True),
        Reply((b"",), status, length=True),
        json_reply({"error": "no server is available to handle this request"}, status),
    ):
        fault = fault_of(adapter, reply)
        assert (fault.kind, fault.retry_after_s) == (FaultKind.BUSY, None)
        assert f"HTTP {status}" in fault.detail
        assert "page" not in fault.message
    assert fault_of(adapter, json_reply({}, status, **{"Retry-After": "3"})).retry_after_s == 3.0


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    "text",
    [
        "server busy, please try again. maximum pending requests exceeded",
        "Overloaded",
        "The model is overloaded, try again later",
        "no slot available",
        "Rate limit reached for requests",
    ],
)
def test_that_words_that_ask_to_be_tried_again_are_heeded(adapter: str, text: str) -> None:
    said = {"type": "error", "error": text if adapter == "ollama" else {"message": text}}
    assert fault_of(adapter, json_reply(said, 500)).kind is FaultKind.BUSY
    assert fault_of(adapter, lines(said, framed=False)).kind is FaultKind.BUSY


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("text", ["boom", "failed to parse grammar", "unknown field: input_type"])
def test_that_any_other_error_stays_an_error_with_its_words(adapter: str, text: str) -> None:
    fault = fault_of(adapter, json_reply({"error": text}, 500))
    assert fault.kind is FaultKind.SERVER_ERROR
    assert text in fault.detail
