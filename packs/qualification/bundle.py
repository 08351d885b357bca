"""The thirteen files of a bundle as bytes: qualification-pack format, section 20."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from packs.canonical import JsonValue, digest
from packs.documents.jsonlines import document, finite, lines
from packs.qualification.captures import Capture, Scrubbed, scrubbed
from packs.qualification.classification import Observation, breakdown, classification
from packs.qualification.decision import VALID_UNTIL
from packs.qualification.decision_wording import summary_sentence
from packs.qualification.failures import RedactionPolicy, failure_groups
from packs.qualification.fields import FieldPair, behaviour_fields, label_fields
from packs.qualification.judge_record import decision_judge, metrics_judge, prompt_hash_note
from packs.qualification.pack import QualificationPack
from packs.qualification.performance import performance_record
from packs.qualification.redaction import strip_reasoning
from packs.qualification.replies import finish_reason_of, usage_of
from packs.qualification.scoring import ScoredRun
from packs.qualification.view import BundleParts, report_view

HASHED = (
    "manifest.json",
    "fingerprint.json",
    "inputs.jsonl",
    "outputs.jsonl",
    "results.jsonl",
    "metrics.json",
    "coverage.json",
    "failures.json",
    "decision.json",
    "triggers.json",
    "pack_summary.json",
    "report.json",
    "report.html",
)
HASHES = "hashes.json"
SIGNATURE = "signature.json"
TRIGGERS_NOTE = "A change of any of these makes this result stale, by the group it is in."

RenderHtml = Callable[[Mapping[str, JsonValue]], bytes]
"""From the view to the HTML page; the reports package has it."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a bundle says of the run itself. Times are UTC with seconds and 'Z'."""

    run_id: str
    started_at: str
    completed_at: str
    runner: str
    operator: str
    endpoint_host: str
    wall_seconds: float
    concurrency: int
    redaction: RedactionPolicy
    show_sensitive: bool
    strict_scrubbing: bool
    strip_reasoning: bool
    judge_destination: str = "none"
    judge_model: str | None = None
    notes: tuple[str, ...] = ()
    """Sentences a reader should see beside the decision: no system prompt, unusual scoring."""


def bundle_files(
    pack: QualificationPack,
    scored: ScoredRun,
    fingerprint: Mapping[str, JsonValue],
    facts: RunFacts,
    render_html: RenderHtml,
) -> dict[str, bytes]:
    """All files by name, `hashes.json` last."""
    clean = [scrubbed(capture) for capture in scored.captures]
    parts = _parts(pack, scored, fingerprint, facts, clean)
    shown = (
        RedactionPolicy(False, False, facts.redaction.strip_reasoning, facts.redaction.placeholder)
        if facts.show_sensitive
        else facts.redaction
    )
    contents: dict[str, bytes] = {
        "manifest.json": document(parts.manifest),
        "fingerprint.json": document(parts.fingerprint),
        "inputs.jsonl": lines(parts.inputs),
        "outputs.jsonl": lines(parts.outputs),
        "results.jsonl": lines(parts.results),
        "metrics.json": document(parts.metrics),
        "coverage.json": document(parts.coverage),
        "failures.json": document(failure_groups(parts.results, shown)),
        "decision.json": document(parts.decision),
        "triggers.json": document(parts.triggers),
        "pack_summary.json": document(parts.pack_summary),
    }
    # From the documents as they are read later, so that anybody gets the same reports from them, in one order.
    view = report_view(parse_parts(contents), facts.redaction, show_sensitive=facts.show_sensitive)
    contents["report.json"] = document(view)
    contents["report.html"] = render_html(view)
    contents[HASHES] = hashes_file(contents)
    return contents


def hashes_file(contents: Mapping[str, bytes]) -> bytes:
    return document({"algorithm": "sha256", "files": {name: digest(contents[name]) for name in HASHED}})


def _parts(
    pack: QualificationPack,
    scored: ScoredRun,
    fingerprint: Mapping[str, JsonValue],
    facts: RunFacts,
    clean: Sequence[Scrubbed],
) -> BundleParts:
    judge = metrics_judge(pack, scored, facts.judge_destination, facts.judge_model)
    return BundleParts(
        manifest=manifest_record(pack, scored, facts, sum(entry.total for entry in clean)),
        fingerprint=fingerprint,
        inputs=[_input(capture, entry) for capture, entry in zip(scored.captures, clean, strict=True)],
        outputs=[_output(capture, entry, facts) for capture, entry in zip(scored.captures, clean, strict=True)],
        results=list(scored.rows),
        metrics=metrics_record(pack, scored, facts, judge),
        coverage=scored.coverage,
        decision=decision_record(pack, scored, facts, judge),
        triggers={
            "declared": dict(pack.triggers),
            "note": TRIGGERS_NOTE,
        },
        pack_summary=pack_summary(pack),
    )


def manifest_record(
    pack: QualificationPack, scored: ScoredRun, facts: RunFacts, exclusions: int
) -> dict[str, JsonValue]:
    decision = scored.decision
    return {
        "run_id": facts.run_id,
        "pack": f"{pack.id}@{pack.version}",
        "pack_id": pack.id,
        "pack_version": pack.version,
        "pack_content_sha256": pack.content_sha256,
        "runner": facts.runner,
        "started_at": facts.started_at,
        "completed_at": facts.completed_at,
        "operator": facts.operator,
        "endpoint_host": facts.endpoint_host,
        "complete": scored.endpoint_errors == 0,
        "secret_exclusions": exclusions,
        "scoring": {"strict_scrubbing": facts.strict_scrubbing},
        "redaction": {**facts.redaction.as_json(), "show_sensitive": facts.show_sensitive},
        "decision": {
            "status": decision.status,
            "requirements_met": decision.met,
            "requirements_missed": decision.missed,
            "critical_failures": decision.critical_count,
            "realised_coverage": scored.coverage["realised"],
            "valid_until": VALID_UNTIL,
        },
    }


def _input(capture: Capture, clean: Scrubbed) -> dict[str, JsonValue]:
    return {
        "case_id": capture.case_id,
        "corpus": capture.corpus,
        "run_index": capture.run_index,
        "sensitive": capture.sensitive,
        "attempts": capture.attempts,
        "body": clean.request,
    }


def _output(capture: Capture, clean: Scrubbed, facts: RunFacts) -> dict[str, JsonValue]:
    body, stripped = strip_reasoning(clean.response) if facts.strip_reasoning else (clean.response, 0)
    record: dict[str, JsonValue] = {
        "case_id": capture.case_id,
        "corpus": capture.corpus,
        "run_index": capture.run_index,
        "sensitive": capture.sensitive,
        "status_code": capture.status_code,
        "error": clean.error,
        "body": body,
        "duration_seconds": capture.duration_seconds,
    }
    reason = finish_reason_of(capture.response)
    usage = usage_of(capture.response)
    if reason is not None:
        record["finish_reason"] = reason
    if usage:
        record["usage"] = usage
    if stripped:
        record["reasoning_stripped"] = stripped
    if clean.error_detail:
        record["error_detail"] = clean.error_detail
    if clean.in_reply:
        record["secrets_removed"] = clean.in_reply
    return record


def _observations(
    pack: QualificationPack, scored: ScoredRun, corpus: str, fields: FieldPair
) -> list[Observation]:
    expected = {case.case_id: case.expected.get(fields.expected_field) for case in pack.cases[corpus]}
    found = []
    for capture, reply in zip(scored.captures, scored.replies, strict=True):
        if capture.corpus != corpus or capture.run_index != 0:
            continue
        wanted = expected.get(capture.case_id)
        found.append(
            Observation(
                expected=wanted if isinstance(wanted, str) and wanted else None,
                actual=reply.parsed.get(fields.field) if reply.parsed is not None else None,
                truncated=reply.truncated,
                error=reply.error is not None,
            )
        )
    return found


def metrics_record(
    pack: QualificationPack, scored: ScoredRun, facts: RunFacts, judge: dict[str, JsonValue] | None
) -> dict[str, JsonValue]:
    record = metrics_of_rows(pack, scored)
    record["performance"] = performance_record(scored.captures, facts.wall_seconds, facts.concurrency)
    if judge is not None:
        record["judge"] = judge
    finished = finite(record)
    assert isinstance(finished, dict)
    return finished


def metrics_of_rows(pack: QualificationPack, scored: ScoredRun) -> dict[str, JsonValue]:
    """The part of `metrics.json` that follows from pack and replies, whoever makes it and when."""
    labels, behaviours = label_fields(pack), behaviour_fields(pack)
    classes = sorted(
        {
            label
            for corpus in ("qualification", "challenge")
            for case in pack.cases[corpus]
            if isinstance(label := case.expected.get(labels.expected_field), str) and label
        }
    )
    on_run = {corpus: _observations(pack, scored, corpus, labels) for corpus in ("qualification", "challenge")}
    behaviour = _observations(pack, scored, "qualification", behaviours)
    record: dict[str, JsonValue] = {
        "qualification": scored.metrics["qualification"],
        "challenge": scored.metrics["challenge"],
        "variance_subset": {
            "case_ids": list(scored.subset),
            "fraction": pack.subset_fraction,
            "seed": pack.sampling["seed"],
        },
        "repeat_runs": pack.repeat_runs,
        "max_metric_variance": pack.max_metric_variance,
        "classification": {
            corpus: classification(seen, classes, labels.field, labels.expected_field)
            for corpus, seen in on_run.items()
        },
        "breakdown": {
            "corpus": "qualification",
            "run_index": 0,
            "label": breakdown(on_run["qualification"]),
            "behaviour": breakdown(behaviour),
        },
    }
    finished = finite(record)
    assert isinstance(finished, dict)
    return finished


def decision_record(
    pack: QualificationPack, scored: ScoredRun, facts: RunFacts, judge: dict[str, JsonValue] | None
) -> dict[str, JsonValue]:
    decision = scored.decision
    notes = [*decision.notes, *facts.notes]
    mismatch = prompt_hash_note(pack, scored)
    if mismatch:
        notes.append(mismatch)
    record: dict[str, JsonValue] = {
        "status": decision.status,
        "summary": summary_sentence(decision),
        "notes": list(notes),
        "requirements": list(decision.requirements),
        "critical_failures": decision.critical,
        "challenge_gate": decision.challenge_gate,
        "indeterminate_conditions": [condition.as_json() for condition in decision.conditions],
        "what_would_resolve": list(decision.resolutions),
        "realised_coverage": scored.coverage["realised"],
        "minimum_coverage": pack.minimum_realised,
        "valid_until": VALID_UNTIL,
        "requirements_met": decision.met,
        "requirements_missed": decision.missed,
        "pack": f"{pack.id}@{pack.version}",
        "evaluator_errors": [error.as_json() for error in scored.errors],
    }
    shorter = decision_judge(judge)
    if shorter is not None:
        record["judge"] = shorter
    return record


def pack_summary(pack: QualificationPack) -> dict[str, JsonValue]:
    """What the pack was; `source` holds all of its content, so that a stranger can score again."""
    manifest = pack.manifest
    metadata, coverage, runner = manifest["metadata"], manifest["coverage"], manifest["runner"]
    assert isinstance(metadata, dict)
    assert isinstance(coverage, dict)
    assert isinstance(runner, dict)
    thresholds = pack.documents["thresholds"]
    assert isinstance(thresholds, dict)
    return {
        "id": pack.id,
        "version": pack.version,
        "content_sha256": pack.content_sha256,
        **{name: metadata[name] for name in ("name", "domain", "use_case", "language")},
        "runner_minimum_version": runner["minimum_version"],
        "intended_use": manifest["intended_use"],
        "out_of_scope": manifest["out_of_scope"],
        "risk_dimensions": manifest["risk_dimensions"],
        "coverage": {
            "dimensions": coverage["dimensions"],
            "minimum_realised": coverage["minimum_realised"],
        },
        "methodology_markdown": pack.methodology,
        "metric_definitions": thresholds["metrics"],
        "thresholds": thresholds["thresholds"],
        "evaluators": [spec.identity() for spec in pack.evaluators.values()],
        "sampling": dict(pack.sampling),
        "reproducibility": manifest["reproducibility"],
        "source": {
            "manifest": dict(manifest),
            "documents": dict(pack.documents),
            "rubrics": dict(pack.rubrics),
            "cases": {corpus: [case.raw for case in listed] for corpus, listed in pack.cases.items()},
        },
    }


def parse_parts(contents: Mapping[str, bytes]) -> BundleParts:
    """The documents of a bundle from its bytes. Raises KeyError when one is missing, ValueError when broken."""

    def one(name: str) -> dict[str, JsonValue]:
        found = json.loads(contents[name])
        if not isinstance(found, dict):
            raise ValueError(f"{name} is no object")
        return found

    def many(name: str) -> list[Mapping[str, JsonValue]]:
        found = [json.loads(line) for line in contents[name].split(b"\n") if line.strip()]
        if not all(isinstance(entry, dict) for entry in found):
            raise ValueError(f"{name} holds a line that is no object")
        return found

    return BundleParts(
        manifest=one("manifest.json"),
        fingerprint=one("fingerprint.json"),
        inputs=many("inputs.jsonl"),
        outputs=many("outputs.jsonl"),
        results=many("results.jsonl"),
        metrics=one("metrics.json"),
        coverage=one("coverage.json"),
        decision=one("decision.json"),
        triggers=one("triggers.json"),
        pack_summary=one("pack_summary.json"),
    )
