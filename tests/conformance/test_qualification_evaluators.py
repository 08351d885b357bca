"""Each evaluator alone and merged into a row, against qualification/evaluators.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.evaluators import EVALUATORS, pair
from packs.qualification.evaluators.base import EvaluatorOutcome
from packs.qualification.pack import case_from, evaluator_from
from packs.qualification.replies import read_reply
from packs.qualification.rows import score_test
from tests.fakes.qualification_vectors import cases


def plain(outcome: EvaluatorOutcome) -> dict[str, Any]:
    return {
        "applicable": outcome.applicable,
        "passed": outcome.passed,
        "score": outcome.score,
        "failure_code": outcome.failure_code,
        "unscorable": outcome.not_scorable,
        "expected": outcome.expected,
        "actual": outcome.actual,
    }


@pytest.mark.parametrize("case", cases("evaluators.json"))
def test_that_evaluators_score_as_the_format_says(case: dict[str, Any]) -> None:
    reply = read_reply(case["response"], case["endpoint_error"])
    assert reply.content == case["content"]
    assert reply.parsed == case["parsed"]
    assert reply.finish_reason == case["finish_reason"]
    subject = case_from({"case_id": "c", **case["case"]}, "qualification")
    specs = [evaluator_from(raw) for raw in case["evaluators"]]
    for spec, wanted in zip(specs, case["evaluator_outcomes"], strict=True):
        evaluator = EVALUATORS[pair(spec.kind, spec.type)]
        if "raises" in wanted:
            with pytest.raises(Exception) as raised:
                evaluator.evaluate(spec.config, subject, reply)
            assert type(raised.value).__name__ == wanted["raises"]
        else:
            assert plain(evaluator.evaluate(spec.config, subject, reply)) == wanted
    scored = score_test(specs, subject, reply)
    errors = [{"evaluator": error.evaluator, "error_type": error.error_type} for error in scored.errors]
    assert errors == case["recorded_errors"]
    if case["row"] is None:
        assert scored.outcome is None
    else:
        assert scored.outcome is not None
        assert scored.evaluator is not None
        assert {**plain(scored.outcome), "evaluator_id": scored.evaluator.id} == case["row"]
