"""What a bundle records, as the records that scoring takes. Raises on a bundle of another shape."""

from __future__ import annotations

from packs.canonical import JsonValue
from packs.qualification.calibration import Calibration
from packs.qualification.captures import Capture
from packs.qualification.judge import JUDGE_FAILURE, JudgeVerdict
from packs.qualification.pack import QualificationPack
from packs.qualification.rows import EvaluatorError
from packs.qualification.scoring import CaseKey
from packs.qualification.view import BundleParts


def captures_of(parts: BundleParts) -> list[Capture]:
    captures = []
    for sent, came in zip(parts.inputs, parts.outputs, strict=True):
        run_index, attempts, duration = sent["run_index"], sent["attempts"], came["duration_seconds"]
        request, body, error, status = sent["body"], came["body"], came["error"], came["status_code"]
        assert isinstance(run_index, int)
        assert isinstance(attempts, int)
        assert isinstance(duration, int | float)
        assert isinstance(request, dict)
        assert isinstance(body, dict | None)
        assert isinstance(error, str | None)
        assert isinstance(status, int | None)
        if (sent["case_id"], sent["corpus"], run_index) != (came["case_id"], came["corpus"], came["run_index"]):
            raise ValueError("inputs.jsonl and outputs.jsonl are not in the same order")
        captures.append(
            Capture(
                case_id=str(sent["case_id"]),
                corpus=str(sent["corpus"]),
                run_index=run_index,
                sensitive=sent["sensitive"] is True,
                request=request,
                response=body,
                error=error,
                attempts=attempts,
                status_code=status,
                duration_seconds=duration,
            )
        )
    return captures


def scrubbed_keys(parts: BundleParts) -> set[tuple[int, str, str]]:
    found = set()
    for came in parts.outputs:
        run_index = came["run_index"]
        if came.get("secrets_removed") and isinstance(run_index, int):
            found.add((run_index, str(came["corpus"]), str(came["case_id"])))
    return found


def judged_of(parts: BundleParts, pack: QualificationPack) -> dict[CaseKey, JudgeVerdict | EvaluatorError]:
    """Verdicts and judge failures as recorded."""
    if pack.judge is None:
        return {}
    found: dict[CaseKey, JudgeVerdict | EvaluatorError] = {}
    for row in parts.results:
        evidence = row["evidence"]
        judged = evidence.get("judge") if isinstance(evidence, dict) else None
        if row["run_index"] == 0 and isinstance(judged, dict):
            found[(str(row["corpus"]), str(row["case_id"]))] = JudgeVerdict(
                passed=judged["passed"],
                failure_type=judged["failure_type"],
                uncertainty=judged["uncertainty"],
                label=judged["label"],
                rationale=judged["rationale"],
                model=judged["model"],
                confidence=judged.get("confidence"),
            )
    ids = {
        case.case_id: case.corpus for corpus in ("qualification", "challenge") for case in pack.cases[corpus]
    }
    for error in errors_of(parts):
        if error.error_type == JUDGE_FAILURE and error.case_id in ids:
            found.setdefault((ids[error.case_id], error.case_id), error)
    return found


def errors_of(parts: BundleParts) -> list[EvaluatorError]:
    listed = parts.decision["evaluator_errors"]
    assert isinstance(listed, list)
    return [
        EvaluatorError(str(e["evaluator"]), str(e["case_id"]), str(e["error_type"]), str(e["message"]))
        for e in listed
    ]


def recorded_calibration(parts: BundleParts) -> Calibration | None:
    """As recorded: its verdicts are not part of the evidence."""
    judge = parts.metrics.get("judge")
    if not isinstance(judge, dict):
        return None
    record: dict[str, JsonValue] = {
        "executed": judge["executed"],
        "valid": judge["calibration_valid"],
        "n": judge["calibration_n"],
        "agreed": judge["calibration_agreed"],
        "agreement": judge["calibration_agreement"],
        "kappa": judge.get("calibration_kappa"),
        "lower": judge.get("calibration_lower"),
        "upper": judge.get("calibration_upper"),
        "detail": judge["calibration_detail"],
        "declared_agreement": judge["declared_agreement"],
        "disagreements": judge["calibration_disagreements"],
        "known_failures": judge["known_failures"],
        "provenance": judge["provenance"],
    }
    uncertain = tuple(entry for entry in judge["uncertain_cases"] if entry.get("corpus") == "calibration")
    on_run = {str(row["case_id"]) for row in parts.results}
    errors = tuple(e for e in errors_of(parts) if e.error_type == JUDGE_FAILURE and e.case_id not in on_run)
    return Calibration(record, errors, uncertain)


def sampling_of(parts: BundleParts) -> dict[str, JsonValue]:
    found = parts.fingerprint["sampling"]
    assert isinstance(found, dict)
    return {**found, "request_extras": found.get("request_extras", {})}
