"""Scores a whole run: captures and verdicts in, rows, metrics and the decision out. Pure and repeatable.

Qualification-pack format, sections 8 to 14.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from packs.canonical import JsonValue
from packs.documents.jsonlines import finite
from packs.qualification.aggregate import all_metrics
from packs.qualification.calibration import Calibration, Overlay, calibrate, overlay
from packs.qualification.captures import Capture
from packs.qualification.coverage import coverage_record
from packs.qualification.decision import Decision, DecisionInput, decide
from packs.qualification.evaluators.base import EvaluatorOutcome
from packs.qualification.evaluators.labels import critical_labels
from packs.qualification.fingerprint import missing_mandatory
from packs.qualification.judge import (
    JUDGE_FAILURE,
    JudgeIdentity,
    JudgeVerdict,
    identity_of,
    reference_evidence,
    uncertainty_maximum,
    verdict_evidence,
    verdict_outcome,
)
from packs.qualification.pack import Case, QualificationPack
from packs.qualification.redaction import scrub
from packs.qualification.replies import Reply, read_reply
from packs.qualification.requests import variance_subset
from packs.qualification.rows import EvaluatorError, is_unscorable, result_row, score_test

CaseKey = tuple[str, str]
"""Corpus and case id."""

Judged = Mapping[CaseKey, JudgeVerdict | EvaluatorError]


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """captures: in bundle order; a row's line in inputs and outputs is its capture's position from 1."""

    captures: tuple[Capture, ...]
    replies: tuple[Reply, ...]
    rows: tuple[dict[str, JsonValue], ...]
    errors: tuple[EvaluatorError, ...]
    metrics: Mapping[str, list[dict[str, JsonValue]]]
    subset: tuple[str, ...]
    coverage: Mapping[str, JsonValue]
    decision: Decision
    identity: JudgeIdentity | None
    overlay: Overlay | None
    calibration: Calibration | None
    missing_metadata: tuple[str, ...]

    @property
    def endpoint_errors(self) -> int:
        return sum(capture.error is not None for capture in self.captures)

    @property
    def uncertain_cases(self) -> list[dict[str, JsonValue]]:
        run = list(self.overlay.uncertain) if self.overlay else []
        return run + (list(self.calibration.uncertain) if self.calibration else [])


def read_capture(capture: Capture, *, strict_scrubbing: bool) -> Reply:
    """The reply as scoring sees it. strict_scrubbing: without secrets, as the public tool reads it."""
    body: JsonValue = capture.response
    if strict_scrubbing:
        body, _ = scrub(body)
    return read_reply(body, capture.error)


def needs_judging(capture: Capture, reply: Reply) -> bool:
    """Run 0 of both corpora, without an endpoint error and not truncated."""
    return capture.run_index == 0 and capture.error is None and not reply.truncated


def score_run(
    pack: QualificationPack,
    captures: Iterable[Capture],
    fingerprint: Mapping[str, JsonValue],
    *,
    seed: JsonValue,
    judged: Judged | None = None,
    calibrated: Mapping[str, JudgeVerdict | EvaluatorError] | None = None,
    strict_scrubbing: bool = False,
    recorded_calibration: Calibration | None = None,
) -> ScoredRun:
    """recorded_calibration: taken as it is, when a bundle is scored again.

    judged: verdicts by corpus and case; calibrated: by calibration case; both only with a judge.

    seed: the effective one, which draws the variance subset.
    """
    ordered = tuple(sorted(captures, key=lambda capture: capture.key))
    replies = tuple(read_capture(capture, strict_scrubbing=strict_scrubbing) for capture in ordered)
    cases = {(case.corpus, case.case_id): case for listed in pack.cases.values() for case in listed}
    subset = variance_subset((case.case_id for case in pack.cases["qualification"]), pack.subset_fraction, seed)
    rows: list[dict[str, JsonValue]] = []
    errors: list[EvaluatorError] = []
    judge = pack.judge
    identity = identity_of(judge, pack.rubrics.get(_rubric_id(pack), {})) if judge else None
    for position, (capture, reply) in enumerate(zip(ordered, replies, strict=True), 1):
        case = cases[(capture.corpus, capture.case_id)]
        verdict = (judged or {}).get((capture.corpus, capture.case_id)) if capture.run_index == 0 else None
        if isinstance(verdict, EvaluatorError):
            errors.append(verdict)
            verdict = None
        if not needs_judging(capture, reply):
            verdict = None
        found, failed = _score_capture(pack, capture, reply, case, position, verdict, identity)
        rows.extend(found)
        errors.extend(failed)
    rows.sort(key=_row_order)
    calibration = None
    beside = None
    if judge is not None:
        beside = overlay(rows, uncertainty_maximum(judge))
        calibration = recorded_calibration or calibrate(judge, pack.cases["calibration"], calibrated or {})
        errors.extend(calibration.errors)
    metrics = all_metrics(rows, pack.metrics, pack.repeat_runs, subset)
    coverage = coverage_record(
        (case.coverage for case in pack.cases["qualification"]), pack.dimensions, pack.minimum_realised
    )
    missing = tuple(missing_mandatory(fingerprint, pack.mandatory_metadata))
    realised = coverage["realised"]
    assert isinstance(realised, int | float)
    uncertain = [*(beside.uncertain if beside else ()), *(calibration.uncertain if calibration else ())]
    decision = decide(
        DecisionInput(
            policy=pack.policy,
            qualification=metrics["qualification"],
            challenge=metrics["challenge"],
            realised_coverage=realised,
            minimum_coverage=pack.minimum_realised,
            max_metric_variance=pack.max_metric_variance,
            missing_metadata=missing,
            evaluator_error_count=len(errors),
            endpoint_errors=sum(capture.error is not None for capture in ordered),
            uncertain_cases=uncertain,
            calibration=calibration.record if calibration else None,
            judge_failed=any(error.error_type == JUDGE_FAILURE for error in errors),
        )
    )
    decision = replace(decision, notes=(*decision.notes, *_truncation_notes(pack, rows, decision)))
    return ScoredRun(
        captures=ordered,
        replies=replies,
        rows=tuple(rows),
        errors=tuple(errors),
        metrics=metrics,
        subset=tuple(subset),
        coverage=coverage,
        decision=decision,
        identity=identity,
        overlay=beside,
        calibration=calibration,
        missing_metadata=missing,
    )


def _truncation_notes(
    pack: QualificationPack, rows: Sequence[Mapping[str, JsonValue]], decision: Decision
) -> Iterator[str]:
    """By the format's rule a cut reply with a label counts as a critical failure, one without is left out."""
    test = next((metric.test for metric in pack.metrics if metric.id == decision.critical["metric"]), None)
    mine = [
        row
        for row in rows
        if row["test_id"] == test and row["run_index"] == 0 and row["corpus"] == "qualification"
    ]
    cut = sum(row["failure_type"] == "truncated" for row in mine)
    if cut:
        yield (
            f"{cut} of the critical failures are replies that were cut off at the token limit; by the format's "
            "rule they count, even where the label was right. A higher limit may settle them."
        )
    left_out = sum(is_unscorable(row) for row in mine)
    if left_out:
        yield (
            f"{left_out} critical cases were left out of the count, since their replies name no label; by the "
            "format's rule they are no critical failures. Look at them before anything is used."
        )


def _rubric_id(pack: QualificationPack) -> str:
    return str(pack.judge.config.get("rubric_id", "")) if pack.judge else ""


def _row_order(row: Mapping[str, JsonValue]) -> tuple[int, str, str, str]:
    run_index = row["run_index"]
    assert isinstance(run_index, int)
    return (run_index, str(row["corpus"]), str(row["case_id"]), str(row["test_id"]))


def _score_capture(
    pack: QualificationPack,
    capture: Capture,
    reply: Reply,
    case: Case,
    position: int,
    verdict: JudgeVerdict | None,
    identity: JudgeIdentity | None,
) -> tuple[list[dict[str, JsonValue]], list[EvaluatorError]]:
    rows: list[dict[str, JsonValue]] = []
    errors: list[EvaluatorError] = []
    judged: EvaluatorOutcome | None = verdict_outcome(verdict, case) if verdict else None
    beside: dict[str, JsonValue] = {}
    if verdict is not None and identity is not None and pack.judge is not None:
        beside = {
            "judge": verdict_evidence(verdict, identity),
            "reference": reference_evidence(case, reply, critical_labels(pack.judge.config)),
        }
    for test in pack.tests:
        if capture.corpus not in test.corpora:
            continue
        specs = [pack.evaluators[name] for name in test.evaluators]
        scored = score_test(specs, case, reply, judged)
        errors.extend(scored.errors)
        row = result_row(
            scored,
            test_id=test.id,
            severity=test.severity,
            case=case,
            run_index=capture.run_index,
            position=position,
        )
        if row is None:
            continue
        evidence = row["evidence"]
        assert isinstance(evidence, dict)
        row["evidence"], _ = scrub(finite({**evidence, **beside}))
        rows.append(row)
    return rows, errors


def failing_rows(rows: Sequence[Mapping[str, JsonValue]]) -> list[Mapping[str, JsonValue]]:
    """Run-0 applicable failures, in row order."""
    return [row for row in rows if row["run_index"] == 0 and row["applicable"] and not row["passed"]]
