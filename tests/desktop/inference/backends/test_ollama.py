"""The Ollama adapter against recorded answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeVar

import pytest

from desktop.inference.backends.base import (
    BackendFault,
    Clocks,
    Constraint,
    FaultKind,
    GenerationProgress,
    GenerationRequest,
    LoadSettings,
    ModelRef,
)
from desktop.inference.backends.ollama import OllamaBackend
from tests.fakes.recorded_server import recorded, recorded_server
from tests.fakes.scripted_server import Asked, Reply

T = TypeVar("T")

USUAL: dict[str, Reply | list[Reply]] = {
    "GET /api/version": recorded("ollama/version.json"),
    "GET /api/tags": recorded("ollama/tags.json"),
    "POST /api/show": recorded("ollama/show.json"),
    "GET /api/ps": recorded("ollama/ps.json"),
    "POST /api/generate": [recorded("ollama/loaded.json"), recorded("ollama/generate.jsonl")],
}
SETTINGS = LoadSettings(context_tokens=2048, threads=0)
REQUEST = GenerationRequest("Say hello in French.", 2048, 16, 0.0, 7)


def run(
    act: Callable[[OllamaBackend], Awaitable[T]],
    answers: Mapping[str, Reply | list[Reply]] | None = None,
    clocks: Clocks | None = None,
) -> tuple[T, list[Asked]]:
    async def go(url: str) -> T:
        backend = OllamaBackend(url, clocks=clocks)
        try:
            return await act(backend)
        finally:
            await backend.unload()

    with recorded_server({**USUAL, **(answers or {})}) as server:
        return asyncio.run(go(server.url)), server.asked


async def load_and_ask(backend: OllamaBackend) -> tuple[str, str, str]:
    model = await backend.find("smollm2:135m")
    await backend.load(model, SETTINGS)
    answer = await backend.generate(REQUEST, lambda progress: None)
    return answer.text, answer.reasoning, answer.finish_reason


def test_that_the_context_is_asked_for_at_load_and_with_every_answer() -> None:
    (text, _, reason), asked = run(load_and_ask)
    assert (text, reason) == ("Bonjour", "stop")
    loading, answering, unloading = (entry.json() for entry in asked if entry.path == "/api/generate")
    assert (loading["prompt"], loading["options"]) == ("", {"num_ctx": 2048})
    assert answering["options"] == {"temperature": 0.0, "seed": 7, "num_predict": 16, "num_ctx": 2048}
    assert "think" not in answering
    assert unloading == {"model": "smollm2:135m", "keep_alive": 0}
    assert not any(entry.path.startswith("/v1") for entry in asked)


def test_that_figures_come_from_the_servers_own_counts() -> None:
    async def act(backend: OllamaBackend) -> None:
        seen: list[GenerationProgress] = []
        loaded = await backend.load(await backend.find("smollm2:135m"), SETTINGS)
        assert (loaded.engine, loaded.context_tokens, loaded.has_chat_template) == ("Ollama 0.9.6", 2048, True)
        answer = await backend.generate(REQUEST, seen.append)
        timing = answer.timing
        assert (timing.prompt_tokens, timing.output_tokens, timing.prompt_ms) == (35, 3, 142.0)
        assert timing.tokens_per_second == pytest.approx(100.0)
        assert (timing.source, timing.chunks) == ("engine", 2)
        assert [entry.text for entry in seen] == ["Bon", "jour"]
        assert "prompt" not in answer.request_options

    run(act)


def test_that_stop_words_are_sent_as_an_option() -> None:
    async def act(backend: OllamaBackend) -> None:
        await backend.load(await backend.find("smollm2:135m"), SETTINGS)
        answer = await backend.generate(replace(REQUEST, stop=("\n",)), lambda progress: None)
        assert answer.request_options["options"]["stop"] == ["\n"]  # type: ignore[index, call-overload]

    run(act)


def test_that_models_are_listed_and_cloud_models_marked() -> None:
    models, _ = run(lambda backend: backend.list_models())
    assert [(model.name, model.remote) for model in models] == [
        ("smollm2:135m", False),
        ("big-thinker:latest", False),
        ("giant:671b-cloud", True),
    ]
    found, _ = run(lambda backend: backend.find("big-thinker"))
    assert (found.name, found.quantization) == ("big-thinker:latest", "Q4_K_M")


def test_that_a_cloud_model_is_refused_even_when_the_list_does_not_say_so() -> None:
    async def act(backend: OllamaBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await backend.load(ModelRef("ollama", "giant:671b-cloud"), SETTINGS)
        assert raised.value.kind is FaultKind.NOT_SUPPORTED
        assert "another computer" in raised.value.message

    _, asked = run(act, {"POST /api/show": recorded("ollama/show_cloud.json")})
    assert not any(entry.path == "/api/generate" for entry in asked)


def test_that_thinking_is_switched_off_and_what_comes_of_it_kept_apart() -> None:
    answers: dict[str, Reply | list[Reply]] = {
        "POST /api/show": recorded("ollama/show_thinking.json"),
        "POST /api/generate": [recorded("ollama/loaded.json"), recorded("ollama/generate_thinking.jsonl")],
    }
    (text, reasoning, reason), asked = run(load_and_ask, answers)
    assert (text, reasoning, reason) == ("42", "Let me see.", "length")
    assert [entry.json() for entry in asked if entry.path == "/api/generate"][1]["think"] is False


def test_that_a_bare_template_is_said_to_be_none() -> None:
    async def act(backend: OllamaBackend) -> None:
        loaded = await backend.load(await backend.find("smollm2:135m"), SETTINGS)
        assert loaded.has_chat_template is False
        assert "no chat template" in loaded.notes[0]

    run(act, {"POST /api/show": recorded("ollama/show_thinking.json")})


def test_that_a_smaller_context_than_wanted_is_noted() -> None:
    async def act(backend: OllamaBackend) -> None:
        loaded = await backend.load(await backend.find("smollm2:135m"), LoadSettings(8192, threads=0))
        assert loaded.context_tokens == 2048
        assert "2,048 tokens instead of 8,192" in loaded.notes[0]

    run(act)


def test_that_a_schema_is_sent_and_a_grammar_refused() -> None:
    schema = {"enum": ["a", "b"]}

    async def act(backend: OllamaBackend) -> None:
        await backend.load(await backend.find("smollm2:135m"), SETTINGS)
        asked_for = GenerationRequest("x", 2048, 4, 0.0, 1, Constraint(json_schema=schema))
        await backend.generate(asked_for, lambda progress: None)
        with pytest.raises(BackendFault) as raised:
            await backend.generate(
                GenerationRequest("x", 2048, 4, 0.0, 1, Constraint(grammar='root ::= "a"')),
                lambda progress: None,
            )
        assert raised.value.kind is FaultKind.NOT_SUPPORTED

    _, asked = run(act)
    assert [entry.json() for entry in asked if entry.path == "/api/generate"][1]["format"] == schema


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (recorded("ollama/generate_out_of_memory.json", 500), FaultKind.OUT_OF_MEMORY),
        (recorded("ollama/generate_out_of_memory.json"), FaultKind.OUT_OF_MEMORY),
        (Reply((b'{"response":"x","done":false}\n',)), FaultKind.CRASHED),
        (Reply((b'{"response":"x","done":false}\n',), then="reset"), FaultKind.CRASHED),
        (Reply((b"<html>Log in</html>\n",)), FaultKind.SERVER_ERROR),
        (Reply((b'{"response": 7}\n',)), FaultKind.SERVER_ERROR),
        (Reply((b'{"response":"x","done":false}\n',), then="stall"), FaultKind.TIMED_OUT),
        (Reply((b'{"error":"model not found"}',), 404, length=True), FaultKind.NO_SUCH_MODEL),
    ],
)
def test_that_a_bad_answer_is_named(reply: Reply, kind: FaultKind) -> None:
    async def act(backend: OllamaBackend) -> None:
        await backend.load(await backend.find("smollm2:135m"), SETTINGS)
        with pytest.raises(BackendFault) as raised:
            await backend.generate(REQUEST, lambda progress: None)
        assert raised.value.kind is kind
        assert raised.value.fix

    clocks = Clocks(load_s=5, first_token_s=0.2, between_tokens_s=0.2)
    loaded = recorded("ollama/loaded.json")
    run(act, {"POST /api/generate": [loaded, reply, loaded]}, clocks)


def test_that_a_load_without_enough_memory_is_out_of_memory() -> None:
    async def act(backend: OllamaBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await backend.load(await backend.find("smollm2:135m"), SETTINGS)
        assert raised.value.kind is FaultKind.OUT_OF_MEMORY

    run(act, {"POST /api/generate": recorded("ollama/generate_out_of_memory.json", 500)})


def test_that_ollama_that_does_not_run_says_how_to_start_it() -> None:
    with recorded_server({}) as server:
        url = server.url
    with pytest.raises(BackendFault) as raised:
        asyncio.run(OllamaBackend(url).list_models())
    assert raised.value.kind is FaultKind.NOT_REACHABLE
    assert "ollama serve" in raised.value.fix


def test_that_another_computer_is_refused_unless_allowed() -> None:
    addresses = {
        "near.test": ["127.0.0.1", "::1"],
        "far.test": ["10.0.0.7"],
        "both.test": ["127.0.0.1", "10.0.0.7"],
    }

    def resolver(host: str) -> list[str]:
        return addresses.get(host, [])

    assert OllamaBackend("http://near.test:11434", resolver=resolver).capabilities.local
    for host in ("far.test", "both.test", "unknown.test", "10.0.0.7", "0.0.0.0"):
        with pytest.raises(BackendFault) as raised:
            OllamaBackend(f"http://{host}:11434", resolver=resolver)
        assert raised.value.kind is FaultKind.NOT_SUPPORTED
    allowed = OllamaBackend("http://far.test:11434", remote_allowed=True, resolver=resolver)
    assert not allowed.capabilities.local
    assert allowed.memory() is None
