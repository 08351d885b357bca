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


def test_that_a_requirement_with_nothing_countable_records_no_interval_and_no_variance() -> None:
    given = {
        "id": "acc",
        "n": 0,
        "events": 0,
        "aggregation": "pass_rate",
        "minimum_sample_size": 1,
        "point_estimate": None,
        "variance": 0.0,
        "confidence_interval": {"level": 0.95, "method": "wilson", "lower": None, "upper": None},
    }
    requirement = {
        "metric": "acc",
        "operator": "gte",
        "threshold": 0.9,
        "mandatory": True,
        "rationale_ref": "methodology.md#acc",
    }
    policy = {
        "mode": "threshold",
        "requirements": [requirement],
        "critical_failures": {"metric": "acc", "maximum": 0.0},
        "indeterminate_when": ["insufficient_sample"],
    }
    decision = decide(
        DecisionInput(
            policy=policy_from(policy),
            qualification=[given],
            challenge=[],
            realised_coverage=1.0,
            minimum_coverage=0.0,
            max_metric_variance=1.0,
            missing_metadata=[],
            evaluator_error_count=0,
            endpoint_errors=0,
            uncertain_cases=[],
            calibration=None,
            judge_failed=False,
        )
    )
    recorded = decision.requirements[0]
    assert (recorded["verdict"], recorded["n"]) == ("insufficient", 0)
    assert recorded["confidence_interval"] is None
    assert recorded["variance"] is None
