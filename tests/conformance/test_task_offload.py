"""task/offload.json: which candidates look as if they were split between processor and graphics."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.runs.offload import OffloadFacts, suspects
from tests.conformance.vectors_dir import load

CASES: list[dict[str, Any]] = load("task/offload.json") or []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_that_suspects_are_found_by_the_formats_rules(case: dict[str, Any]) -> None:
    facts = [
        OffloadFacts(entry["name"], entry["size"], entry["predicted"], entry["measured"], entry["tps"])
        for entry in case["candidates"]
    ]
    assert [{"name": found.name, "why": found.why} for found in suspects(facts)] == case["suspects"]
