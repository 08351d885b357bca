"""Scores a bundle again from its own evidence and names every place that differs (section 28, W33).

A bundle of ours holds the whole pack, so everything from the replies on can be done again by a stranger without
a network. A bundle of another tool holds only its results; from these the figures and the decision are done
again, and with the pack at hand the rest as well. Judge verdicts are observations and are taken as recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packs.canonical import JsonValue, canonical_text, text_hash
from packs.documents.jsonlines import finite
from packs.qualification.aggregate import all_metrics
from packs.qualification.captures import Capture
from packs.qualification.decision import DecisionInput, decide
from packs.qualification.derived import derived_differences
from packs.qualification.differences import (
    BundleDifference,
    compare_fields,
    decision_differences,
    failure_differences,
    metric_differences,
    row_differences,
)
from packs.qualification.evidence import (
    captures_of,
    errors_of,
    judged_of,
    recorded_calibration,
    sampling_of,
    scrubbed_keys,
)
from packs.qualification.hashing import content_hash
from packs.qualification.judge import JUDGE_FAILURE
from packs.qualification.pack import QualificationPack, case_from, metric_from, policy_from
from packs.qualification.redaction import scrub
from packs.qualification.requests import plan, request_body, variance_subset
from packs.qualification.schemas import CONDITIONS
from packs.qualification.scoring import ScoredRun, score_run
from packs.qualification.view import BundleParts

SHOWN = 50


@dataclass(frozen=True, slots=True)
class Rescore:
    """depth: 'replies' when scored from the replies on, 'results' when only from the recorded rows.

    left_out: replies that could not be scored again since secrets were taken out of them.
    """

    depth: str
    differences: tuple[BundleDifference, ...]
    left_out: int
    note: str

    @property
    def same(self) -> bool:
        return not self.differences


def pack_of_bundle(parts: BundleParts) -> QualificationPack | None:
    """The pack that a bundle carries, when its content hash is the recorded one; None when it carries none."""
    source = parts.pack_summary.get("source")
    methodology = parts.pack_summary.get("methodology_markdown")
    if not isinstance(source, dict) or not isinstance(methodology, str):
        return None
    try:
        cases = {
            corpus: tuple(case_from(raw, corpus) for raw in source["cases"][corpus])
            for corpus in ("qualification", "calibration", "challenge")
        }
        computed = content_hash(
            manifest=source["manifest"],
            cases={corpus: [case.raw for case in listed] for corpus, listed in cases.items()},
            rubrics=source["rubrics"],
            documents=source["documents"],
            methodology=methodology,
        )
        return QualificationPack(
            folder=Path(),
            manifest=source["manifest"],
            documents=source["documents"],
            rubrics=source["rubrics"],
            cases=cases,
            methodology=methodology,
            content_sha256=computed,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def rescore(parts: BundleParts, failures: JsonValue, pack: QualificationPack | None = None) -> Rescore:
    """failures: the parsed failures.json. pack: from elsewhere, for a bundle that carries none.

    A bundle too damaged to be scored gives one difference that says so.
    """
    found = pack or pack_of_bundle(parts)
    if found is None and ("source" in parts.pack_summary or "scoring" in parts.manifest):
        # Falling back to the recorded rows would let whoever damages the pack choose what is looked at.
        lost = BundleDifference("pack_summary.json", "source", "no pack that can be read", "the whole pack")
        return Rescore(
            "results", (lost,), 0, "The pack in the bundle is too damaged to score its answers again."
        )
    try:
        if found is None:
            return _from_results(parts, failures)
        return _from_replies(parts, failures, found)
    except (KeyError, TypeError, ValueError, AttributeError, AssertionError, IndexError) as error:
        broken = BundleDifference("bundle", "structure", f"{type(error).__name__}: {error}", "a whole bundle")
        return Rescore("results", (broken,), 0, "The bundle is too damaged to be scored again.")


# from the replies on


def _from_replies(parts: BundleParts, failures: JsonValue, pack: QualificationPack) -> Rescore:
    differences = list(_pack_differences(parts, pack))
    if differences:
        return Rescore("replies", tuple(differences), 0, "The pack is not the one that was run.")
    scoring = parts.manifest.get("scoring")
    strict = isinstance(scoring, dict) and scoring.get("strict_scrubbing") is True
    by_tool_of_ours = scoring is not None
    captures = captures_of(parts)
    sampling = sampling_of(parts)
    differences.extend(_plan_differences(parts, pack, captures, sampling))
    if differences:
        return Rescore("replies", tuple(differences[:SHOWN]), 0, "What was asked is not what the pack asks.")
    scored = score_run(
        pack,
        captures,
        parts.fingerprint,
        seed=sampling["seed"],
        judged=judged_of(parts, pack),
        # Another tool scored what it stored: without secrets.
        strict_scrubbing=strict or not by_tool_of_ours,
        recorded_calibration=recorded_calibration(parts),
    )
    unseen = set() if strict or not by_tool_of_ours else scrubbed_keys(parts)
    differences.extend(row_differences(parts, scored, unseen))
    if unseen:
        note = f"{len(unseen)} replies held secrets that were taken out; their rows were taken as recorded."
    else:
        note = "Every reply was scored again."
    differences.extend(_figure_differences(parts, failures, None if unseen else scored))
    if by_tool_of_ours:
        differences.extend(derived_differences(parts, failures, pack, None if unseen else scored))
        differences = list(dict.fromkeys(differences))
    return Rescore("replies", tuple(differences[:SHOWN]), len(unseen), note)


def _pack_differences(parts: BundleParts, pack: QualificationPack) -> Iterator[BundleDifference]:
    recorded = parts.manifest.get("pack_content_sha256")
    identity = parts.fingerprint.get("pack")
    stated = identity.get("content_sha256") if isinstance(identity, dict) else None
    for file, value in (("manifest.json", recorded), ("fingerprint.json", stated)):
        if value != pack.content_sha256:
            yield BundleDifference(file, "content hash of the pack", str(value), pack.content_sha256)


def _plan_differences(
    parts: BundleParts,
    pack: QualificationPack,
    captures: Sequence[Capture],
    sampling: Mapping[str, JsonValue],
) -> Iterator[BundleDifference]:
    """Was every case asked, with the case's own messages and the prompt of the fingerprint?"""
    subset = variance_subset(
        (case.case_id for case in pack.cases["qualification"]), pack.subset_fraction, sampling["seed"]
    )
    wanted = {request.key: request for request in plan(pack, subset)}
    found = {capture.key: capture for capture in captures}
    for key in sorted(set(wanted) ^ set(found)):
        here = key in found
        yield BundleDifference(
            "inputs.jsonl",
            f"run {key[0]}, {key[1]}, {key[2]}",
            "a request" if here else "nothing",
            "nothing" if here else "a request",
        )
    if len(found) != len(captures):
        yield BundleDifference(
            "inputs.jsonl", "repeats", f"{len(captures)} requests", f"{len(found)} different ones"
        )
    prompt = _system_prompt(captures)
    yield from _prompt_differences(parts, prompt)
    for key, capture in found.items():
        if key not in wanted:
            continue
        body, _ = scrub(request_body(wanted[key].case, str(capture.request.get("model")), sampling, prompt))
        if canonical_text(finite(body)) != canonical_text(finite(dict(capture.request))):
            yield BundleDifference(
                "inputs.jsonl", f"run {key[0]}, {key[2]}", "another request", "the case's request"
            )


def _system_prompt(captures: Sequence[Capture]) -> str | None:
    for capture in captures:
        messages = capture.request.get("messages")
        first = messages[0] if isinstance(messages, list) and messages else None
        count = len(messages) if isinstance(messages, list) else 0
        if isinstance(first, dict) and first.get("role") == "system" and count > 1:
            content = first.get("content")
            return content if isinstance(content, str) else None
        return None
    return None


def _prompt_differences(parts: BundleParts, prompt: str | None) -> Iterator[BundleDifference]:
    prompting = parts.fingerprint.get("prompting")
    envelope = prompting.get("system_prompt_sha256") if isinstance(prompting, dict) else None
    recorded = envelope.get("value") if isinstance(envelope, dict) else None
    if prompt is None or "[secret-excluded]" in prompt:
        return
    if recorded is not None and recorded != text_hash(prompt):
        yield BundleDifference("fingerprint.json", "system prompt", str(recorded), text_hash(prompt))


def _figure_differences(
    parts: BundleParts, failures: JsonValue, scored: ScoredRun | None
) -> Iterator[BundleDifference]:
    """Metrics, coverage, failures and decision, from computed rows or else from the recorded ones."""
    if scored is None:
        yield from _from_results(parts, failures).differences
        return
    yield from metric_differences(parts, scored.metrics)
    yield from compare_fields(
        "coverage.json",
        "coverage",
        parts.coverage,
        scored.coverage,
        ("model", "minimum_realised", "realised", "dimensions"),
    )
    yield from failure_differences(parts, failures)
    decision = scored.decision
    computed: dict[str, JsonValue] = {
        "status": decision.status,
        "requirements": list(decision.requirements),
        "challenge_gate": decision.challenge_gate,
        "conditions": [condition.name for condition in decision.conditions],
        "requirements_met": decision.met,
        "requirements_missed": decision.missed,
        "realised_coverage": scored.coverage["realised"],
    }
    yield from decision_differences(parts, computed, decision.critical, decision.critical_count)
    complete = scored.endpoint_errors == 0
    yield from compare_fields("manifest.json", "run", parts.manifest, {"complete": complete}, ("complete",))


# from the recorded rows


def _from_results(parts: BundleParts, failures: JsonValue) -> Rescore:
    """Figures and decision from the recorded rows; what the rows say is taken as it is."""
    listed = parts.metrics["qualification"]
    subset, runs = parts.metrics["variance_subset"], parts.metrics["repeat_runs"]
    limit = parts.metrics["max_metric_variance"]
    assert isinstance(listed, list)
    assert isinstance(subset, dict)
    assert isinstance(runs, int)
    assert isinstance(limit, int | float)
    definitions = [metric_from(metric) for metric in listed]
    computed = all_metrics(parts.results, definitions, runs, subset["case_ids"])
    differences = list(metric_differences(parts, computed))
    differences.extend(failure_differences(parts, failures))
    critical, gate = parts.decision["critical_failures"], parts.decision["challenge_gate"]
    assert isinstance(critical, dict)
    assert isinstance(gate, dict)
    raw_policy: dict[str, JsonValue] = {
        "requirements": parts.decision["requirements"],
        "critical_failures": critical,
        "indeterminate_when": list(CONDITIONS),
    }
    if gate.get("mode") == "critical_gate":
        raw_policy["challenge_critical_failures"] = gate
    realised, minimum = parts.decision["realised_coverage"], parts.decision["minimum_coverage"]
    assert isinstance(realised, int | float)
    assert isinstance(minimum, int | float)
    judge = parts.metrics.get("judge")
    errors = errors_of(parts)
    conditions = parts.decision["indeterminate_conditions"]
    assert isinstance(conditions, list)
    named = {condition["condition"] for condition in conditions}
    decision = decide(
        DecisionInput(
            policy=policy_from(raw_policy),
            qualification=computed["qualification"],
            challenge=computed["challenge"],
            realised_coverage=realised,
            minimum_coverage=minimum,
            max_metric_variance=limit,
            # Which paths were mandatory is not part of the evidence; that some were missing is.
            missing_metadata=["?"] if "mandatory_metadata_missing" in named else [],
            evaluator_error_count=len(errors),
            endpoint_errors=sum(came["error"] is not None for came in parts.outputs),
            uncertain_cases=judge["uncertain_cases"] if isinstance(judge, dict) else [],
            calibration=_calibration_flags(judge),
            judge_failed=any(error.error_type == JUDGE_FAILURE for error in errors),
        )
    )
    differences.extend(
        decision_differences(
            parts,
            {
                "status": decision.status,
                "requirements": list(decision.requirements),
                "challenge_gate": decision.challenge_gate,
                "conditions": [condition.name for condition in decision.conditions],
                "requirements_met": decision.met,
                "requirements_missed": decision.missed,
                "realised_coverage": parts.coverage["realised"],
            },
            decision.critical,
            decision.critical_count,
        )
    )
    note = (
        "The bundle does not carry its pack: figures and decision were done again from the recorded rows. "
        "With the pack (--pack) the replies are scored again as well."
    )
    return Rescore("results", tuple(differences[:SHOWN]), 0, note)


def _calibration_flags(judge: JsonValue) -> dict[str, JsonValue] | None:
    if not isinstance(judge, dict):
        return None
    return {"executed": judge["executed"], "valid": judge["calibration_valid"]}
