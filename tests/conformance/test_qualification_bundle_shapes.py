"""Every key path of a bundle and its journal, against qualification/bundle_shapes.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conformance.vectors_dir import load
from tests.fakes.qualification_runs import ScriptedEndpoint, qualify, settings_for, surroundings
from tests.fakes.qualification_vectors import overlaid

NAMED = {
    "string": str,
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
    "integer": int,
    "number": (int, float),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Made as the vectors' note says: judge, challenge gate, extras, a miss, a cut reply, one HTTP 400."""
    root = tmp_path_factory.mktemp("shapes")
    folder = overlaid({"base": "base_pack_judge"}, root)
    policy = yaml.safe_load((folder / "qualification.yaml").read_text(encoding="utf-8"))
    policy["qualification"]["challenge_critical_failures"] = {"metric": "m_distress", "maximum": 0.0}
    (folder / "qualification.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
    manifest = yaml.safe_load((folder / "pack.yaml").read_text(encoding="utf-8"))
    manifest["request_extras"] = {"top_k": 40, "min_p": 0.05}
    (folder / "pack.yaml").write_text(yaml.safe_dump(manifest), encoding="utf-8")
    (root / "prompt.txt").write_text("Sort the message.\n", encoding="utf-8")
    (root / "serving.yaml").write_text(
        "engine: e\nengine_version: '1'\nrevision: r\nquantization: q\n"
        "quantization_config: {bits: 4}\nsampling: {temperature: 0.0}\n",
        encoding="utf-8",
    )
    reasoning = {
        "role": "assistant",
        "content": '{"label": "fuel", "behaviour": "classify"}',
        "reasoning_content": "because",
    }
    replies = {
        # The miss comes in a repeat pass, which no judge sees: the vectors' judge passes everything.
        "MQ-0006": [{}, {"content": '{"label": "advert", "behaviour": "classify"}'}],
        "MQ-0002": {"message": reasoning},
        "MQ-0003": {"status": 400},
        "MQ-0005": {"content": '{"label"', "finish_reason": "length"},
    }
    settings = settings_for(
        root / "out",
        max_retries=0,
        strip_reasoning=True,
        system_prompt=root / "prompt.txt",
        serving_config=root / "serving.yaml",
    )
    result = qualify(folder, settings, surroundings(ScriptedEndpoint(folder, replies)))
    return {"": result.folder, "inprogress": root / "out" / "run-1.inprogress"}


def documents(file: Path) -> list[Any]:
    content = file.read_bytes()
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in content.split(b"\n") if line]
    return [json.loads(content)]


def at(value: Any, steps: list[str]) -> Iterator[Any]:
    if not steps:
        yield value
        return
    step, *rest = steps
    inner = step.endswith("[]")
    name = step.removesuffix("[]")
    if name == "*":
        found = list(value.values()) if isinstance(value, dict) else []
    elif name == "$":
        found = [value]
    else:
        found = [value[name]] if isinstance(value, dict) and name in value else []
    for item in found:
        if inner:
            for entry in item if isinstance(item, list) else []:
                yield from at(entry, rest)
        else:
            yield from at(item, rest)


def shape_cases() -> list[Any]:
    files = (load("qualification/bundle_shapes.json") or {}).get("files", {})
    return [pytest.param(name, paths, id=name) for name, paths in files.items()]


@pytest.mark.parametrize(("name", "paths"), shape_cases())
def test_that_every_key_path_is_there_with_its_type(
    name: str, paths: dict[str, list[str]], folders: dict[str, Path]
) -> None:
    group, _, file = name.rpartition("/")
    parsed = documents(folders[group] / file)
    for path, kinds in paths.items():
        found = [value for document in parsed for value in at(document, path.split("."))]
        assert found, f"{path} is nowhere"
        allowed = tuple(kind for word in kinds for kind in _tuple(NAMED[word]))
        for value in found:
            is_bool = isinstance(value, bool)
            assert isinstance(value, allowed) and (not is_bool or bool in allowed), f"{path} is {value!r}"


def _tuple(kind: Any) -> tuple[Any, ...]:
    return kind if isinstance(kind, tuple) else (kind,)
