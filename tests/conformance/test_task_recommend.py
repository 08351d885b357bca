"""The format's own recommendation rule against the conformance cases."""

from __future__ import annotations

from typing import Any

import pytest

from packs.errors import AppError
from packs.task.recommend import recommend
from packs.task.recommendation import Candidate, NotPicked, Rule
from tests.conformance.task_compare import binding, same
from tests.conformance.vectors_dir import load


def runner(entry: NotPicked) -> dict[str, Any]:
    record: dict[str, Any] = {"name": entry.name, "code": entry.code}
    if entry.drop_percent is not None:
        record["drop_percent"] = entry.drop_percent
    if entry.extra_mib is not None:
        record["extra_mib"] = entry.extra_mib
    return record


@pytest.mark.parametrize("case", load("task/recommend.json") or [], ids=lambda case: case["id"])
def test_that_the_recommendation_agrees_with_the_vector(case: dict[str, Any]) -> None:
    candidates = [
        Candidate(
            entry["name"],
            entry["status"],
            entry["quality"],
            entry["gates_passed"],
            entry["gate_failures"],
            entry["peak_mib"],
            entry["weights_mib"],
            entry["tokens_per_second"],
        )
        for entry in case["candidates"]
    ]
    want = case["result"]
    settings = {"tolerance": case["tolerance"]} if "tolerance" in case else {}
    try:
        result = recommend(candidates, rule=Rule.PEAK_WITHIN_TOLERANCE, **settings)
    except AppError as error:
        assert want["error"] == error.code
        return
    got: dict[str, Any] = {
        "frontier": list(result.frontier),
        "dominated": list(result.dominated),
        "excluded": [{"name": entry.name, "code": entry.code} for entry in result.excluded],
        "pick": result.pick,
    }
    if result.pick is None:
        got |= {"none_because": result.none_because, "nearest": [runner(entry) for entry in result.nearest]}
    else:
        got |= {"footprint": result.footprint, "runners_up": [runner(entry) for entry in result.runners_up]}
        if result.footprint != "none":
            got["pick_is_best"] = result.pick_is_best
    assert not binding(case) or same(got, want), got
    assert result.sentence
