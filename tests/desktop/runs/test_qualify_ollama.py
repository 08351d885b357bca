"""Ollama through its native API: the context is obeyed, and evidence keeps the format's own form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.inference.backends.ollama_chat import OllamaChatApi
from desktop.runs.qualification.run import qualify
from packs.errors import AppError
from packs.qualification.integrity import check_integrity
from tests.fakes.qualification_runs import (
    ScriptedEndpoint,
    read_json,
    read_lines,
    settings_for,
    surroundings,
)
from tests.fakes.qualification_vectors import overlaid


class Ollama(ScriptedEndpoint):
    def handle(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/tags":
            return httpx.Response(200, json={"models": [{"name": "mk-ok", "digest": "c" * 64}]})
        if request.url.path != "/api/chat":
            return super().handle(request)
        body = json.loads(request.content)
        self.requests.append(body)
        answer = self.answer(self._by_text[body["messages"][-1]["content"]]).json()
        return httpx.Response(
            200,
            json={
                "model": "mk-ok",
                "message": answer["choices"][0]["message"],
                "done": True,
                "done_reason": answer["choices"][0]["finish_reason"],
                "prompt_eval_count": 30,
                "eval_count": 12,
            },
        )


def run(tmp_path: Path, replies: dict[str, Any] | None = None, **changes: Any) -> tuple[Ollama, Any]:
    folder = overlaid({"base": "base_pack"}, tmp_path)
    endpoint = Ollama(folder, replies)
    settings = settings_for(tmp_path / "out", endpoint="http://127.0.0.1:11434", api="ollama", **changes)
    return endpoint, qualify(folder, settings, surroundings(endpoint))


def test_that_the_native_path_gets_context_and_sampling_as_options(tmp_path: Path) -> None:
    endpoint, result = run(tmp_path, extra_body={"keep_alive": "5m", "options": {"top_k": 5}})
    sent = endpoint.requests[0]
    assert sent["stream"] is False
    assert sent["keep_alive"] == "5m"
    assert sent["options"] == {
        "temperature": 0.0, "top_p": 1.0, "seed": 7, "num_predict": 64, "num_ctx": 2048, "top_k": 5,
    }  # fmt: skip
    assert result.status == "QUALIFIED"


def test_that_evidence_has_the_format_s_own_form_and_names_the_digest(tmp_path: Path) -> None:
    cut = {"MQ-0005": {"content": '{"la', "finish_reason": "length"}}
    _, result = run(tmp_path, cut, context_tokens=4096)
    rows = {(row["case_id"], row["run_index"]): row for row in read_lines(result.folder, "outputs.jsonl")}
    assert rows[("MQ-0005", 0)]["finish_reason"] == "length"
    assert rows[("MQ-0001", 0)]["usage"] == {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42}
    fingerprint = read_json(result.folder, "fingerprint.json")
    assert fingerprint["sampling"]["request_extras"] == {"options": {"num_ctx": 4096}}
    assert fingerprint["model"]["runtime_digest"]["value"] == "sha256:" + "c" * 64
    assert any("native API" in note for note in result.notes)
    assert check_integrity({file.name: file.read_bytes() for file in result.folder.iterdir()}).ok


def test_that_another_api_is_refused(tmp_path: Path) -> None:
    folder = overlaid({"base": "base_pack"}, tmp_path)
    with pytest.raises(AppError, match="--api"):
        qualify(folder, settings_for(tmp_path / "out", api="x"), surroundings(Ollama(folder)))


@pytest.mark.parametrize("body", [{}, {"message": None}, {"message": "x"}, {"message": {"content": 5}}])
def test_that_any_native_reply_is_taken(body: dict[str, Any]) -> None:
    assert isinstance(OllamaChatApi().reply(body)["choices"], list)
