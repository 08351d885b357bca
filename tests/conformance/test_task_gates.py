"""Gates and the primary scorer together against the conformance cases."""

from __future__ import annotations

from typing import Any

import pytest

from packs.task.scorers import BadExpected, BadParams
from packs.task.scoring import ScorerSpec, Scoring
from tests.conformance.task_compare import binding, same
from tests.conformance.vectors_dir import load


@pytest.mark.parametrize("case", load("task/gates.json") or [], ids=lambda case: case["id"])
def test_that_gates_decide_as_in_the_vector(case: dict[str, Any]) -> None:
    want = case["result"]
    primary, *gates = (ScorerSpec(spec["scorer"], spec["params"]) for spec in [case["primary"], *case["gates"]])
    try:
        scoring = Scoring(primary, gates)
        scoring.check_expected(case.get("expected"))
    except BadParams as error:
        assert not binding(case) or want == {"error": {"kind": "param", "name": error.faults[0].path[0]}}
        return
    except BadExpected:
        assert not binding(case) or want == {"error": {"kind": "expected"}}
        return
    verdict = scoring.score(case["output"], case.get("expected"))
    got = {
        "score": verdict.score,
        "passed": verdict.passed,
        "failed_gate": verdict.failed_gate,
        "primary": {"score": verdict.primary.score, "passed": verdict.primary.passed},
        "gates": [
            {"scorer": name, "score": score.score, "passed": score.passed} for name, score in verdict.gates
        ],
    }
    assert not binding(case) or same(got, want)
