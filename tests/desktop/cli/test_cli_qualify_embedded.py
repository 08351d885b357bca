"""A GGUF file qualified by the engine that comes along, with the real starter model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.cli.exits import Exit
from desktop.runs.qualification.context import context_for
from packs.qualification.loader import require_pack
from tests.fakes.qualification_runs import read_json, read_lines

SAMPLE = Path(__file__).parents[3] / "packs" / "samples" / "housing-routing"


def small_pack(folder: Path) -> Path:
    """Two cases that decide, one challenge, no repeats, short answers."""
    for file in SAMPLE.rglob("*"):
        if not file.is_file() or "__pycache__" in file.parts:
            continue
        target = folder / file.relative_to(SAMPLE)
        target.parent.mkdir(parents=True, exist_ok=True)
        content = file.read_bytes()
        if file.suffix == ".jsonl":
            kept = 2 if file.stem == "qualification" else 1
            lines = content.splitlines()
            chosen = [line for line in lines if b'"hazard"' in line][:kept]
            content = b"\n".join(chosen) + b"\n"
        if file.name == "pack.yaml":
            content = content.replace(b"repeat_runs: 3", b"repeat_runs: 1").replace(
                b"max_tokens: 64", b"max_tokens: 6"
            )
        target.write_bytes(content)
    return folder


@pytest.mark.engine
def test_that_a_model_file_is_served_qualified_and_named_by_its_digest(
    starter_model: Path, packbench: Callable[..., Any], tmp_path: Path
) -> None:
    ran = packbench(
        "qualify", str(small_pack(tmp_path / "pack")), "--model", str(starter_model), "--operator", "ann",
        "--out", str(tmp_path / "ev"), "--run-id", "r", "--json", "--quiet",
    )  # fmt: skip
    assert ran.code == Exit.DONE, ran.err
    assert json.loads(ran.out)["failed_requests"] == 0
    bundle = tmp_path / "ev" / "r"
    fingerprint = read_json(bundle, "fingerprint.json")
    assert fingerprint["model"]["identifier"]["value"] == starter_model.name
    assert fingerprint["model"]["weights"]["file_hashes"][starter_model.name].startswith("sha256:b179c952")
    assert fingerprint["serving"]["engine"]["value"] == "llama.cpp"
    assert fingerprint["sampling"]["request_extras"] == {"cache_prompt": False}
    assert len(read_lines(bundle, "outputs.jsonl")) == 3
    assert packbench("verify", str(bundle)).code == Exit.DONE


def test_that_a_model_file_that_is_none_is_told_before_anything_else(
    packbench: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUFnothing")
    for model in (str(file), str(tmp_path / "missing.gguf")):
        ran = packbench(
            "qualify", "housing-routing", "--model", model, "--operator", "ann", "--out", str(tmp_path / "ev")
        )
        assert ran.code == Exit.MACHINE
        assert ran.err.strip()
        assert "fault of ours" not in ran.err
        assert not (tmp_path / "ev").exists()


def test_that_the_context_holds_the_longest_case_and_its_answer() -> None:
    pack = require_pack(SAMPLE)
    assert context_for(pack, "", 64) == 2048
    assert context_for(pack, "x" * 10_000, 1000) == 7168
