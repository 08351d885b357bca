"""Whole qualification runs without a network: an endpoint that answers by case text, and settings for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from desktop.reports.qualification.html import render_qualification
from desktop.runs.qualification.run import QualifyResult, RunEnvironment, qualify
from desktop.runs.qualification.settings import QualifySettings
from packs.qualification.fingerprint import Envelope, known, unavailable
from packs.qualification.loader import load_pack
from packs.qualification.pack import Case

NOW = datetime(2026, 11, 30, 10, 15, tzinfo=UTC)


async def no_sleep(seconds: float) -> None:
    """In place of waiting."""


def fixed_environment(*, endpoint_is_here: bool) -> dict[str, Envelope]:
    none = unavailable("not looked for in tests")
    return {"gpu": none, "driver": none, "cuda": none, "python": known("3.11.7", "interpreter")}


class ScriptedEndpoint:
    """Answers by case text: the reference answer, or what `replies` says for the case id (a list: in turn)."""

    def __init__(
        self, folder: Path, replies: Mapping[str, Any] | None = None, models: list[str] | None = None
    ) -> None:
        pack = load_pack(folder).pack
        cases = [case for listed in pack.cases.values() for case in listed] if pack else []
        self._by_text = {case.messages[-1]["content"]: case for case in cases}
        self._replies = dict(replies or {})
        self._turn: dict[str, int] = {}
        self.models = ["mk-ok"] if models is None else models
        self.named = "mk-ok"
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self.handle)

    def handle(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/models"):
            return httpx.Response(200, json={"data": [{"id": name} for name in self.models]})
        if not request.url.path.endswith("/chat/completions"):
            return httpx.Response(404)
        body = json.loads(request.content)
        self.requests.append(body)
        self.keys.append(request.headers.get("authorization", ""))
        return self.answer(self._by_text[body["messages"][-1]["content"]])

    def answer(self, case: Case) -> httpx.Response:
        scripted = self._replies.get(case.case_id, {})
        if isinstance(scripted, list):
            turn = self._turn.get(case.case_id, 0)
            self._turn[case.case_id] = turn + 1
            scripted = scripted[min(turn, len(scripted) - 1)]
        if "raw" in scripted:
            return httpx.Response(scripted.get("status", 200), content=scripted["raw"])
        if scripted.get("status", 200) != 200:
            return httpx.Response(
                scripted["status"], json={"error": {"message": "told to"}}, headers=scripted.get("headers", {})
            )
        reference = {"label": case.expected["label"], "behaviour": case.expected["required_behaviour"]}
        content = scripted.get("content", json.dumps(reference))
        message = scripted.get("message", {"role": "assistant", "content": content})
        choice = {"index": 0, "message": message, "finish_reason": scripted.get("finish_reason", "stop")}
        usage = {"prompt_tokens": 48, "completion_tokens": 16, "total_tokens": 64}
        return httpx.Response(
            200,
            json={
                "id": "r",
                "object": "chat.completion",
                "model": self.named,
                "choices": [choice],
                "usage": usage,
            },
        )


def settings_for(output: Path, **changes: Any) -> QualifySettings:
    plain = QualifySettings(
        endpoint="http://127.0.0.1:1/v1", output=output, operator="op", model="mk-ok", run_id="run-1"
    )
    return replace(plain, **changes)


def surroundings(endpoint: ScriptedEndpoint, **changes: Any) -> RunEnvironment:
    plain = RunEnvironment(
        render_html=render_qualification,
        now=lambda: NOW,
        sleep=no_sleep,
        transport=endpoint.transport(),
        environment=fixed_environment,
    )
    return replace(plain, **changes)


def run_once(
    folder: Path, output: Path, replies: Mapping[str, Any] | None = None, **changes: Any
) -> QualifyResult:
    """A run of the pack against scripted replies; `changes` are settings."""
    return qualify(folder, settings_for(output, **changes), surroundings(ScriptedEndpoint(folder, replies)))


def read_json(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def read_lines(folder: Path, name: str) -> list[Any]:
    return [json.loads(line) for line in (folder / name).read_bytes().split(b"\n") if line]
