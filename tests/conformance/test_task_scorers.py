"""The five scorers against the conformance cases."""

from __future__ import annotations

from typing import Any

import pytest

from packs.task.scorers import SCORERS, BadExpected, BadParams
from tests.conformance.task_compare import binding, same
from tests.conformance.vectors_dir import load

BETTER_ON_PURPOSE = {
    "pt-039": "a needless escape is harmless and accepted",
    "ff-111": "a field that is not in the answer is missing, whatever the name",
}
"""Cases marked `quirk` where this program does better; tests of the scorers say so one by one."""


@pytest.mark.parametrize("case", load("task/scorers.json") or [], ids=lambda case: case["id"])
def test_that_the_score_agrees_with_the_vector(case: dict[str, Any]) -> None:
    want = case["result"]
    if case["id"] in BETTER_ON_PURPOSE:
        assert case["quirk"]
        return
    try:
        scorer = SCORERS[case["scorer"]](case["params"])
        scorer.check_expected(case.get("expected"))
    except BadParams as error:
        assert not binding(case) or want == {"error": {"kind": "param", "name": error.faults[0].path[0]}}
        return
    except BadExpected:
        assert not binding(case) or want == {"error": {"kind": "expected"}}
        return
    score = scorer.score(case["output"], case.get("expected"))
    if not binding(case):
        return
    assert same(score.score, want["score"])
    assert score.passed is want["passed"]
    detail, wanted = dict(score.detail), dict(want["detail"])
    if case["scorer"] == "json-schema":
        # Validators differ in how many entries they give; binding is whether there are any.
        assert bool(detail.pop("violations")) == bool(wanted.pop("violations"))
    assert same(detail, wanted)
