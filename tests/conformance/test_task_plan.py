"""task/plan.json: order of running, what is left out, the estimate."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.inference.backends.base import ModelRef
from desktop.runs.estimate import candidate_seconds
from desktop.runs.plan import Assessment, make_plan
from desktop.runs.settings import RunSettings
from packs.errors import AppError
from tests.conformance.vectors_dir import load
from tests.fakes.plain_work import PlainWork

CASES: list[dict[str, Any]] = load("task/plan.json") or []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_that_a_plan_is_made_by_the_formats_rules(case: dict[str, Any]) -> None:
    if "candidates" not in case:
        seconds = candidate_seconds(case["units"], case["max_tokens"], case.get("tokens_per_second"))
        assert seconds == case["seconds"]
        return
    wanted = case["result"]
    verdicts = {entry["name"]: entry["verdict"] for entry in case["candidates"]}
    models = [
        ModelRef("fake", entry["name"], size_bytes=entry["size_mib"] * 2**20) for entry in case["candidates"]
    ]
    work = PlainWork(examples=case["units"], max_tokens=case["max_tokens"])
    settings = RunSettings(force=case.get("force", False))
    try:
        plan = make_plan(work, models, settings, lambda model, _: Assessment(verdicts[model.name]))
    except AppError as error:
        assert error.code == "nothing_to_run"
        assert wanted["run"] == []
        assert wanted["total_minutes"] == 0
        return
    assert [entry.model.name for entry in plan.candidates] == wanted["run"]
    assert [entry.name for entry in plan.left_out] == wanted["skip"]
    assert {entry.seconds for entry in plan.candidates} == {wanted["seconds_per_candidate"]}
    assert plan.total_minutes == wanted["total_minutes"]
    assert plan.over_an_hour == wanted["over_an_hour"]
