"""A task pack run over the mock endpoint: a whole run over HTTP without a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.runs.mock_task import TASK_MODELS, right_answer, task_handler
from desktop.runs.qualification.mock_server import MockServer
from packs.task.loader import load_pack
from packs.task.model import TaskPack
from tests.desktop.cli.conftest import Ran

Packbench = Callable[..., Ran]
SAMPLES = Path(__file__).parents[3] / "packs" / "samples"


def sample(name: str) -> TaskPack:
    pack = load_pack(SAMPLES / name).pack
    assert pack is not None
    return pack


@pytest.fixture
def address() -> Iterator[str]:
    with MockServer(task_handler(sample("ticket-routing")), models=TASK_MODELS) as server:
        yield server.address


@pytest.mark.parametrize(
    ("model", "causes"),
    [
        ("demo-right", {"correct": 25}),
        ("demo-mostly", {"correct": 23, "wrong": 2}),
        ("demo-wordy", {"unreadable": 25}),
        ("demo-empty", {"empty": 25}),
    ],
)
def test_that_a_task_pack_runs_over_the_mock_endpoint(
    packbench: Packbench, address: str, tmp_path: Path, model: str, causes: dict[str, int]
) -> None:
    pack = str(SAMPLES / "ticket-routing")
    ran = packbench(
        "run",
        pack,
        "--backend",
        "openai",
        "--endpoint",
        address,
        "--model",
        model,
        "--repetitions",
        "1",
        "--json",
    )
    assert ran.code == 0, ran.err
    reported = packbench("report", "last", "--format", "json", "--out", "-")
    counted: dict[str, int] = {}
    for unit in json.loads(reported.out)["units"]:
        counted[unit["cause"]] = counted.get(unit["cause"], 0) + 1
    assert counted == causes


@pytest.mark.parametrize("name", ["ticket-routing", "invoice-extraction", "order-totals"])
def test_that_the_mock_answers_every_sample_rightly(name: str) -> None:
    pack = sample(name)
    for example in pack.examples:
        assert pack.scoring.score(right_answer(pack, example), example.expected).passed


def ask(address: str, **more: Any) -> httpx.Response:
    body = {"model": "x", "messages": [{"role": "user", "content": "hello"}], **more}
    return httpx.post(f"{address}/v1/chat/completions", json=body, trust_env=False)


def test_that_a_stream_is_sent_when_it_is_asked_for_and_a_whole_reply_otherwise(address: str) -> None:
    whole = ask(address).json()["choices"][0]["message"]["content"]
    streamed = ask(address, stream=True, stream_options={"include_usage": True})
    assert streamed.headers["content-type"] == "text/event-stream"
    lines = [line.removeprefix("data: ") for line in streamed.text.splitlines() if line]
    assert lines.pop() == "[DONE]"
    events = [json.loads(line) for line in lines]
    assert "".join(e["choices"][0]["delta"].get("content", "") for e in events if e["choices"]) == whole
    assert events[-2]["choices"][0]["finish_reason"] == "stop"
    assert events[-1]["usage"]["prompt_tokens"] > 0
    assert "usage" not in ask(address, stream=True).text


def test_that_an_error_is_no_stream(address: str) -> None:
    refused = ask(address, model="demo-error", stream=True)
    assert refused.status_code == 500
    assert "error" in refused.json()


def test_that_a_pack_with_problems_is_not_played(packbench: Packbench, tmp_path: Path) -> None:
    assert packbench("init", str(tmp_path / "new")).code == 0
    ran = packbench("mock-endpoint", str(tmp_path / "new"), "--port", "0")
    assert ran.code == 1
    assert "validate" in ran.err
