"""The streaming client against a scripted server on loopback."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from desktop.inference.backends.base import BackendFault, Clocks, FaultKind, Generation, GenerationProgress
from desktop.inference.backends.chat_stream import ChatStream
from desktop.inference.backends.http_client import make_client
from tests.fakes.scripted_server import Reply, ScriptedServer, json_reply, sse_reply

SHORT = Clocks(load_s=1, first_token_s=0.2, between_tokens_s=0.2)


def piece(text: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    delta: dict[str, Any] = {} if text is None else {"content": text}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def ask(reply: Reply, clocks: Clocks = SHORT, seen: list[GenerationProgress] | None = None) -> Generation:
    async def run(url: str) -> Generation:
        async with make_client(url, local=True) as client:
            stream = ChatStream(client, "The server", clocks)
            body = {"model": "m", "messages": [{"role": "user", "content": "secret prompt"}], "seed": 1}
            return await stream.generate(body, (seen if seen is not None else []).append)

    with ScriptedServer(lambda asked: reply) as server:
        return asyncio.run(run(server.url))


def fault_of(reply: Reply) -> BackendFault:
    with pytest.raises(BackendFault) as raised:
        ask(reply)
    assert raised.value.message and raised.value.fix
    return raised.value


def test_that_pieces_make_the_text_and_the_engines_own_counts_the_figures() -> None:
    seen: list[GenerationProgress] = []
    timings = {"cache_n": 3, "prompt_n": 4, "prompt_ms": 20.0, "predicted_n": 5, "predicted_ms": 40.0}
    answer = ask(
        sse_reply(
            {"choices": [], "prompt_progress": {"total": 7, "processed": 2}},
            piece("Bon"),
            piece("jour"),
            piece(finish="stop"),
            {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}, "timings": timings},
        ),
        seen=seen,
    )
    assert (answer.text, answer.finish_reason) == ("Bonjour", "stop")
    assert answer.timing.tokens_per_second == pytest.approx(100.0)
    assert (answer.timing.prompt_tokens, answer.timing.cached_tokens, answer.timing.output_tokens) == (7, 3, 5)
    assert (answer.timing.source, answer.timing.chunks, answer.timing.prompt_ms) == ("engine", 2, 20.0)
    assert seen[0] == GenerationProgress(prompt_done=2, prompt_total=7)
    assert [entry.text for entry in seen[1:]] == ["Bon", "jour"]


def test_that_the_prompt_is_not_among_the_recorded_options() -> None:
    assert dict(ask(sse_reply(piece("x"), piece(finish="stop"))).request_options) == {"model": "m", "seed": 1}


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_that_a_reasoning_field_is_kept_apart(name: str) -> None:
    thought = {"choices": [{"delta": {name: "hm"}}]}
    answer = ask(sse_reply(thought, piece("x"), piece(finish="stop")))
    assert (answer.text, answer.reasoning, answer.timing.chunks) == ("x", "hm", 1)


def test_that_an_answer_without_text_has_no_ttft_and_no_speed() -> None:
    answer = ask(sse_reply(piece(""), piece(finish="stop")))
    assert (answer.text, answer.timing.ttft_ms, answer.timing.tokens_per_second) == ("", None, None)


def test_that_keep_alive_comments_do_not_count_as_life() -> None:
    reply = Reply((b": ping\n\n",) * 3, 200, {}, then="stall")
    assert fault_of(reply).kind is FaultKind.TIMED_OUT


@pytest.mark.parametrize("begun", [False, True])
def test_that_a_silent_server_is_given_up_after_its_clock(begun: bool) -> None:
    fault = fault_of(sse_reply(*([piece("x")] if begun else []), then="stall", done=False))
    assert fault.kind is FaultKind.TIMED_OUT
    assert ("in the middle" in fault.message) is begun


@pytest.mark.parametrize("then", ["close", "reset"])
def test_that_a_stream_that_breaks_off_is_a_crash(then: str) -> None:
    assert fault_of(sse_reply(piece("x"), then=then, done=False)).kind is FaultKind.CRASHED


def test_that_an_end_without_a_finish_reason_is_told_as_that_and_not_as_a_crash() -> None:
    fault = fault_of(sse_reply(piece("x")))
    assert fault.kind is FaultKind.SERVER_ERROR
    assert "without a finish reason" in fault.message


@pytest.mark.parametrize(
    "payload",
    [b"{", b"[]", b"null", b'{"choices": NaN}', b"x" * 50, b"[" * 100_000, b"\xff\xfe"],
    ids=["cut", "list", "null", "nan", "text", "deep", "bad utf-8"],
)
def test_that_a_line_that_is_no_json_object_is_told_as_such(payload: bytes) -> None:
    assert fault_of(sse_reply(payload)).kind is FaultKind.SERVER_ERROR


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": 7},
        {"choices": [None]},
        {"choices": [{"delta": []}]},
        {"choices": [{"delta": {"content": None}, "finish_reason": 3}]},
        {"choices": [], "usage": {"prompt_tokens": -1, "completion_tokens": "many"}},
        {"choices": [], "timings": {"cache_n": True, "prompt_n": 1.5, "predicted_n": 2, "predicted_ms": -4}},
        {"choices": [], "prompt_progress": {"processed": None, "total": "x"}},
    ],
)
def test_that_values_of_a_wrong_type_are_passed_over(odd: dict[str, Any]) -> None:
    answer = ask(sse_reply(odd, piece("x"), piece(finish="stop")))
    assert answer.text == "x"
    assert answer.timing.prompt_tokens is None
    assert answer.timing.tokens_per_second is None


def test_that_a_web_page_is_told_as_a_web_page() -> None:
    for status in (200, 403, 404):
        fault = fault_of(Reply((b"<!DOCTYPE html><html>Log in</html>",), status, {}, length=True))
        assert fault.kind is FaultKind.SERVER_ERROR
        assert "web page" in fault.message


def test_that_an_endless_line_is_cut() -> None:
    fault = fault_of(Reply((b"data: " + b"x" * 2_000_000,), 200, {}))
    assert "bytes" in fault.message


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (
            400,
            {"error": {"message": "request (9 tokens) exceeds the available context size"}},
            "input_too_long",
        ),
        (400, {"error": {"message": "failed to parse grammar"}}, "server_error"),
        (401, {"error": {"message": "Invalid API Key"}}, "server_error"),
        (404, {"error": {"message": "model 'm' not found"}}, "no_such_model"),
        (404, {"detail": "Not Found"}, "server_error"),
        (429, {"error": "slow down"}, "busy"),
        (500, {"error": "model requires more system memory than is available"}, "out_of_memory"),
        (500, {"error": "boom"}, "server_error"),
        (503, {"error": {"message": "Loading model"}}, "busy"),
    ],
)
def test_that_a_status_becomes_the_kind_of_fault_with_the_servers_words(
    status: int, body: dict[str, Any], kind: str
) -> None:
    fault = fault_of(json_reply(body, status))
    assert fault.kind.value == kind
    assert str(status) in fault.detail


def test_that_retry_after_is_handed_on() -> None:
    fault = fault_of(json_reply({"error": "wait"}, 429, **{"Retry-After": "7"}))
    assert fault.retry_after_s == 7.0


def test_that_an_error_within_the_stream_ends_it_with_its_words() -> None:
    fault = fault_of(sse_reply(piece("x"), {"error": {"message": "CUDA out of memory"}}))
    assert (fault.kind, fault.detail) == (FaultKind.OUT_OF_MEMORY, "CUDA out of memory\nText until then: x")


def test_that_a_server_that_does_not_stream_is_read_whole_and_gets_no_speed() -> None:
    message = {"role": "assistant", "content": "Hi", "reasoning_content": "hm"}
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    answer = ask(json_reply({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}))
    assert (answer.text, answer.reasoning, answer.finish_reason) == ("Hi", "hm", "stop")
    assert (answer.timing.ttft_ms, answer.timing.tokens_per_second, answer.timing.chunks) == (None, None, 0)
    assert (answer.timing.prompt_tokens, answer.timing.output_tokens) == (3, 2)


@pytest.mark.parametrize("data", [[], {}, {"choices": []}, {"choices": [{"message": 1}]}, {"error": "boom"}])
def test_that_a_whole_answer_that_is_none_is_told_as_such(data: Any) -> None:
    assert fault_of(json_reply(data)).kind is FaultKind.SERVER_ERROR


def test_that_nobody_listening_is_not_reachable() -> None:
    with ScriptedServer(lambda asked: Reply()) as server:
        url = server.url

    async def run() -> None:
        async with make_client(url, local=True) as client:
            await ChatStream(client, "The server", SHORT).generate({"messages": []}, lambda progress: None)

    with pytest.raises(BackendFault) as raised:
        asyncio.run(run())
    assert raised.value.kind is FaultKind.NOT_REACHABLE


def test_that_cancelling_closes_the_connection_at_once() -> None:
    async def run(url: str) -> float:
        async with make_client(url, local=True) as client:
            started = asyncio.Event()
            patient = Clocks(1, 60, 60)
            task = asyncio.ensure_future(
                ChatStream(client, "The server", patient).generate(
                    {"messages": []}, lambda progress: started.set()
                )
            )
            await started.wait()
            before = asyncio.get_running_loop().time()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return asyncio.get_running_loop().time() - before

    with ScriptedServer(lambda asked: sse_reply(piece("x"), then="stall", done=False)) as server:
        assert asyncio.run(run(server.url)) < 0.2


def test_that_local_traffic_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert ask(sse_reply(piece("x"), piece(finish="stop"))).text == "x"
