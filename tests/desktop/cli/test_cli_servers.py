"""Whole runs from the command line over each kind of server, scripted from recorded answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.inference.backends import table
from tests.desktop.cli.conftest import Ran
from tests.fakes.recorded_server import recorded, recorded_server
from tests.fakes.scripted_server import Reply, json_reply
from tests.fakes.toy_backend import TOY

Packbench = Callable[..., Ran]
Answers = dict[str, Reply | list[Reply]]

KEY = "a-key-that-must-not-be-seen"
SHORT = "template_suspected"
"""A wrong answer of these servers, which also end the first check after fewer than five tokens."""
MANIFEST = """\
name: greeting
type: classification
scorer: exact-label
scorer_params: {labels: [Bonjour, Hello]}
generation: {context: 2048, max_tokens: 16, temperature: 0, seed: 7, runs_per_example: 1}
prompt_template: prompt.md
examples_dir: examples
"""
OLLAMA: Answers = {
    "GET /api/version": recorded("ollama/version.json"),
    "GET /api/tags": recorded("ollama/tags.json"),
    "POST /api/show": recorded("ollama/show.json"),
    "GET /api/ps": recorded("ollama/ps.json"),
    "POST /api/generate": [recorded("ollama/loaded.json"), recorded("ollama/generate.jsonl")],
}
PLAIN: Answers = {
    "GET /v1/models": json_reply({"data": [{"id": "some-model"}]}),
    "POST /v1/chat/completions": recorded("openai/plain_stream.sse"),
}
ANTHROPIC: Answers = {
    "GET /v1/models?limit=1000": recorded("anthropic/models.json"),
    "GET /v1/models/some-model-1": recorded("anthropic/model.json"),
    "POST /v1/messages": recorded("anthropic/stream.sse"),
}


@pytest.fixture
def pack(tmp_path: Path) -> str:
    folder = tmp_path / "greeting"
    (folder / "examples").mkdir(parents=True)
    (folder / "task.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "prompt.md").write_text("Answer with Bonjour or Hello alone.\n\n{{input}}\n", encoding="utf-8")
    for number, (said, expected) in enumerate((("in French", "Bonjour"), ("in English", "Hello")), 1):
        text = json.dumps({"input": said, "expected": expected})
        (folder / "examples" / f"{number}.json").write_text(text, encoding="utf-8")
    return str(folder)


def report(packbench: Packbench) -> dict[str, Any]:
    reported: dict[str, Any] = json.loads(packbench("report", "last", "--format", "json", "--out", "-").out)
    return reported


def causes(reported: dict[str, Any]) -> list[str]:
    return [unit["cause"] for unit in reported["units"]]


def test_that_a_model_of_ollama_is_run_and_cloud_models_are_left_out(packbench: Packbench, pack: str) -> None:
    with recorded_server(OLLAMA) as server:
        ran = packbench("run", pack, "--backend", "ollama", "--endpoint", server.url, "--model", "smollm2:135m")
        refused = packbench(
            "run", pack, "--backend", "ollama", "--endpoint", server.url, "--model", "giant:671b-cloud"
        )
    assert ran.code == 0, ran.err
    assert causes(report(packbench)) == ["correct", SHORT]
    assert refused.code == 1
    assert "giant:671b-cloud" in refused.err
    assert not any(b"giant" in entry.body for entry in server.asked if entry.path == "/api/generate")


def test_that_a_plain_openai_compatible_server_is_run(packbench: Packbench, pack: str) -> None:
    with recorded_server(PLAIN) as server:
        ran = packbench("run", pack, "--backend", "openai", "--endpoint", f"{server.url}/v1")
    assert ran.code == 0, ran.err
    assert causes(report(packbench)) == [SHORT, "correct"]


def test_that_several_answers_are_under_way_at_once_and_the_report_says_whose_figures_it_shows(
    packbench: Packbench, pack: str
) -> None:
    with recorded_server(PLAIN) as server:
        ran = packbench("run", pack, "--backend", "openai", "--endpoint", server.url, "--parallel", "2")
    assert ran.code == 0, ran.err
    reported = report(packbench)
    assert sorted(causes(reported)) == ["correct", SHORT]
    assert "2 answers were under way at once" in json.dumps(reported["run"]["methodology"])


def test_that_anthropic_is_asked_only_when_other_computers_are_allowed_and_the_key_stays_unseen(
    packbench: Packbench, pack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    message = ("run", pack, "--backend", "anthropic", "--model", "some-model-1")
    with recorded_server(ANTHROPIC) as server:
        refused = packbench(*message, "--endpoint", server.url)
        asked_before_leave = [entry for entry in server.asked if entry.path == "/v1/messages"]
        ran = packbench(*message, "--endpoint", server.url, "--allow-remote")
    assert refused.code == 1 and "--allow-remote" in refused.err
    assert asked_before_leave == []
    assert ran.code == 0, ran.err
    reported = report(packbench)
    assert [unit["generation"]["text"] for unit in reported["units"]] == ["Bonjour", "Bonjour"]
    assert reported["candidates"][0]["peak_mib"] is None
    assert "Nothing has left" not in reported["run"]["local"]
    assert KEY not in ran.out + ran.err + json.dumps(reported)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_that_a_server_that_cannot_limit_answers_says_so_in_the_report(packbench: Packbench, pack: str) -> None:
    with recorded_server(PLAIN) as server:
        ran = packbench("run", pack, "--backend", "openai", "--endpoint", server.url, "--constrained")
    assert ran.code == 3
    reported = report(packbench)
    assert causes(reported) == ["not_run", "not_run"]
    assert "cannot limit answers to a form" in reported["answer"]["runners_up"][0]["why"]
    assert "limited to the form" in "\n".join(reported["run"]["notes"])


def test_that_a_backend_added_by_one_line_of_the_table_is_offered_run_configured_and_reported(
    packbench: Packbench, pack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = packbench("run", pack, "--backend", "toy")
    assert unknown.code == 2 and "rapid-mlx" in unknown.err
    monkeypatch.setattr(table, "BACKENDS", (*table.BACKENDS, TOY))
    assert "toy" in " ".join(packbench("run", "--help").out.split())
    ran = packbench("run", pack, "--backend", "toy")
    assert ran.code == 0, ran.err
    assert causes(report(packbench)) == ["correct", "correct"]
    config = tmp_path / "run.yaml"
    config.write_text("backend: toy\n", encoding="utf-8")
    configured = packbench("run", pack, "--config", str(config))
    assert configured.code == 0, configured.err
    assert report(packbench)["run"]["backend"]["name"] == "toy"
