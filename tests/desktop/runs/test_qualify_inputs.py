"""Files beside the pack, what endpoints say of themselves, and the external judge's package."""

from __future__ import annotations

import asyncio
import json
import sys
import types
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.runs.qualification.discovery import discover, identifier, runtime_digest
from desktop.runs.qualification.environment import run_tool
from desktop.runs.qualification.judging import typed_judge
from desktop.runs.qualification.mock_server import MockServer, echo_handler
from desktop.runs.qualification.side_files import (
    read_extra_body,
    read_model_index,
    read_redaction_policy,
    read_serving_config,
    read_text,
)
from packs.errors import AppError
from packs.qualification.failures import RedactionPolicy
from packs.qualification.judge import JudgeFailure
from packs.qualification.pack import EvaluatorSpec, case_from
from packs.qualification.replies import read_reply
from packs.qualification.taxonomy import ROUTE_CODES

HASH = "sha256:" + "a" * 64
AT = "2026-11-30T10:15:00Z"


def file_with(tmp_path: Path, name: str, content: str | bytes) -> Path:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


@pytest.mark.parametrize(
    ("name", "content", "state"),
    [
        ("i.json", json.dumps({"files": {"m.gguf": HASH}}), "externally_supplied"),
        ("i.yaml", f"file_hashes:\n  m.gguf: {HASH}\n", "externally_supplied"),
        ("i.yml", f"files: {{a: {HASH}, b: {HASH}}}\n", "externally_supplied"),
        ("i.json", '{"files": {}}', "unavailable"),
        ("i.json", '{"files": {"m": "abc"}}', "unavailable"),
        ("i.json", "[1]", "unavailable"),
        ("i.json", "{", "unavailable"),
        ("i.yaml", "a: [", "unavailable"),
        ("i.json", '{"other": 1}', "unavailable"),
    ],
)
def test_that_a_model_index_is_read_or_recorded_as_unavailable(
    name: str, content: str, state: str, tmp_path: Path
) -> None:
    envelope = read_model_index(file_with(tmp_path, name, content), AT)
    assert envelope["state"] == state
    assert bool(envelope["file_hashes"]) is (state == "externally_supplied")
    assert "value" not in envelope


def test_that_a_redaction_policy_keeps_its_defaults(tmp_path: Path) -> None:
    policy, _ = read_redaction_policy(
        file_with(tmp_path, "r.yaml", "placeholder: '###'\nstrip_reasoning: true\n")
    )
    assert policy == RedactionPolicy(placeholder="###", strip_reasoning=True)


@pytest.mark.parametrize("content", ["unknown: 1\n", "strip_reasoning: 'yes'\n", "placeholder: 5\n", "- a\n"])
def test_that_a_redaction_policy_of_no_use_is_refused(content: str, tmp_path: Path) -> None:
    with pytest.raises(AppError, match="redaction policy"):
        read_redaction_policy(file_with(tmp_path, "r.yaml", content))


def test_that_a_serving_config_may_hold_false_zero_and_unknown_keys(tmp_path: Path) -> None:
    text = "enable_chunked_prefill: false\nmax_num_seqs: 0\nanything: null\n"
    assert read_serving_config(file_with(tmp_path, "s.yaml", text))["max_num_seqs"] == 0


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": NaN}', "null", '{"a": ' * 5000])
def test_that_an_extra_body_of_no_use_says_why(text: str) -> None:
    with pytest.raises(AppError, match="--extra-body"):
        read_extra_body(text)


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_that_a_text_file_of_no_use_is_named(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(AppError, match=r"p\.txt"):
        read_text(file, "system prompt")


def test_that_a_tool_that_is_missing_or_fails_says_nothing() -> None:
    assert run_tool(["no-such-tool-of-ours"]) is None
    assert run_tool([sys.executable, "-c", "raise SystemExit(3)"]) is None
    assert run_tool([sys.executable, "-c", "print('x')"]) == "x\n"


def found(models: httpx.Response | Exception, tags: httpx.Response | None = None) -> Any:
    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/models"):
            if isinstance(models, Exception):
                raise models
            return models
        return tags or httpx.Response(404)

    return asyncio.run(discover("http://h:1/v1", "key", httpx.MockTransport(handle)))


@pytest.mark.parametrize(
    ("response", "models"),
    [
        (httpx.Response(200, json={"data": [{"id": "a"}, {"id": 5}, "x", {}]}), ("a",)),
        (httpx.Response(200, json={"data": "x"}), ()),
        (httpx.Response(200, json=[1]), ()),
        (httpx.Response(200, content=b"<html>"), ()),
        (httpx.Response(500), ()),
        (httpx.Response(302, headers={"location": "http://elsewhere"}), ()),
    ],
)
def test_that_a_models_list_of_any_shape_is_read(response: httpx.Response, models: tuple[str, ...]) -> None:
    result = found(response)
    assert result.models == models
    assert result.reached is True
    assert bool(result.trouble) is (not models)


def test_that_an_endpoint_that_is_down_is_told_apart() -> None:
    result = found(httpx.ConnectError("no"), None)
    assert result.models == ()
    assert result.trouble == "ConnectError"


@pytest.mark.parametrize(
    ("digest", "state"), [("a" * 64, "known"), (HASH, "known"), ("short", "unavailable"), (5, "unavailable")]
)
def test_that_a_runtime_digest_counts_with_and_without_its_prefix(digest: object, state: str) -> None:
    tags = httpx.Response(200, json={"models": [{"name": "m:latest", "digest": digest}, "x"]})
    envelope = runtime_digest(found(httpx.Response(200, json={"data": []}), tags), "m")
    assert envelope["state"] == state
    assert envelope.get("value", HASH) == HASH


def test_that_a_model_that_is_not_listed_is_the_operator_s_word() -> None:
    assert identifier("m", ("m",), AT)["state"] == "known"
    assert identifier("m", ("n",), AT)["state"] == "externally_supplied"


SPEC = EvaluatorSpec(
    "j", "1", "judge", "rubric_judge", {"transport": "typesafe", "critical_labels": ["a"]}, {"model": "jev"}
)
CASE = case_from({"case_id": "c", "expected": {"label": "a"}, "input": {"messages": []}}, "qualification")
REPLY = read_reply({"choices": [{"message": {"content": '{"label": "a"}'}}]})


def verdict_of(package: types.ModuleType | None, key: str | None, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(sys.modules, "typesafe_sdk", package)  # None makes the import fail
    return asyncio.run(typed_judge(SPEC, {"criterion": "x"}, key, 5.0)(CASE, REPLY))


def fake_package(answer: dict[str, Any], seen: list[Any], error: Exception | None = None) -> types.ModuleType:
    class Response:
        def model_dump(self, mode: str) -> dict[str, Any]:
            assert mode == "json"
            return answer

    class Client:
        def __init__(self, api_key: str, timeout: float) -> None:
            seen.append((api_key, timeout))

        async def __aenter__(self) -> Client:
            return self

        async def __aexit__(self, *exc: object) -> None:
            return None

        async def system_one(self, state: Any, questions: Any) -> Response:
            seen.append((state, questions))
            if error is not None:
                raise error
            return Response()

    package = types.ModuleType("typesafe_sdk")
    package.AsyncTypeSafeClient = Client  # type: ignore[attr-defined]
    return package


def test_that_the_external_judge_asks_two_typed_questions_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    probabilities = {"pass": 0.8, **dict.fromkeys(ROUTE_CODES, 0.04)}
    answers = {
        "verdict": {"choice": "pass", "confidence": 0.8, "probabilities": probabilities},
        "uncertainty": {"noul": 0.1},
    }
    seen: list[Any] = []
    verdict = verdict_of(fake_package({"model": "jev-9", "answers": answers}, seen), "k", monkeypatch)
    assert (verdict.passed, verdict.model, verdict.uncertainty, verdict.label) == (True, "jev-9", 0.1, "a")
    assert seen[0] == ("k", 5.0)
    state, questions = seen[1]
    assert state["reference_label"] == "a"
    assert set(questions["verdict"]["criteria"]) == {"pass", *ROUTE_CODES}
    assert questions["uncertainty"]["type"] == "noul"


@pytest.mark.parametrize(
    ("package", "key", "message"),
    [
        (None, "k", "not installed"),
        (fake_package({}, []), None, "no key"),
        (fake_package({}, [], RuntimeError("secret words")), "k", "RuntimeError"),
        (fake_package({"answers": {}}, []), "k", "both questions"),
    ],
    ids=["no package", "no key", "a failing service", "half an answer"],
)
def test_that_an_external_judge_of_no_use_is_a_judge_failure(
    package: types.ModuleType | None, key: str | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(JudgeFailure, match=message) as raised:
        verdict_of(package, key, monkeypatch)
    assert "secret words" not in str(raised.value)


def test_that_the_mock_server_says_what_it_has_and_refuses_the_rest() -> None:
    with MockServer(echo_handler(), models=("m",)) as server, httpx.Client(trust_env=False) as client:
        assert client.get(f"{server.address}/v1/models").json()["data"] == [{"id": "m", "object": "model"}]
        assert client.get(f"{server.address}/health").json() == {"status": "ok"}
        assert client.get(f"{server.address}/other").status_code == 404
        chat = f"{server.address}/v1/chat/completions"
        assert client.post(chat, content=b"{").status_code == 400
        assert client.post(chat, content=b"[1]").status_code == 400
        assert client.post(chat, json={"model": "m"}).json()["usage"]["total_tokens"] == 64


def test_that_a_taken_port_is_told() -> None:
    with MockServer(echo_handler()) as first, pytest.raises(AppError, match="cannot listen"):
        second = MockServer(echo_handler(), port=first.port)
        with second:
            pass
