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
from packs.qualification.aggregate import all_metrics
from packs.qualification.calibration import Calibration
from packs.qualification.captures import Capture
from packs.qualification.decision import DecisionInput, decide
from packs.qualification.failures import RedactionPolicy, failure_groups, policy_of
from packs.qualification.hashing import content_hash
from packs.qualification.jsonlines import finite
from packs.qualification.judge import JUDGE_FAILURE, Verdict
from packs.qualification.pack import QualificationPack, case_from, metric_from, policy_from
from packs.qualification.redaction import scrub
from packs.qualification.requests import plan, request_body, variance_subset
from packs.qualification.rows import EvaluatorError
from packs.qualification.schemas import CONDITIONS
from packs.qualification.scoring import CaseKey, ScoredRun, score_run
from packs.qualification.view import BundleParts

SHOWN = 50


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a bundle says something else than its own evidence. Values are short texts."""

    file: str
    where: str
    recorded: str
    computed: str

    def __str__(self) -> str:
        return f"{self.file}, {self.where}: recorded {self.recorded}, computed {self.computed}."


@dataclass(frozen=True, slots=True)
class Rescore:
    """depth: 'replies' when scored from the replies on, 'results' when only from the recorded rows.

    left_out: replies that could not be scored again since secrets were taken out of them.
    """

    depth: str
    differences: tuple[Difference, ...]
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
    try:
        if found is None:
            return _from_results(parts, failures)
        return _from_replies(parts, failures, found)
    except (KeyError, TypeError, ValueError, AttributeError, AssertionError, IndexError) as error:
        broken = Difference("bundle", "structure", f"{type(error).__name__}: {error}", "a whole bundle")
        return Rescore("results", (broken,), 0, "The bundle is too damaged to be scored again.")


# from the replies on


def _from_replies(parts: BundleParts, failures: JsonValue, pack: QualificationPack) -> Rescore:
    differences = list(_pack_differences(parts, pack))
    if differences:
        return Rescore("replies", tuple(differences), 0, "The pack is not the one that was run.")
    scoring = parts.manifest.get("scoring")
    strict = isinstance(scoring, dict) and scoring.get("strict_scrubbing") is True
    by_tool_of_ours = scoring is not None
    captures = _captures(parts)
    sampling = _sampling(parts)
    differences.extend(_plan_differences(parts, pack, captures, sampling))
    if differences:
        return Rescore("replies", tuple(differences[:SHOWN]), 0, "What was asked is not what the pack asks.")
    scored = score_run(
        pack,
        captures,
        parts.fingerprint,
        seed=sampling["seed"],
        judged=_judged(parts, pack),
        # Another tool scored what it stored: without secrets.
        strict_scrubbing=strict or not by_tool_of_ours,
        recorded_calibration=_recorded_calibration(parts),
    )
    unseen = set() if strict or not by_tool_of_ours else _scrubbed_keys(parts)
    differences.extend(_row_differences(parts, scored, unseen))
    if unseen:
        note = f"{len(unseen)} replies held secrets that were taken out; their rows were taken as recorded."
    else:
        note = "Every reply was scored again."
    differences.extend(_figure_differences(parts, failures, None if unseen else scored))
    return Rescore("replies", tuple(differences[:SHOWN]), len(unseen), note)


def _pack_differences(parts: BundleParts, pack: QualificationPack) -> Iterator[Difference]:
    recorded = parts.manifest.get("pack_content_sha256")
    identity = parts.fingerprint.get("pack")
    stated = identity.get("content_sha256") if isinstance(identity, dict) else None
    for file, value in (("manifest.json", recorded), ("fingerprint.json", stated)):
        if value != pack.content_sha256:
            yield Difference(file, "content hash of the pack", str(value), pack.content_sha256)


def _sampling(parts: BundleParts) -> dict[str, JsonValue]:
    found = parts.fingerprint["sampling"]
    assert isinstance(found, dict)
    return {**found, "request_extras": found.get("request_extras", {})}


def _captures(parts: BundleParts) -> list[Capture]:
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


def _scrubbed_keys(parts: BundleParts) -> set[tuple[int, str, str]]:
    found = set()
    for came in parts.outputs:
        run_index = came["run_index"]
        if came.get("secrets_removed") and isinstance(run_index, int):
            found.add((run_index, str(came["corpus"]), str(came["case_id"])))
    return found


def _plan_differences(
    parts: BundleParts,
    pack: QualificationPack,
    captures: Sequence[Capture],
    sampling: Mapping[str, JsonValue],
) -> Iterator[Difference]:
    """Was every case asked, with the case's own messages and the prompt of the fingerprint?"""
    subset = variance_subset(
        (case.case_id for case in pack.cases["qualification"]), pack.subset_fraction, sampling["seed"]
    )
    wanted = {request.key: request for request in plan(pack, subset)}
    found = {capture.key: capture for capture in captures}
    for key in sorted(set(wanted) ^ set(found)):
        here = key in found
        yield Difference(
            "inputs.jsonl",
            f"run {key[0]}, {key[1]}, {key[2]}",
            "a request" if here else "nothing",
            "nothing" if here else "a request",
        )
    if len(found) != len(captures):
        yield Difference("inputs.jsonl", "repeats", f"{len(captures)} requests", f"{len(found)} different ones")
    prompt = _system_prompt(captures)
    yield from _prompt_differences(parts, prompt)
    for key, capture in found.items():
        if key not in wanted:
            continue
        body, _ = scrub(request_body(wanted[key].case, str(capture.request.get("model")), sampling, prompt))
        if canonical_text(finite(body)) != canonical_text(finite(dict(capture.request))):
            yield Difference("inputs.jsonl", f"run {key[0]}, {key[2]}", "another request", "the case's request")


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


def _prompt_differences(parts: BundleParts, prompt: str | None) -> Iterator[Difference]:
    prompting = parts.fingerprint.get("prompting")
    envelope = prompting.get("system_prompt_sha256") if isinstance(prompting, dict) else None
    recorded = envelope.get("value") if isinstance(envelope, dict) else None
    if prompt is None or "[secret-excluded]" in prompt:
        return
    if recorded is not None and recorded != text_hash(prompt):
        yield Difference("fingerprint.json", "system prompt", str(recorded), text_hash(prompt))


def _judged(parts: BundleParts, pack: QualificationPack) -> dict[CaseKey, Verdict | EvaluatorError]:
    """Verdicts and judge failures as recorded."""
    if pack.judge is None:
        return {}
    found: dict[CaseKey, Verdict | EvaluatorError] = {}
    for row in parts.results:
        evidence = row["evidence"]
        judged = evidence.get("judge") if isinstance(evidence, dict) else None
        if row["run_index"] == 0 and isinstance(judged, dict):
            found[(str(row["corpus"]), str(row["case_id"]))] = Verdict(
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
    for error in _errors(parts):
        if error.error_type == JUDGE_FAILURE and error.case_id in ids:
            found.setdefault((ids[error.case_id], error.case_id), error)
    return found


def _errors(parts: BundleParts) -> list[EvaluatorError]:
    listed = parts.decision["evaluator_errors"]
    assert isinstance(listed, list)
    return [
        EvaluatorError(str(e["evaluator"]), str(e["case_id"]), str(e["error_type"]), str(e["message"]))
        for e in listed
    ]


def _recorded_calibration(parts: BundleParts) -> Calibration | None:
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
    errors = tuple(e for e in _errors(parts) if e.error_type == JUDGE_FAILURE and e.case_id not in on_run)
    return Calibration(record, errors, uncertain)


# comparing


def _short(value: JsonValue) -> str:
    text = canonical_text(value) if not isinstance(value, str) else value
    return text if len(text) <= 80 else text[:79] + "…"


def _row_key(row: Mapping[str, JsonValue]) -> tuple[int, str, str, str]:
    run_index = row["run_index"]
    assert isinstance(run_index, int)
    return (run_index, str(row["corpus"]), str(row["case_id"]), str(row["test_id"]))


_ROW_FIELDS = ("score", "passed", "failure_type", "severity", "applicable", "sensitive", "evaluator")
_EVIDENCE_FIELDS = ("expected", "actual", "not_scorable", "input_ref", "output_ref")


def _row_differences(
    parts: BundleParts, scored: ScoredRun, unseen: set[tuple[int, str, str]]
) -> Iterator[Difference]:
    recorded = {_row_key(row): row for row in parts.results}
    computed = {_row_key(row): row for row in scored.rows}
    for key in sorted(set(recorded) | set(computed)):
        if key[:3] in unseen:
            continue
        where = f"run {key[0]}, {key[1]}, {key[2]}, {key[3]}"
        if key not in recorded or key not in computed:
            here = key in recorded
            yield Difference(
                "results.jsonl", where, "a row" if here else "no row", "no row" if here else "a row"
            )
            continue
        old, new = recorded[key], computed[key]
        yield from _compare_fields("results.jsonl", where, old, new, _ROW_FIELDS)
        before, after = old["evidence"], new["evidence"]
        assert isinstance(before, dict)
        assert isinstance(after, dict)
        yield from _compare_fields("results.jsonl", where, before, after, _EVIDENCE_FIELDS)
    if len(recorded) != len(parts.results):
        yield Difference(
            "results.jsonl", "repeats", f"{len(parts.results)} rows", f"{len(recorded)} different ones"
        )


def _compare_fields(
    file: str, where: str, old: Mapping[str, JsonValue], new: Mapping[str, JsonValue], names: Sequence[str]
) -> Iterator[Difference]:
    for name in names:
        before, after = old.get(name), new.get(name)
        if canonical_text(before) != canonical_text(after):
            yield Difference(file, f"{where}, {name}", _short(before), _short(after))


def _figure_differences(
    parts: BundleParts, failures: JsonValue, scored: ScoredRun | None
) -> Iterator[Difference]:
    """Metrics, coverage, failures and decision, from computed rows or else from the recorded ones."""
    if scored is None:
        yield from _from_results(parts, failures).differences
        return
    yield from _metric_differences(parts, scored.metrics)
    yield from _compare_fields(
        "coverage.json",
        "coverage",
        parts.coverage,
        scored.coverage,
        ("model", "minimum_realised", "realised", "dimensions"),
    )
    yield from _failure_differences(parts, failures)
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
    yield from _decision_differences(parts, computed, decision.critical, decision.critical_count)
    complete = scored.endpoint_errors == 0
    yield from _compare_fields("manifest.json", "run", parts.manifest, {"complete": complete}, ("complete",))


def _metric_differences(
    parts: BundleParts, computed: Mapping[str, Sequence[Mapping[str, JsonValue]]]
) -> Iterator[Difference]:
    names = (
        "n",
        "events",
        "unscorable",
        "point_estimate",
        "confidence_interval",
        "subset_estimates",
        "variance",
    )
    for corpus in ("qualification", "challenge"):
        listed = parts.metrics[corpus]
        assert isinstance(listed, list)
        recorded = {str(metric["id"]): metric for metric in listed}
        for metric in computed[corpus]:
            identity = str(metric["id"])
            where = f"{corpus}, {identity}"
            if identity not in recorded:
                yield Difference("metrics.json", where, "no metric", "a metric")
            else:
                yield from _compare_fields("metrics.json", where, recorded[identity], metric, names)


def _failure_differences(parts: BundleParts, failures: JsonValue) -> Iterator[Difference]:
    recorded_policy = parts.manifest.get("redaction")
    shown = policy_of(recorded_policy)
    if not isinstance(recorded_policy, dict) or recorded_policy.get("show_sensitive"):
        shown = RedactionPolicy(inputs=False, outputs=False, placeholder=shown.placeholder)
    computed = failure_groups(parts.results, shown)["groups"]
    recorded = failures.get("groups") if isinstance(failures, dict) else None
    if not isinstance(recorded, list) or not isinstance(computed, list):
        yield Difference("failures.json", "groups", "none", "a list")
        return
    names = ("corpus", "failure_type", "severity", "count")
    before = [{name: group.get(name) for name in names} for group in recorded]
    after = [{name: group[name] for name in names} for group in computed]
    if before != after:
        yield Difference("failures.json", "groups", _short(before), _short(after))


def _decision_differences(
    parts: BundleParts,
    computed: Mapping[str, JsonValue],
    critical: Mapping[str, JsonValue],
    critical_count: int,
) -> Iterator[Difference]:
    recorded = dict(parts.decision)
    listed = parts.decision["indeterminate_conditions"]
    assert isinstance(listed, list)
    recorded["conditions"] = [condition["condition"] for condition in listed]
    yield from _compare_fields("decision.json", "decision", recorded, computed, tuple(computed))
    before = parts.decision["critical_failures"]
    assert isinstance(before, dict)
    names = ("metric", "maximum", "observed_count", "observed_rate", "n", "verdict")
    yield from _compare_fields("decision.json", "critical failures", before, critical, names)
    summary = parts.manifest["decision"]
    assert isinstance(summary, dict)
    wanted = {
        **{
            name: computed[name]
            for name in ("status", "requirements_met", "requirements_missed", "realised_coverage")
        },
        "critical_failures": critical_count,
    }
    yield from _compare_fields("manifest.json", "decision", summary, wanted, tuple(wanted))


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
    differences = list(_metric_differences(parts, computed))
    differences.extend(_failure_differences(parts, failures))
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
    errors = _errors(parts)
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
        _decision_differences(
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
