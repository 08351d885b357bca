"""The adapter for OpenAI-compatible servers against recorded answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from desktop.inference.backends.base import (
    BackendFault,
    Constraint,
    FaultKind,
    GenerationRequest,
    LoadSettings,
    ModelRef,
)
from desktop.inference.backends.openai_compatible import OpenAiCompatibleBackend
from tests.fakes.recorded_server import recorded
from tests.fakes.scripted_server import Asked, Reply, ScriptedServer, json_reply

T = TypeVar("T")
Answers = Mapping[str, Reply]

SETTINGS = LoadSettings(context_tokens=2048, threads=0)
REQUEST = GenerationRequest("Say hello.", 2048, 16, 0.0, 7)
LABELS = GenerationRequest("Say hello.", 2048, 16, 0.0, 7, Constraint(json_schema={"enum": ["a"]}))

LLAMA_CPP: Answers = {
    "GET /v1/models": recorded("openai/llama_cpp_models.json"),
    "GET /props": recorded("openai/llama_cpp_props.json"),
    "POST /v1/chat/completions": recorded("openai/llama_cpp_stream.sse"),
}
VLLM: Answers = {
    "GET /v1/models": recorded("openai/vllm_models.json"),
    "GET /version": recorded("openai/vllm_version.json"),
    "POST /v1/chat/completions": recorded("openai/plain_stream.sse"),
    "POST /tokenize": json_reply({"count": 11, "tokens": [1]}),
}
RAPID_MLX: Answers = {
    "GET /v1/models": json_reply({"data": [{"id": "some-model-mlx"}]}),
    "GET /health": recorded("openai/rapid_mlx_health.json"),
    "GET /openapi.json": recorded("openai/rapid_mlx_openapi.json"),
    "GET /v1/status": recorded("openai/rapid_mlx_status.json"),
    "POST /v1/cache/clear": json_reply({"status": "cleared"}),
    "POST /v1/chat/completions": recorded("openai/plain_stream.sse"),
}
PLAIN: Answers = {
    "GET /v1/models": json_reply({"data": [{"id": "m"}]}),
    "POST /v1/chat/completions": recorded("openai/plain_stream.sse"),
}


def run(
    act: Callable[[OpenAiCompatibleBackend], Awaitable[T]],
    answers: Answers,
    choose: Callable[[Asked], Reply | None] = lambda asked: None,
    **options: Any,
) -> tuple[T, list[Asked]]:
    def handle(asked: Asked) -> Reply:
        reply = choose(asked) or answers.get(f"{asked.method} {asked.path}")
        return reply or json_reply({"detail": "Not Found"}, 404)

    async def go(url: str) -> T:
        backend = OpenAiCompatibleBackend(url, **options)
        try:
            return await act(backend)
        finally:
            await backend.unload()

    with ScriptedServer(handle) as server:
        return asyncio.run(go(server.url)), server.asked


def chats(asked: list[Asked]) -> list[dict[str, Any]]:
    return [entry.json() for entry in asked if entry.path == "/v1/chat/completions"]


async def load_and_ask(backend: OpenAiCompatibleBackend) -> Any:
    (model, *_) = await backend.list_models()
    loaded = await backend.load(model, SETTINGS)
    return loaded, await backend.generate(REQUEST, lambda progress: None)


def test_that_a_llama_cpp_server_is_used_with_all_it_knows() -> None:
    (loaded, answer), asked = run(load_and_ask, LLAMA_CPP)
    assert loaded.engine.startswith("llama.cpp server")
    assert (loaded.context_tokens, loaded.has_chat_template) == (2048, True)
    assert answer.timing.source == "engine"
    assert answer.timing.prompt_tokens == 35
    body = chats(asked)[-1]
    assert body["cache_prompt"] is False
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "prompt" not in json.dumps(dict(answer.request_options)).replace("cache_prompt", "")


def test_that_stop_words_are_sent_where_there_are_any() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        (model, *_) = await backend.list_models()
        await backend.load(model, SETTINGS)
        await backend.generate(REQUEST, lambda progress: None)
        await backend.generate(replace(REQUEST, stop=("\n", "END")), lambda progress: None)

    _, asked = run(act, PLAIN)
    assert "stop" not in chats(asked)[-2]
    assert chats(asked)[-1]["stop"] == ["\n", "END"]


def test_that_a_plain_server_needs_two_addresses_only() -> None:
    (loaded, answer), asked = run(load_and_ask, PLAIN)
    assert (loaded.context_tokens, loaded.engine) == (None, "OpenAI-compatible server")
    assert (answer.text, answer.finish_reason, answer.timing.source) == ("Hello", "stop", "counts")
    assert (answer.timing.prompt_tokens, answer.timing.output_tokens) == (11, 3)
    assert set(chats(asked)[-1]) == {
        *("model", "messages", "max_tokens", "temperature", "seed", "stream", "stream_options"),
    }


def test_that_vllm_tells_its_context_and_counts_tokens() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        loaded = await backend.load(await backend.find("org/some-model-7b"), SETTINGS)
        assert (loaded.engine, loaded.context_tokens) == ("vLLM 0.11.0", 4096)
        assert backend.capabilities.exact_token_count
        assert await backend.count_tokens("Say hello.") == 11

    run(act, VLLM)


def test_that_rapid_mlx_is_cleared_before_each_answer_and_tells_its_memory() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        await load_and_ask(backend)
        memory = backend.memory()
        assert memory is not None
        assert (memory.used_mib, memory.peak_mib) == (1536.0, 1536.0)
        assert "metal" in memory.method

    _, asked = run(act, RAPID_MLX)
    paths = [entry.path for entry in asked]
    assert paths[paths.index("/v1/status") - 2 :][:2] == ["/v1/cache/clear", "/v1/chat/completions"]


def test_that_a_server_without_a_model_says_so() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await backend.load(ModelRef("openai", "some-model-mlx"), SETTINGS)
        assert raised.value.kind is FaultKind.BUSY

    run(act, {**RAPID_MLX, "GET /health": json_reply({"model_loaded": False})})


def test_that_fields_a_server_refuses_are_left_out() -> None:
    def choose(asked: Asked) -> Reply | None:
        if asked.path == "/v1/chat/completions" and "stream_options" in asked.json():
            return json_reply({"error": {"message": "Unrecognized field: stream_options"}}, 400)
        return None

    (_, answer), asked = run(load_and_ask, PLAIN, choose)
    assert answer.text == "Hello"
    assert "stream_options" not in chats(asked)[-1]


def test_that_a_server_that_ignores_a_schema_is_not_trusted_with_one() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        await load_and_ask(backend)
        assert not backend.capabilities.constraints
        with pytest.raises(BackendFault) as raised:
            await backend.generate(LABELS, lambda progress: None)
        assert raised.value.kind is FaultKind.NOT_SUPPORTED

    run(act, PLAIN)


def test_that_a_server_that_keeps_to_a_schema_gets_it() -> None:
    def choose(asked: Asked) -> Reply | None:
        constrained = asked.path == "/v1/chat/completions" and "response_format" in asked.json()
        return recorded("openai/schema_stream.sse") if constrained else None

    async def act(backend: OpenAiCompatibleBackend) -> None:
        await load_and_ask(backend)
        assert backend.capabilities.constraints
        await backend.generate(LABELS, lambda progress: None)

    _, asked = run(act, PLAIN, choose)
    assert chats(asked)[-1]["response_format"]["json_schema"]["schema"] == {"enum": ["a"]}


def test_that_a_prompt_that_is_too_long_is_told_as_such() -> None:
    def choose(asked: Asked) -> Reply | None:
        long = asked.path == "/v1/chat/completions" and len(asked.body) > 1000
        return recorded("openai/llama_cpp_too_long.json", 400) if long else None

    async def act(backend: OpenAiCompatibleBackend) -> None:
        await load_and_ask(backend)
        with pytest.raises(BackendFault) as raised:
            await backend.generate(GenerationRequest("x" * 2000, 2048, 4, 0.0, 1), lambda progress: None)
        assert raised.value.kind is FaultKind.INPUT_TOO_LONG

    run(act, LLAMA_CPP, choose)


def test_that_an_unknown_model_is_answered_with_the_known_ones() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await backend.find("nope")
        assert "org/some-model-7b" in raised.value.fix

    run(act, VLLM)


def test_that_the_address_may_end_in_v1_and_the_key_goes_along_as_a_header_only() -> None:
    key = "key-that-must-not-be-seen"

    async def act(backend: OpenAiCompatibleBackend) -> Any:
        loaded, answer = await load_and_ask(backend)
        assert key not in repr((loaded, answer, vars(backend)))

    def handle(asked: Asked) -> Reply:
        return PLAIN.get(f"{asked.method} {asked.path}") or json_reply({}, 404)

    async def go(url: str) -> None:
        backend = OpenAiCompatibleBackend(f"{url}/v1/", api_key=key)
        await act(backend)
        await backend.unload()

    with ScriptedServer(handle) as server:
        asyncio.run(go(server.url))
    assert all(entry.headers["authorization"] == f"Bearer {key}" for entry in server.asked)
    assert not any(key.encode() in entry.body for entry in server.asked)


def test_that_a_refused_key_is_named_without_being_shown() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await backend.list_models()
        assert "key" in raised.value.message
        assert "PACKBENCH_API_KEY" in raised.value.fix
        assert "secret-key" not in f"{raised.value!r} {raised.value.detail}"

    run(act, {"GET /v1/models": json_reply({"error": {"message": "bad key"}}, 401)}, api_key="secret-key")


def test_that_a_key_that_the_server_repeats_is_taken_out() -> None:
    key = "key-that-must-not-be-seen"
    said = {"choices": [{"message": {"content": f"It is {key}!"}, "finish_reason": "stop"}]}
    refused = json_reply({"error": {"message": f"bad key {key}"}}, 500)

    async def answered(backend: OpenAiCompatibleBackend) -> None:
        _, answer = await load_and_ask(backend)
        assert answer.text == "It is [key removed]!"

    async def failed(backend: OpenAiCompatibleBackend) -> None:
        for act in (backend.list_models(), backend.load(ModelRef("openai", "m"), SETTINGS)):
            with pytest.raises(BackendFault) as raised:
                await act
            assert "bad key [key removed]" in raised.value.detail

    run(answered, {**PLAIN, "POST /v1/chat/completions": json_reply(said)}, api_key=key)
    run(failed, {"GET /v1/models": refused, "POST /v1/chat/completions": refused}, api_key=key)


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "ftp://localhost", "http://", "http://user:word@localhost:8000", "http://8.8.8.8"],
)
def test_that_an_address_that_is_none_or_not_allowed_is_refused(url: str) -> None:
    with pytest.raises(BackendFault) as raised:
        OpenAiCompatibleBackend(url)
    assert raised.value.kind is FaultKind.NOT_SUPPORTED


def test_that_answers_may_be_asked_for_side_by_side() -> None:
    async def act(backend: OpenAiCompatibleBackend) -> None:
        await load_and_ask(backend)
        answers = await asyncio.gather(*(backend.generate(REQUEST, lambda progress: None) for _ in range(8)))
        assert {answer.text for answer in answers} == {"Hello"}

    run(act, PLAIN)
