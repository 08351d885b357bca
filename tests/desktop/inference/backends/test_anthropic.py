"""The Anthropic adapter against recorded answers on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from desktop.inference.backends.anthropic import AnthropicBackend
from desktop.inference.backends.api_keys import ANTHROPIC_VARIABLE, find_key
from desktop.inference.backends.base import BackendFault, FaultKind, GenerationRequest, LoadSettings, ModelRef
from tests.fakes.recorded_server import recorded, recorded_server
from tests.fakes.scripted_server import Asked, Reply, json_reply

T = TypeVar("T")

KEY = "a-key-that-must-not-be-seen"
USUAL: dict[str, Reply | list[Reply]] = {
    "GET /v1/models?limit=1000": recorded("anthropic/models.json"),
    "GET /v1/models/some-model-1": recorded("anthropic/model.json"),
    "POST /v1/messages": recorded("anthropic/stream.sse"),
}
REQUEST = GenerationRequest("Say hello.", 2048, 8, 0.5, 7)


def run(
    act: Callable[[AnthropicBackend], Awaitable[T]], answers: Mapping[str, Reply | list[Reply]] | None = None
) -> tuple[T, list[Asked]]:
    async def go(url: str) -> T:
        backend = AnthropicBackend(url, api_key=KEY)
        try:
            return await act(backend)
        finally:
            await backend.unload()

    with recorded_server({**USUAL, **(answers or {})}) as server:
        return asyncio.run(go(server.url)), server.asked


async def ask(backend: AnthropicBackend) -> Any:
    await backend.load(ModelRef("anthropic", "some-model-1"), LoadSettings(2048, threads=0))
    return await backend.generate(REQUEST, lambda progress: None)


def test_that_an_answer_is_read_with_its_counts_and_its_thinking_apart() -> None:
    answer, asked = run(ask)
    assert (answer.text, answer.reasoning, answer.finish_reason) == ("Bonjour", "Hm.", "length")
    assert (answer.timing.prompt_tokens, answer.timing.cached_tokens, answer.timing.output_tokens) == (29, 4, 8)
    body = asked[-1].json()
    assert body["messages"] == [{"role": "user", "content": "Say hello."}]
    assert body["temperature"] == 0.5
    assert answer.request_options["seed"] == "not applicable"


def test_that_stop_words_are_sent_and_blanks_alone_are_refused_with_a_sentence() -> None:
    async def act(backend: AnthropicBackend) -> Any:
        await backend.load(ModelRef("anthropic", "some-model-1"), LoadSettings(2048, threads=0))
        answer = await backend.generate(replace(REQUEST, stop=("END",)), lambda progress: None)
        with pytest.raises(BackendFault) as raised:
            await backend.generate(replace(REQUEST, stop=("\n",)), lambda progress: None)
        assert raised.value.kind is FaultKind.NOT_SUPPORTED
        return answer

    answer, asked = run(act)
    assert asked[-1].json()["stop_sequences"] == ["END"] == answer.request_options["stop_sequences"]


def test_that_the_key_goes_along_as_a_header_and_is_kept_nowhere_else() -> None:
    answer, asked = run(ask)
    assert all(entry.headers["x-api-key"] == KEY for entry in asked)
    assert KEY not in repr(answer)
    assert not any(KEY.encode() in entry.body or KEY in entry.path for entry in asked)


def test_that_a_model_that_takes_no_temperature_is_asked_once_more_without() -> None:
    async def twice(backend: AnthropicBackend) -> Any:
        await ask(backend)
        return await backend.generate(REQUEST, lambda progress: None)

    replies = [recorded("anthropic/no_temperature.json", 400), recorded("anthropic/stream.sse")]
    answer, asked = run(twice, {"POST /v1/messages": replies})
    bodies = [entry.json() for entry in asked if entry.path == "/v1/messages"]
    assert ["temperature" in body for body in bodies] == [True, False, False]
    assert answer.request_options["temperature"] == "not applicable"


@pytest.mark.parametrize(
    ("reply", "kind", "wait"),
    [
        (json_reply({"error": {"message": "wait"}}, 429, **{"retry-after": "12"}), FaultKind.BUSY, 12.0),
        (json_reply({"error": {"message": "busy"}}, 529), FaultKind.BUSY, None),
        (recorded("anthropic/overloaded.sse"), FaultKind.BUSY, None),
        (json_reply({"error": {"message": "bad key"}}, 401), FaultKind.SERVER_ERROR, None),
        (json_reply({"error": {"message": "odd"}}, 400), FaultKind.SERVER_ERROR, None),
        (Reply((b"<html></html>",), 200), FaultKind.SERVER_ERROR, None),
        (Reply((b'data: {"type": "ping"}\n\n',)), FaultKind.CRASHED, None),
        (Reply((b"data: [1]\n\n",)), FaultKind.SERVER_ERROR, None),
    ],
)
def test_that_a_bad_answer_is_named(reply: Reply, kind: FaultKind, wait: float | None) -> None:
    async def act(backend: AnthropicBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await ask(backend)
        assert (raised.value.kind, raised.value.retry_after_s) == (kind, wait)
        assert KEY not in f"{raised.value} {raised.value.detail}"
        assert "PACKBENCH_API_KEY" not in raised.value.fix

    run(act, {"POST /v1/messages": reply})


def test_that_a_key_that_is_repeated_is_taken_out() -> None:
    async def act(backend: AnthropicBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await ask(backend)
        assert "bad key [key removed]" in raised.value.detail

    run(act, {"POST /v1/messages": json_reply({"error": {"message": f"bad key {KEY}"}}, 401)})


def test_that_models_are_listed_as_remote() -> None:
    models, _ = run(lambda backend: backend.list_models())
    assert [(model.name, model.remote) for model in models] == [("some-model-1", True), ("some-model-2", True)]


def test_that_a_name_cannot_become_another_address() -> None:
    async def act(backend: AnthropicBackend) -> None:
        with pytest.raises(BackendFault) as raised:
            await backend.find("../v1/organizations?x=")
        assert raised.value.kind is FaultKind.NO_SUCH_MODEL

    _, asked = run(act)
    assert asked == []


def test_that_it_is_refused_without_leave_or_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ANTHROPIC_VARIABLE, raising=False)
    with pytest.raises(BackendFault) as raised:
        AnthropicBackend("https://api.anthropic.com", remote_allowed=True, resolver=lambda host: ["192.0.2.1"])
    assert ANTHROPIC_VARIABLE in raised.value.fix
    with pytest.raises(BackendFault) as raised:
        AnthropicBackend("https://api.anthropic.com", api_key=KEY, resolver=lambda host: ["192.0.2.1"])
    assert "not this computer" in raised.value.message


@pytest.mark.parametrize("value", ["", "  ", "ké", "a\nb", "x" * 5000])
def test_that_a_key_that_cannot_be_sent_is_none(value: str) -> None:
    assert find_key("SOME_KEY", {"SOME_KEY": value}) is None


def test_that_a_key_is_taken_without_the_blanks_around_it() -> None:
    assert find_key("SOME_KEY", {"SOME_KEY": " abc \n"}) == "abc"
