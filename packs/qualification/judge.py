"""Judges: what they are asked, how their verdict is read, and how far they agree. Format, section 13.

Pure: the transports that need a network are in `desktop.runs.qualification.judging`.
Cases: qualification/judge.json.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue, canonical_text, structured_hash, text_hash
from packs.qualification.evaluators.base import EvaluatorOutcome, failing, passing
from packs.qualification.evaluators.labels import critical_labels
from packs.qualification.pack import Case, EvaluatorSpec
from packs.qualification.replies import Reply, parse_object
from packs.qualification.taxonomy import ROUTE_CODES, is_ambiguous, route_failure

PROMPT_MARKER = "ETALON_JUDGE_V1"
"""First line of the judge's system message; endpoints that play judges look for it."""

JUDGE_FAILURE = "JudgeFailure"
MOCK_UNCERTAINTY = 0.05
EXTERNAL = ("typesafe", "jev")


class JudgeFailure(Exception):
    """No usable verdict. The message says why in words."""


@dataclass(frozen=True, slots=True)
class JudgeVerdict:
    """uncertainty in 0..1. label: as the judge read it. failure_type: None when passed."""

    passed: bool
    failure_type: str | None
    uncertainty: float
    label: str | None
    rationale: str
    model: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """What is stored with every verdict beside the verdict itself."""

    model: str
    model_revision: str
    model_hash: str
    prompt_sha256: str
    prompt_version: str
    rubric_id: str
    rubric_version: str


def transport_of(spec: EvaluatorSpec) -> str:
    return str(spec.config.get("transport"))


def uncertainty_maximum(spec: EvaluatorSpec) -> float:
    limit = spec.config.get("uncertainty_maximum")
    return float(limit) if isinstance(limit, int | float) else 1.0


def declared_model(spec: EvaluatorSpec) -> str:
    return str((spec.judge or {}).get("model", ""))


def identity_of(
    spec: EvaluatorSpec, rubric: Mapping[str, JsonValue], model: str | None = None
) -> JudgeIdentity:
    judge = spec.judge or {}
    return JudgeIdentity(
        model=model or declared_model(spec),
        model_revision=str(judge.get("model_revision", "")),
        model_hash=str(judge.get("model_hash", "")),
        prompt_sha256=prompt_hash(spec, rubric),
        prompt_version=str(spec.config.get("prompt_version", "")),
        rubric_id=str(spec.config.get("rubric_id", "")),
        rubric_version=str(rubric.get("version", "")),
    )


# what a judge is asked


def _folded(text: JsonValue) -> str:
    return " ".join(str(text).split())


def _labels(config: Mapping[str, JsonValue], name: str) -> str:
    listed = config.get(name)
    return ", ".join(str(label) for label in listed) if isinstance(listed, list) and listed else "none"


def system_message(config: Mapping[str, JsonValue], rubric: Mapping[str, JsonValue]) -> str:
    """The judge's instructions. The reference label is not shown, so that it cannot be copied."""
    conditions = rubric.get("failure_conditions")
    listed = [f"- {_folded(condition)}" for condition in conditions] if isinstance(conditions, list) else []
    return "\n".join(
        [
            PROMPT_MARKER,
            f"prompt version: {config.get('prompt_version')}",
            f"rubric: {rubric.get('id')} {rubric.get('version')}",
            f"critical labels: {_labels(config, 'critical_labels')}",
            f"public labels: {_labels(config, 'public_labels')}",
            f"criterion: {_folded(rubric.get('criterion', ''))}",
            "the answer fails when:",
            *listed,
            "You are shown a ticket and the answer of a candidate. Judge the answer by the criterion alone.",
            "Answer with one JSON object and nothing else. Its keys:",
            '"passed": true or false;',
            f'"failure_type": null when passed, else one of {", ".join(ROUTE_CODES)};',
            '"uncertainty": how unsure you are, a number from 0 to 1;',
            '"label": the label you would have given;',
            '"rationale": one sentence that says why.',
            "",
        ]
    )


def user_message(case: Case, content: str) -> str:
    return f"TICKET:\n{case.user_text}\nCANDIDATE:\n{content}\n"


def prompt_hash(spec: EvaluatorSpec, rubric: Mapping[str, JsonValue]) -> str:
    if transport_of(spec) in EXTERNAL:
        return structured_hash(typed_questions(spec.config, rubric))
    return text_hash(system_message(spec.config, rubric))


def typed_questions(config: Mapping[str, JsonValue], rubric: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The two typed questions for the external service."""
    conditions = rubric.get("failure_conditions")
    return {
        "verdict": {
            "kind": "choice",
            "question": "Does the answer meet the criterion, or which failure does it show?",
            "choices": ["pass", *ROUTE_CODES],
        },
        "uncertainty": {"kind": "probability", "question": "Is this verdict uncertain?"},
        "rubric": {
            "id": rubric.get("id"),
            "version": rubric.get("version"),
            "criterion": _folded(rubric.get("criterion", "")),
            "failure_conditions": list(conditions) if isinstance(conditions, list) else [],
        },
        "prompt_version": config.get("prompt_version"),
    }


def typed_state(
    spec: EvaluatorSpec, rubric: Mapping[str, JsonValue], case: Case, content: str
) -> dict[str, JsonValue]:
    """What the external service is shown. It sees the reference, as the format says."""
    return {
        "rubric": dict(rubric),
        "critical_labels": critical_labels(spec.config),
        "public_labels": spec.config.get("public_labels") or [],
        "reference_label": case.expected.get("label"),
        "reference_behaviour": case.expected.get("required_behaviour"),
        "ambiguous": is_ambiguous(case),
        "coverage": dict(case.coverage),
        "case": case.user_text,
        "reply": content,
    }


# how a verdict is read


def _proportion(value: JsonValue, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise JudgeFailure(f"the {what} is no number")
    if not 0 <= value <= 1:
        raise JudgeFailure(f"the {what} {value} is not between 0 and 1")
    return float(value)


def _code(passed: JsonValue, failure_type: JsonValue) -> str | None:
    if not isinstance(passed, bool):
        raise JudgeFailure("the verdict does not say whether it passed")
    if passed:
        if failure_type is not None:
            raise JudgeFailure("the verdict passes and names a failure")
        return None
    if failure_type not in ROUTE_CODES:
        raise JudgeFailure("the verdict fails without a failure type known here")
    return str(failure_type)


def mock_verdict(spec: EvaluatorSpec, case: Case, reply: Reply) -> JudgeVerdict:
    """The `offline-mock` transport: by the taxonomy, without a network. Raises JudgeFailure."""
    fault = spec.config.get("fault")
    if fault in ("unparseable", "omit-uncertainty"):
        raise JudgeFailure(f"the mock judge was told to fail ({fault})")
    stated = 0.9 if fault == "high-uncertainty" else case.metadata.get("judge_uncertainty", MOCK_UNCERTAINTY)
    uncertainty = _proportion(stated, "uncertainty")
    code = route_failure(case, reply.parsed, critical_labels(spec.config))
    label = reply.parsed.get("label") if reply.parsed is not None else None
    return JudgeVerdict(
        passed=code is None,
        failure_type=code,
        uncertainty=uncertainty,
        label=label if isinstance(label, str) else None,
        rationale="By comparison with the reference, without a model.",
        model=declared_model(spec),
    )


def read_verdict(content: str, model: str) -> JudgeVerdict:
    """From the text of an endpoint judge's reply. Raises JudgeFailure."""
    parsed = parse_object(content)
    if parsed is None:
        raise JudgeFailure("the judge did not answer with one JSON object")
    if "failure_type" not in parsed:
        raise JudgeFailure("the verdict does not say its failure type")
    code = _code(parsed.get("passed"), parsed["failure_type"])
    rationale = parsed.get("rationale")
    if not isinstance(rationale, str) or not rationale.strip():
        raise JudgeFailure("the verdict gives no reason")
    label = parsed.get("label")
    return JudgeVerdict(
        passed=code is None,
        failure_type=code,
        uncertainty=_proportion(parsed.get("uncertainty"), "uncertainty"),
        label=label if isinstance(label, str) else None,
        rationale=rationale,
        model=model,
    )


def read_typed(answer: JsonValue, label: JsonValue) -> JudgeVerdict:
    """From the external service's typed answers. Raises JudgeFailure."""
    if not isinstance(answer, dict) or not isinstance(answer.get("answers"), dict):
        raise JudgeFailure("the service's answers are not an object")
    answers = answer["answers"]
    verdict, doubt = answers.get("verdict"), answers.get("uncertainty")
    if not isinstance(verdict, dict) or not isinstance(doubt, dict):
        raise JudgeFailure("the service did not answer both questions")
    probabilities = verdict.get("probabilities")
    if not isinstance(probabilities, dict) or set(probabilities) != {"pass", *ROUTE_CODES}:
        raise JudgeFailure("the service did not give a probability for each choice")
    weights = {name: _proportion(value, "probability") for name, value in probabilities.items()}
    choice = verdict.get("choice")
    if choice not in weights or weights[str(choice)] < max(weights.values()):
        raise JudgeFailure("the service's choice is not its most probable one")
    model = answer.get("model")
    if not isinstance(model, str) or not model:
        raise JudgeFailure("the service does not name its model")
    return JudgeVerdict(
        passed=choice == "pass",
        failure_type=None if choice == "pass" else str(choice),
        uncertainty=_proportion(doubt.get("noul"), "uncertainty"),
        label=label if isinstance(label, str) else None,
        rationale="Typed answer of the service.",
        model=model,
        confidence=_proportion(verdict.get("confidence"), "confidence"),
    )


# what is stored


def verdict_evidence(verdict: JudgeVerdict, identity: JudgeIdentity) -> dict[str, JsonValue]:
    """The `judge` object in a row's evidence."""
    record: dict[str, JsonValue] = {
        "passed": verdict.passed,
        "failure_type": verdict.failure_type,
        "uncertainty": verdict.uncertainty,
        "label": verdict.label,
        "rationale": verdict.rationale,
        "model": verdict.model,
        "model_revision": identity.model_revision,
        "model_hash": identity.model_hash,
        "prompt_sha256": identity.prompt_sha256,
        "prompt_version": identity.prompt_version,
        "rubric_id": identity.rubric_id,
        "rubric_version": identity.rubric_version,
    }
    if verdict.confidence is not None:
        record["confidence"] = verdict.confidence
    return record


def verdict_outcome(verdict: JudgeVerdict, case: Case) -> EvaluatorOutcome:
    """The row of a test that has only the judge."""
    wanted = case.expected.get("label")
    if verdict.failure_type is None:
        return passing(wanted, verdict.label, verdict.rationale)
    return failing(verdict.failure_type, wanted, verdict.label, verdict.rationale)


def reference_evidence(case: Case, reply: Reply, critical: Sequence[str]) -> dict[str, JsonValue]:
    """The `reference` object beside a verdict: what the taxonomy itself says of the reply."""
    parsed = reply.parsed or {}
    code = route_failure(case, reply.parsed, critical)
    record: dict[str, JsonValue] = {
        "passed": code is None,
        "failure_type": code,
        "expected": {
            "label": case.expected.get("label"),
            "behaviour": case.expected.get("required_behaviour"),
        },
        "actual": {name: parsed.get(name) for name in ("label", "behaviour")},
    }
    if reply.parsed is None:
        record["not_scorable"] = True
    return record


def compact_candidate(case: Case) -> str | None:
    """A calibration case's answer as the judge is shown it; None when there is none."""
    candidate = case.metadata.get("candidate_output")
    return canonical_text(candidate) if isinstance(candidate, dict) else None
