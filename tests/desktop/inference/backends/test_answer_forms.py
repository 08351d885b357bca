"""Forms in which answers come and end, over all adapters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from desktop.inference.backends.base import Clocks, FaultKind
from tests.desktop.inference.backends.test_server_errors import ADAPTERS, answer_of, fault_of
from tests.fakes.scripted_server import Reply, json_reply

OPENAI = ("openai", "rapid-mlx")


def sse(*lines: bytes, then: str = "close") -> Reply:
    return Reply(tuple(line + b"\n\n" for line in lines), 200, {"Content-Type": "text/event-stream"}, then=then)


def data(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode()


def piece(content: object, finish: str | None = None) -> bytes:
    return data({"choices": [{"delta": {"content": content}, "finish_reason": finish}]})


def ended(adapter: str, reason: str, text: str = "Bon") -> list[bytes]:
    """An answer of one piece that ends with the reason, as this adapter's servers write it."""
    if adapter == "ollama":
        return [
            json.dumps({"response": text, "done": False}).encode(),
            json.dumps({"response": "", "done": True, "done_reason": reason}).encode(),
        ]
    if adapter == "anthropic":
        return [
            data({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}),
            data({"type": "message_delta", "delta": {"stop_reason": reason}}),
            data({"type": "message_stop"}),
        ]
    return [piece(text), piece(None, reason), b"data: [DONE]"]


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("stop", None),
        ("length", None),
        ("tool_calls", None),
        ("abort", FaultKind.SERVER_ERROR),
        ("error", FaultKind.SERVER_ERROR),
        ("insufficient_system_resource", FaultKind.SERVER_ERROR),
        ("load", FaultKind.SERVER_ERROR),
        ("content_filter", FaultKind.FILTERED),
        ("refusal", FaultKind.FILTERED),
    ],
)
def test_that_an_end_that_is_not_the_models_doing_is_no_answer(
    adapter: str, reason: str, kind: FaultKind | None
) -> None:
    reply = sse(*ended(adapter, reason))
    if kind is None:
        assert answer_of(adapter, reply).text == "Bon"
        return
    fault = fault_of(adapter, reply)
    assert fault.kind is kind
    assert reason in fault.detail


@pytest.mark.parametrize("adapter", OPENAI)
@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ([{"type": "text", "text": "Bon"}, {"type": "text", "text": "jour"}], "Bonjour", ""),
        ([{"type": "output_text", "text": "Bonjour"}], "Bonjour", ""),
        (["Bon", "jour"], "Bonjour", ""),
        (
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "Hi"},
            ],
            "Hi",
            "hm",
        ),
        ([{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "Hi"}], "Hi", "hm"),
        ([], "", ""),
        (None, "", ""),
    ],
)
def test_that_parts_are_joined_and_thinking_is_kept_apart(
    adapter: str, streamed: bool, content: Any, text: str, reasoning: str
) -> None:
    whole = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    reply = sse(piece(content), piece(None, "stop"), b"data: [DONE]") if streamed else json_reply(whole)
    answer = answer_of(adapter, reply)
    assert (answer.text, answer.reasoning) == (text, reasoning)


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize(
    "content", [5, {"text": "x"}, [{"type": "image_url"}], [7], [{"type": "text", "text": 7}]]
)
def test_that_content_of_another_form_is_a_fault_and_no_empty_answer(streamed: bool, content: Any) -> None:
    whole = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    reply = sse(piece(content), piece(None, "stop"), b"data: [DONE]") if streamed else json_reply(whole)
    assert fault_of("openai", reply).kind is FaultKind.SERVER_ERROR


@pytest.mark.parametrize("adapter", [*OPENAI, "anthropic"])
@pytest.mark.parametrize(
    "closing",
    [
        [b'data: ["DONE"]'],
        [b"data:"],
        [b"data: "],
        [b": bye"],
        [b"bye"],
        [b"data: null", b"data: [DONE]"],
        [b"data: {"],
        [],
    ],
)
@pytest.mark.parametrize("then", ["close", "reset"])
def test_that_an_odd_closing_line_after_the_finish_reason_costs_nothing(
    adapter: str, closing: Sequence[bytes], then: str
) -> None:
    lines = ended(adapter, "stop")[:-1]
    assert answer_of(adapter, sse(*lines, *closing, then=then)).text == "Bon"


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    ("phase", "status", "began"),
    [
        ("silent", 200, False),
        ("headers", 200, False),
        ("comments", 200, False),
        ("headers", 500, False),
        ("a piece", 200, True),
    ],
)
def test_that_a_silent_server_is_given_up_in_every_phase_by_the_same_clocks(
    adapter: str, phase: str, status: int, began: bool
) -> None:
    """A clock that does not run in a phase makes this test hang for the 30 s of the scripted server."""
    stream = {"Content-Type": "text/event-stream"}
    reply = {
        "silent": Reply(then="silent"),
        "headers": Reply((), status, stream, then="stall"),
        "comments": Reply(() if adapter == "ollama" else (b": alive\n\n",) * 3, 200, stream, then="stall"),
        "a piece": Reply((ended(adapter, "stop")[0] + b"\n\n",), 200, stream, then="stall"),
    }[phase]
    clocks = Clocks(load_s=60, first_token_s=0.2, between_tokens_s=0.3)
    fault = fault_of(adapter, reply, clocks)
    assert fault.kind is FaultKind.TIMED_OUT
    assert ("0.3 seconds in the middle" if began else "0.2 seconds and no answer began") in fault.message


@pytest.mark.parametrize("adapter", OPENAI)
def test_that_an_answer_in_one_piece_has_a_clock_too(adapter: str) -> None:
    reply = Reply((b'{"choices": ',), 200, {"Content-Type": "application/json"}, then="stall")
    assert fault_of(adapter, reply, Clocks(first_token_s=0.2)).kind is FaultKind.TIMED_OUT


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("then", ["reset", "close", "abort"])
def test_that_text_before_a_fault_is_kept_and_counted(adapter: str, then: str) -> None:
    first, *rest = ended(adapter, "abort")
    lines = [first, first, first, *(rest if then == "abort" else ())]
    fault = fault_of(adapter, sse(*lines, then="close" if then == "abort" else then))
    assert fault.message.endswith("3 pieces of text had come by then.")
    assert fault.detail.endswith("Text until then: BonBonBon")
