"""Decisions against qualification/decisions.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.decision import DecisionInput, decide
from packs.qualification.pack import policy_from
from tests.fakes.qualification_vectors import cases


@pytest.mark.parametrize("case", cases("decisions.json"))
def test_that_the_decision_is_that_of_the_format(case: dict[str, Any]) -> None:
    given = case["input"]
    decision = decide(
        DecisionInput(
            policy=policy_from(given["policy"]),
            qualification=given["qualification_metrics"],
            challenge=given["challenge_metrics"],
            realised_coverage=given["realised_coverage"],
            minimum_coverage=given["minimum_coverage"],
            max_metric_variance=given["max_metric_variance"],
            missing_metadata=given["missing_metadata"],
            evaluator_error_count=given["evaluator_error_count"],
            endpoint_errors=given["transport_errors"],
            uncertain_cases=given["judge_uncertainty_cases"],
            calibration=given["calibration_record"],
            judge_failed=given["judge_execution_failed"],
        )
    )
    wanted = case["output"]
    assert decision.status == wanted["status"]
    assert [
        {"metric": entry["metric"], "verdict": entry["verdict"]} for entry in decision.requirements
    ] == wanted["requirement_verdicts"]
    assert {name: decision.critical[name] for name in wanted["critical"]} == wanted["critical"]
    assert decision.challenge_gate == wanted["challenge_gate"]
    assert [condition.name for condition in decision.conditions] == wanted["conditions"]
    assert len(decision.resolutions) == wanted["resolutions_listed"]
    assert decision.met == wanted["requirements_met"]
    assert decision.missed == wanted["requirements_missed"]
