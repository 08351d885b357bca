"""`check` against qualification/check_cli.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from desktop.runs.qualification.check import CheckSettings, check_bundle
from desktop.runs.qualification.side_files import read_extra_body
from packs.errors import AppError
from packs.qualification.bundle import parse_parts
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_runs import (
    NOW,
    ScriptedEndpoint,
    fixed_environment,
    qualify,
    settings_for,
    surroundings,
)
from tests.fakes.qualification_vectors import cases, overlaid

FILES = {
    "--pack": "pack",
    "--serving-config": "serving_config",
    "--system-prompt": "system_prompt",
    "--chat-template": "chat_template",
    "--model-index": "model_index",
}
TEXTS = {"--model": "model", "--operator": "operator"}
NUMBERS: dict[str, tuple[str, type]] = {
    "--temperature": ("temperature", float),
    "--top-p": ("top_p", float),
    "--seed": ("seed", int),
    "--max-tokens": ("max_tokens", int),
}


class Place:
    """The vectors' files and packs, and one bundle for each of their runs."""

    def __init__(self, root: Path) -> None:
        self.data = load("qualification/check_cli.json") or {"files": {}, "packs": {}}
        self.root = root
        for name, text in self.data["files"].items():
            (root / name).write_bytes(text.encode())
        self.folders = {"p": overlaid({"base": "base_pack"}, root / "p")}
        for name, files in self.data["packs"].items():
            self.folders[name] = overlaid({"base": "base_pack", "files": files}, root / name)
        self._bundles: dict[str, Path] = {}

    def path(self, given: str) -> Path:
        name = given.removeprefix("@")
        return self.folders.get(name) or self.root / name

    def options(self, arguments: list[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for at in range(0, len(arguments), 2):
            name, value = arguments[at], arguments[at + 1]
            if name in FILES:
                found[FILES[name]] = self.path(value)
            elif name in TEXTS:
                found[TEXTS[name]] = value
            elif name == "--extra-body":
                found["extra_body"] = read_extra_body(value)
            else:
                field, kind = NUMBERS[name]
                found[field] = kind(value)
        return found

    def bundle(self, run: str) -> Path:
        if run not in self._bundles:
            endpoint = ScriptedEndpoint(self.folders["p"], models=["mk-ok", "other"])
            if run == "unlisted":
                endpoint.models = ["other"]
            if run == "echo":
                endpoint.named = "another-name"
            options = self.options(self.data["runs"][run])
            settings = settings_for(self.root / "out", run_id=run, **options)
            self._bundles[run] = qualify(self.folders["p"], settings, surroundings(endpoint)).folder
        return self._bundles[run]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("check"))


def endpoint_listing(models: list[str] | None) -> httpx.MockTransport:
    def handle(request: httpx.Request) -> httpx.Response:
        if models is None:
            raise httpx.ConnectError("refused", request=request)
        if request.url.path.endswith("/models"):
            return httpx.Response(200, content=json.dumps({"data": [{"id": name} for name in models]}))
        return httpx.Response(404)

    return httpx.MockTransport(handle)


@pytest.mark.parametrize("case", cases("check_cli.json"))
def test_that_check_finds_what_the_format_finds(case: dict[str, Any], place: Place) -> None:
    folder = place.bundle(case["run"])
    parts = parse_parts({file.name: file.read_bytes() for file in folder.iterdir()})
    settings = CheckSettings(endpoint="http://127.0.0.1:1/v1", **place.options(case["check_args"]))

    def check() -> Any:
        return check_bundle(
            parts,
            settings,
            NOW,
            transport=endpoint_listing(case["models_listed"]),
            environment=fixed_environment,
        )

    if case["error"]:
        with pytest.raises(AppError):
            check()
        return
    result = check()
    assert result.comparison.fired == case["fired"]
    assert result.comparison.not_observed == case["not_observed"]
    assert result.exit_code == case["exit_code"]
    assert bool(result.network_fault) is (case["models_listed"] is None)
