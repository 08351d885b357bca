"""QUALIFIED, NOT_QUALIFIED or INDETERMINATE: qualification-pack format, section 14.

Cases: qualification/decisions.json. Where the format's rule surprises (section 28, W8, W9, W11) it is followed,
and `notes` says so in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.pack import Gate, Policy
from packs.statistics.sample_size import verdict as interval_verdict

QUALIFIED = "QUALIFIED"
NOT_QUALIFIED = "NOT_QUALIFIED"
INDETERMINATE = "INDETERMINATE"
VALID_UNTIL = "material change to any declared requalification trigger"

Metric = Mapping[str, JsonValue]
"""An entry of `metrics.json`; for challenge gates of its challenge list."""


@dataclass(frozen=True, slots=True)
class DecisionInput:
    policy: Policy
    qualification: Sequence[Metric]
    challenge: Sequence[Metric]
    realised_coverage: float
    minimum_coverage: float
    max_metric_variance: float
    missing_metadata: Sequence[str]
    evaluator_error_count: int
    endpoint_errors: int
    uncertain_cases: Sequence[Mapping[str, JsonValue]] = ()
    calibration: Mapping[str, JsonValue] | None = None
    """The calibration record with `executed` and `valid`; None without a judge."""
    judge_failed: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    name: str
    detail: str
    resolution: str

    def as_json(self) -> dict[str, JsonValue]:
        return {"condition": self.name, "detail": self.detail, "resolution": self.resolution}


@dataclass(frozen=True, slots=True)
class Decision:
    status: str
    requirements: tuple[dict[str, JsonValue], ...]
    critical: dict[str, JsonValue]
    challenge_gate: dict[str, JsonValue]
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]

    @property
    def met(self) -> int:
        return self._count("met")

    @property
    def missed(self) -> int:
        return self._count("missed")

    def _count(self, verdict: str) -> int:
        return sum(entry["mandatory"] is True and entry["verdict"] == verdict for entry in self.requirements)

    @property
    def critical_count(self) -> int:
        """What the manifest reports: the count only when the verdict is `observed`."""
        found = self.critical["observed_count"]
        return found if self.critical["verdict"] == "observed" and isinstance(found, int) else 0

    @property
    def resolutions(self) -> list[str]:
        return [condition.resolution for condition in self.conditions] if self.status == INDETERMINATE else []


def decide(given: DecisionInput) -> Decision:
    """Never raises for metrics as `aggregate` makes them."""
    by_id = {str(metric["id"]): metric for metric in given.qualification}
    requirements = tuple(_requirement(given, by_id, index) for index in range(len(given.policy.requirements)))
    critical = _critical(given.policy.critical, by_id)
    gate = _challenge(given.policy.challenge, {str(metric["id"]): metric for metric in given.challenge})
    conditions = tuple(_conditions(given, requirements, critical, gate))
    failed = (
        any(entry["mandatory"] and entry["verdict"] == "missed" for entry in requirements)
        or critical["verdict"] == "observed"
        or gate["verdict"] == "observed"
    )
    if given.endpoint_errors or given.judge_failed:
        status = INDETERMINATE
    elif failed:
        status = NOT_QUALIFIED
    else:
        status = INDETERMINATE if conditions else QUALIFIED
    notes = tuple(_notes(given, requirements, critical, by_id))
    return Decision(status, requirements, critical, gate, conditions, notes)


def _requirement(given: DecisionInput, by_id: Mapping[str, Metric], index: int) -> dict[str, JsonValue]:
    wanted = given.policy.requirements[index]
    metric = by_id.get(wanted.metric)
    # The format records neither interval nor variance for a metric that nothing could be counted for.
    known = metric if metric is not None and metric["point_estimate"] is not None else None
    record: dict[str, JsonValue] = {
        "metric": wanted.metric,
        "operator": wanted.operator,
        "threshold": wanted.threshold,
        "mandatory": wanted.mandatory,
        "rationale_ref": wanted.rationale_ref,
        "verdict": "insufficient",
        "point_estimate": known["point_estimate"] if known else None,
        "n": metric["n"] if metric else 0,
        "variance": known["variance"] if known else None,
        "confidence_interval": known["confidence_interval"] if known else None,
    }
    if known is None or _too_few(known):
        return record
    lower, upper = _bounds(known)
    record["verdict"] = interval_verdict(wanted.operator, wanted.threshold, lower, upper)
    return record


def _bounds(metric: Metric) -> tuple[float, float]:
    interval = metric["confidence_interval"]
    assert isinstance(interval, dict)
    return interval["lower"], interval["upper"]


def _count(metric: Metric, name: str) -> int:
    found = metric[name]
    assert isinstance(found, int | float)
    return int(found)


def _too_few(metric: Metric) -> bool:
    return _count(metric, "n") == 0 or _count(metric, "n") < _count(metric, "minimum_sample_size")


def _failures(metric: Metric) -> int:
    events = _count(metric, "events")
    return events if metric["aggregation"] == "failure_rate" else _count(metric, "n") - events


def _critical(gate: Gate, by_id: Mapping[str, Metric]) -> dict[str, JsonValue]:
    metric = by_id.get(gate.metric)
    record: dict[str, JsonValue] = {
        "metric": gate.metric,
        "maximum": gate.maximum,
        "observed_count": _failures(metric) if metric else 0,
        "observed_rate": metric["point_estimate"] if metric else None,
        "n": _count(metric, "n") if metric else 0,
        "verdict": "insufficient",
        "rule": "none may occur" if gate.maximum == 0 else f"the rate may not exceed {gate.maximum}",
    }
    if metric is None or _too_few(metric):
        return record
    estimate = metric["point_estimate"]
    assert isinstance(estimate, int | float)
    over = _failures(metric) > 0 if gate.maximum == 0 else estimate > gate.maximum
    record["verdict"] = "observed" if over else "none"
    return record


def _challenge(gate: Gate | None, by_id: Mapping[str, Metric]) -> dict[str, JsonValue]:
    if gate is None:
        return {"mode": "informational", "verdict": "not_gated"}
    metric = by_id.get(gate.metric)
    n = _count(metric, "n") if metric else 0
    count = _failures(metric) if metric else 0
    rate = count / n if n else None
    if metric is None or rate is None or _too_few(metric):
        verdict = "insufficient"
    else:
        verdict = "observed" if rate > gate.maximum else "none"
    return {
        "mode": "critical_gate",
        "metric": gate.metric,
        "maximum": gate.maximum,
        "observed_count": count,
        "observed_rate": rate,
        "n": n,
        "verdict": verdict,
    }


def _conditions(
    given: DecisionInput,
    requirements: Sequence[Mapping[str, JsonValue]],
    critical: Mapping[str, JsonValue],
    gate: Mapping[str, JsonValue],
) -> list[Condition]:
    straddling = [str(r["metric"]) for r in requirements if r["mandatory"] and r["verdict"] == "straddle"]
    insufficient = [str(r["metric"]) for r in requirements if r["verdict"] == "insufficient"]
    if critical["verdict"] == "insufficient" and str(critical["metric"]) not in insufficient:
        insufficient.append(str(critical["metric"]))
    limit = given.max_metric_variance
    unstable = [
        str(metric["id"])
        for metric in given.qualification
        if isinstance(variance := metric["variance"], int | float) and variance > limit
    ]
    calibration = given.calibration
    candidates = [
        (
            bool(straddling),
            Condition(
                "confidence_interval_straddles_threshold",
                f"The interval reaches to both sides of the threshold for: {', '.join(straddling)}.",
                f"Add cases that count for {', '.join(straddling)}, until the interval lies on one side.",
            ),
        ),
        (
            given.realised_coverage < given.minimum_coverage,
            Condition(
                "realised_coverage_below_minimum",
                f"Coverage is {given.realised_coverage:g}; the pack wants {given.minimum_coverage:g}.",
                "Add qualification cases for the coverage values that no case carries.",
            ),
        ),
        (
            bool(unstable),
            Condition(
                "repeat_run_variance_above_max",
                f"Repeat runs differ by more than {limit:g} for: {', '.join(unstable)}.",
                "Fix the seed and the temperature, or find out why answers change.",
            ),
        ),
        (
            given.evaluator_error_count > 0,
            Condition(
                "required_evaluator_failed",
                f"{given.evaluator_error_count} answers could not be scored because an evaluator failed.",
                "Correct the evaluators named in evaluator_errors and score again.",
            ),
        ),
        (
            bool(insufficient),
            Condition(
                "insufficient_sample",
                f"Too few cases count for: {', '.join(insufficient)}.",
                f"Add cases that count for {', '.join(insufficient)}.",
            ),
        ),
        (
            bool(given.missing_metadata),
            Condition(
                "mandatory_metadata_missing",
                f"The fingerprint does not say: {', '.join(given.missing_metadata)}.",
                "Give the serving config, model index or files that say it.",
            ),
        ),
        (
            given.endpoint_errors > 0,
            Condition(
                "endpoint_errors",
                f"{given.endpoint_errors} requests got no usable reply.",
                "Resume the run with --retry-errors once the endpoint answers.",
            ),
        ),
        (
            bool(given.uncertain_cases),
            Condition(
                "judge_uncertainty",
                f"The judge was too uncertain about {len(given.uncertain_cases)} cases.",
                "Have a person look at these cases, or improve the rubric.",
            ),
        ),
        (
            calibration is not None and bool(calibration.get("executed")) and not calibration.get("valid"),
            Condition(
                "calibration_invalid",
                "The judge did not agree with people well enough on the calibration cases.",
                "Improve the judge or its rubric, then run again.",
            ),
        ),
    ]
    listed = {*given.policy.indeterminate_when, "endpoint_errors"}
    active = [condition for holds, condition in candidates if holds and condition.name in listed]
    if gate["verdict"] == "insufficient" and "insufficient_sample" in listed:
        active.append(
            Condition(
                "insufficient_sample",
                f"Too few challenge cases count for the gate metric {gate['metric']}.",
                f"Add challenge cases that count for {gate['metric']}.",
            )
        )
    return active


def _notes(
    given: DecisionInput,
    requirements: Sequence[Mapping[str, JsonValue]],
    critical: Mapping[str, JsonValue],
    by_id: Mapping[str, Metric],
) -> list[str]:
    """What a reader would otherwise overlook: the format's rule was followed, though it surprises."""
    notes = []
    seen, maximum = critical["observed_count"], critical["maximum"]
    assert isinstance(maximum, int | float)
    if critical["verdict"] == "insufficient" and isinstance(seen, int) and seen > 0:
        notes.append(
            f"{seen} critical failures were seen, but in fewer cases than the minimum, so by the format's rule "
            "they do not decide. Look at them before anything is used."
        )
    metric = by_id.get(str(critical["metric"]))
    if metric is not None and metric["aggregation"] == "pass_rate" and maximum > 0:
        notes.append(
            "The critical metric is a pass rate, and by the format's rule the pass rate itself is compared "
            "with the maximum. A perfect model fails this."
        )
    blocking = [str(r["metric"]) for r in requirements if r["verdict"] == "insufficient" and not r["mandatory"]]
    if blocking:
        notes.append(f"Not mandatory, yet too few cases keep the decision open: {', '.join(blocking)}.")
    required = {str(r["metric"]) for r in requirements} | {str(critical["metric"])}
    unstable = [
        str(metric["id"])
        for metric in given.qualification
        if isinstance(variance := metric["variance"], int | float)
        and variance > given.max_metric_variance
        and str(metric["id"]) not in required
    ]
    if unstable:
        notes.append(
            f"Not required by anybody, yet their variance keeps the decision open: {', '.join(unstable)}."
        )
    return notes
