"""JSON extraction against the conformance cases."""

from __future__ import annotations

from typing import Any

import pytest

from packs.task.extract import extract_json
from tests.conformance.task_compare import same
from tests.conformance.vectors_dir import load


@pytest.mark.parametrize("case", load("task/extract_json.json") or [], ids=lambda case: case["id"])
def test_that_the_json_found_agrees_with_the_vector(case: dict[str, Any]) -> None:
    found = extract_json(case["text"])
    want = case["result"]
    assert (found.ok, found.carved) == (want["ok"], want["carved"])
    if want["ok"]:
        assert same(found.value, want["value"])
        return
    error = {"code": found.error, "bracket": found.bracket, "at": found.at}
    assert {key: error[key] for key in want["error"]} == want["error"]
