"""`packbench validate --json` on each faulty pack of the vectors: at least the listed problems, in one pass."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from desktop.app import command_context
from desktop.cli.main import run_command_line
from desktop.cli.terminal import Terminal
from desktop.foundation.paths import user_paths
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_vectors import cases, overlaid
from tests.fakes.task_vectors import BETTER_ON_PURPOSE, matches, written

FAULTY = [
    case
    for case in load("task/pack_validation.json") or []
    if not case["result"]["valid"] and case["id"] not in BETTER_ON_PURPOSE
]


def validated(folder: Path) -> tuple[int, dict[str, Any]]:
    out = io.StringIO()
    context = command_context(Terminal(out, io.StringIO(), {}), user_paths(), None)
    code = run_command_line(["validate", str(folder), "--json"], context)
    document = json.loads(out.getvalue())
    assert isinstance(document, dict)
    return code, document


def reported_whole(problem: dict[str, Any]) -> bool:
    """The file is empty where a problem is of the pack folder itself."""
    return problem["file"] is not None and bool(problem["code"] and problem["message"] and problem["fix"])


@pytest.mark.parametrize("case", FAULTY, ids=lambda case: case["id"])
def test_that_the_command_tells_every_problem_of_a_task_pack(case: dict[str, Any], tmp_path: Path) -> None:
    code, document = validated(written(case, tmp_path / "pack"))
    errors = [problem for problem in document["problems"] if problem["severity"] == "error"]
    assert code == 1
    assert not document["valid"]
    assert document["errors"] == len(errors) > 0
    assert all(map(reported_whole, errors))
    for wanted in case["result"]["problems"]:
        alike = [
            problem["field"]
            for problem in errors
            if (problem["file"], problem["code"]) == (wanted["file"], wanted["code"])
        ]
        assert alike, f"{wanted} is not among {errors}"
        subject = wanted.get("subject")
        assert subject is None or any(matches(field, subject, wanted["code"]) for field in alike)


@pytest.mark.parametrize("case", cases("pack_validation.json"))
def test_that_the_command_tells_every_fault_of_a_qualification_pack(
    case: dict[str, Any], tmp_path: Path
) -> None:
    code, document = validated(overlaid(case, tmp_path))
    reported = {
        (entry["path"], entry["rule"]) for entry in document["diagnostics"] if entry["severity"] == "error"
    }
    assert {(fault["path"], fault["rule"]) for fault in case["diagnostics"]} <= reported
    assert document["valid"] is case["ok"]
    assert code == (0 if case["ok"] else 1)
    assert all(map(reported_whole, document["problems"]))
