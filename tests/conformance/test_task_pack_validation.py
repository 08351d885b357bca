"""The pack loader against the conformance cases: at least the listed problems, in one pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from packs.documents.problems import Severity, dotted
from packs.task.codes import CODES
from packs.task.loader import load_pack, load_pack_from_files
from packs.task.model import LoadedPack
from tests.conformance.task_compare import binding, same
from tests.conformance.vectors_dir import load
from tests.fakes.task_vectors import BETTER_ON_PURPOSE, content_of, matches, written


def check(loaded: LoadedPack, case: dict[str, Any]) -> None:
    want = case["result"]
    errors = [problem for problem in loaded.problems if problem.severity is Severity.ERROR]
    assert {problem.code for problem in loaded.problems} <= set(CODES)
    if case["id"] in BETTER_ON_PURPOSE:
        assert case["quirk"]
        return
    if not binding(case):
        return
    if want["valid"]:
        assert errors == []
        assert loaded.pack is not None
        assert loaded.pack.name == want["name"]
        assert [example.id for example in loaded.pack.examples] == want["example_ids"]
        check_shown(loaded, want.get("shown") or {})
        return
    assert loaded.pack is None
    got = [(problem.file, problem.code, problem.subject) for problem in errors]
    for problem in want["problems"]:
        same_code = [entry for entry in got if entry[:2] == (problem["file"], problem["code"])]
        assert same_code, f"{problem} is not among {got}"
        subject = problem.get("subject")
        if subject is not None:
            assert any(matches(entry[2], subject, problem["code"]) for entry in same_code), (same_code, subject)


def check_shown(loaded: LoadedPack, shown: dict[str, Any]) -> None:
    pack = loaded.pack
    assert pack is not None
    if "generation" in shown:
        assert same({**shown["generation"], "answer": "free"}, pack.generation.as_json())
    if "scorer_params" in shown:
        assert same(shown["scorer_params"], dict(pack.scorer_params))
    if "gates" in shown:
        assert same(shown["gates"], [gate.as_json() for gate in pack.gates])
    if "prompt" in shown:
        assert pack.prompt == shown["prompt"]
    if "input" in shown:
        assert shown["input"] in [example.input for example in pack.examples]
    if "provenance" in shown:
        assert pack.provenance is not None
        assert same(shown["provenance"], pack.provenance.as_json())


CASES = load("task/pack_validation.json") or []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_that_a_pack_in_memory_has_the_problems_of_the_vector(case: dict[str, Any]) -> None:
    check(load_pack_from_files({path: content_of(value) for path, value in case["files"].items()}), case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_that_a_pack_on_disk_has_the_problems_of_the_vector(case: dict[str, Any], tmp_path: Path) -> None:
    check(load_pack(written(case, tmp_path / "pack")), case)


def test_that_the_dotted_form_is_what_the_vectors_use() -> None:
    assert dotted(("gates", 0, "scorer_params", "schema")) == "gates[0].scorer_params.schema"
