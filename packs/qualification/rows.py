"""From evaluator outcomes to one result row a test: qualification-pack format, section 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from packs.canonical import JsonValue
from packs.qualification.evaluators import EVALUATORS, pair
from packs.qualification.evaluators.base import EvaluatorOutcome, failing
from packs.qualification.pack import Case, EvaluatorSpec
from packs.qualification.replies import Reply


@dataclass(frozen=True, slots=True)
class EvaluatorError:
    """An evaluator that raised: the decision is indeterminate. Judges' are of type `JudgeFailure`."""

    evaluator: str
    case_id: str
    error_type: str
    message: str

    def as_json(self) -> dict[str, str]:
        return {
            "evaluator": self.evaluator,
            "case_id": self.case_id,
            "error_type": self.error_type,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class ScoredTest:
    """outcome: None when there is no row. evaluator: whose identity the row carries."""

    outcome: EvaluatorOutcome | None
    evaluator: EvaluatorSpec | None
    errors: tuple[EvaluatorError, ...]


def score_test(
    evaluators: Sequence[EvaluatorSpec], case: Case, reply: Reply, judged: EvaluatorOutcome | None = None
) -> ScoredTest:
    """Run a test's evaluators on one reply. judged: the judge's outcome, for a test with only a judge."""
    plain = [spec for spec in evaluators if not spec.is_judge]
    judge = next((spec for spec in evaluators if spec.is_judge), None)
    outcomes: list[EvaluatorOutcome] = []
    errors: list[EvaluatorError] = []
    for spec in plain:
        try:
            outcomes.append(EVALUATORS[pair(spec.kind, spec.type)].evaluate(spec.config, case, reply))
        except Exception as error:  # a pack's own mistake must end as a recorded error, whatever it is
            errors.append(EvaluatorError(spec.id, case.case_id, type(error).__name__, _message(error)))
    named = plain[0] if plain else judge
    if reply.truncated and (errors or not outcomes or any(outcome.applicable for outcome in outcomes)):
        return ScoredTest(truncated_outcome(reply), named, ())
    if errors:
        return ScoredTest(None, named, tuple(errors))
    if not outcomes:
        return ScoredTest(judged, named, ())
    return ScoredTest(merge(outcomes), named, ())


def _message(error: Exception) -> str:
    return str(error) or type(error).__name__


def truncated_outcome(reply: Reply) -> EvaluatorOutcome:
    outcome = failing(
        "truncated", "complete response", reply.content, "The reply was cut off at the token limit."
    )
    return replace(outcome, extra={"finish_reason": "length"})


def merge(outcomes: Sequence[EvaluatorOutcome]) -> EvaluatorOutcome:
    """One outcome of several: only applicable ones count, the first failing one's code stands."""
    applicable = [outcome for outcome in outcomes if outcome.applicable]
    if not applicable:
        return outcomes[0]
    if len(applicable) == 1:
        return applicable[0]
    passed = all(outcome.passed for outcome in applicable)
    unscored = all(outcome.score is None for outcome in applicable)
    code = next((outcome.failure_code for outcome in applicable if not outcome.passed), None)
    extra: dict[str, JsonValue] = {}
    for outcome in reversed(applicable):
        extra.update(outcome.extra)
    return replace(
        applicable[0],
        passed=passed,
        score=None if unscored else float(passed),
        failure_code=code,
        detail=" ".join(outcome.detail for outcome in applicable),
        extra=extra,
    )


def row_evidence(outcome: EvaluatorOutcome, position: int) -> dict[str, JsonValue]:
    """Evidence of a row; position is the line from 1 of its input and output."""
    evidence: dict[str, JsonValue] = {
        "expected": outcome.expected,
        "actual": outcome.actual,
        "detail": outcome.detail,
        "input_ref": f"inputs.jsonl#L{position}",
        "output_ref": f"outputs.jsonl#L{position}",
        **outcome.extra,
    }
    if outcome.not_scorable:
        evidence["not_scorable"] = True
    return evidence


def result_row(
    scored: ScoredTest,
    *,
    test_id: str,
    severity: str,
    case: Case,
    run_index: int,
    position: int,
) -> dict[str, JsonValue] | None:
    """The row of `results.jsonl`, or None when there is no outcome."""
    outcome, spec = scored.outcome, scored.evaluator
    if outcome is None or spec is None:
        return None
    return {
        "case_id": case.case_id,
        "test_id": test_id,
        "evaluator": spec.identity(),
        "score": outcome.score,
        "passed": outcome.passed,
        "severity": severity,
        "failure_type": outcome.failure_code,
        "evidence": row_evidence(outcome, position),
        "run_index": run_index,
        "corpus": case.corpus,
        "applicable": outcome.applicable,
        "sensitive": case.sensitive,
    }


def is_unscorable(row: Mapping[str, JsonValue]) -> bool:
    evidence = row.get("evidence")
    return isinstance(evidence, dict) and evidence.get("not_scorable") is True
