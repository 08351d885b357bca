"""Sentences about a decision, for people."""

from __future__ import annotations

from packs.qualification.decision import INDETERMINATE, QUALIFIED, Decision

OPERATORS = {
    "gte": "at least",
    "gt": "more than",
    "lte": "at most",
    "lt": "less than",
    "eq": "exactly",
}

CONDITION_TEXT = {
    "confidence_interval_straddles_threshold": "a result is too close to its threshold for this many cases",
    "realised_coverage_below_minimum": "the cases do not cover enough",
    "repeat_run_variance_above_max": "answers change too much from run to run",
    "required_evaluator_failed": "some answers could not be scored",
    "insufficient_sample": "too few cases count for a result",
    "mandatory_metadata_missing": "something that must be known about the model is not",
    "endpoint_errors": "some requests got no usable reply",
    "judge_uncertainty": "the judge was too uncertain",
    "calibration_invalid": "the judge does not agree with people well enough",
}


def percent(value: float) -> str:
    """0.9 -> '90 %', 0.838875 -> '83.9 %'."""
    text = f"{value * 100:.1f}".removesuffix(".0")
    return f"{text} %"


def summary_sentence(decision: Decision) -> str:
    """One or two sentences: what was decided and for what reason."""
    count = sum(entry["mandatory"] is True for entry in decision.requirements)
    if decision.status == QUALIFIED:
        return f"All {count} mandatory requirements are met and no critical limit is passed."
    if decision.status == INDETERMINATE:
        reasons = list(
            dict.fromkeys(
                CONDITION_TEXT.get(condition.name, condition.name) for condition in decision.conditions
            )
        )
        why = "; ".join(reasons) or "the judge could not be used"
        return f"No decision can be made: {why}."
    reasons = []
    missed = [str(entry["metric"]) for entry in decision.requirements if _is_missed(entry)]
    if missed:
        verb = "is" if len(missed) == 1 else "are"
        reasons.append(f"{len(missed)} of {count} mandatory requirements {verb} missed ({', '.join(missed)})")
    if decision.critical["verdict"] == "observed":
        reasons.append(
            f"{decision.critical['observed_count']} critical failures in {decision.critical['n']} cases"
        )
    if decision.challenge_gate["verdict"] == "observed":
        reasons.append(f"{decision.challenge_gate['observed_count']} critical failures on the challenge cases")
    return f"Not good enough: {'; '.join(reasons)}."


def _is_missed(entry: dict[str, object]) -> bool:
    return entry["mandatory"] is True and entry["verdict"] == "missed"
