"""What the report shows, as plain JSON: the content of `report.json`. Format, sections 18.2, 20 and 24.

Everything that derives from a sensitive case is hidden here, in every column (section 28, W6); whoever renders
the view cannot leak what is not in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from packs.canonical import JsonValue
from packs.qualification.classification import MISSING
from packs.qualification.failures import RedactionPolicy, example, failure_groups
from packs.qualification.redaction import scrub_shown
from packs.qualification.replies import content_of
from packs.qualification.scoring import failing_rows

EXCERPT = 240
SECTIONS = (
    "decision",
    "scope",
    "identity",
    "pack",
    "coverage",
    "results",
    "diagnosis",
    "failures",
    "methodology",
    "calibration",
    "limitations",
    "triggers",
)

Record = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class BundleParts:
    """The other documents of a bundle, parsed: all that the view is made from."""

    manifest: Mapping[str, JsonValue]
    fingerprint: Mapping[str, JsonValue]
    inputs: list[Mapping[str, JsonValue]]
    outputs: list[Mapping[str, JsonValue]]
    results: list[Mapping[str, JsonValue]]
    metrics: Mapping[str, JsonValue]
    coverage: Mapping[str, JsonValue]
    decision: Mapping[str, JsonValue]
    triggers: Mapping[str, JsonValue]
    pack_summary: Mapping[str, JsonValue]


def excerpt(text: str) -> str:
    """Secrets out, white space folded, cut at 240 characters."""
    folded = " ".join(scrub_shown(text)[0].split())
    return folded if len(folded) <= EXCERPT else folded[: EXCERPT - 1] + "…"


def _input_text(row: Mapping[str, JsonValue]) -> str:
    body = row.get("body")
    messages = body.get("messages") if isinstance(body, dict) else None
    listed = messages if isinstance(messages, list) else []
    return "\n".join(
        str(m.get("content", "")) for m in listed if isinstance(m, dict) and m.get("role") != "system"
    )


def _lookup(reference: JsonValue, rows: list[Mapping[str, JsonValue]]) -> Mapping[str, JsonValue]:
    number = str(reference).rpartition("#L")[2]
    index = int(number) - 1 if number.isdigit() else -1
    return rows[index] if 0 <= index < len(rows) else {}


def shown_row(row: Mapping[str, JsonValue], parts: BundleParts, policy: RedactionPolicy) -> Record:
    """A failing row with excerpts of what was sent and what came back."""
    shown = example(row, policy)
    hidden = row["sensitive"] is True
    sent = _lookup(shown["input_ref"], parts.inputs)
    came = _lookup(shown["output_ref"], parts.outputs)
    shown["corpus"] = row["corpus"]
    shown["failure_type"] = row["failure_type"]
    shown["sensitive"] = hidden
    shown["input_excerpt"] = policy.placeholder if hidden and policy.inputs else excerpt(_input_text(sent))
    text = content_of(came.get("body")) or str(came.get("error") or "")
    shown["output_excerpt"] = policy.placeholder if hidden and policy.outputs else excerpt(text)
    for name in ("expected", "actual", "detail"):
        value = shown[name]
        if isinstance(value, str):
            shown[name] = scrub_shown(value)[0]
    return shown


def identity_rows(fingerprint: Mapping[str, JsonValue]) -> Iterator[Record]:
    """Every value of the fingerprint with how it is known, by dotted path."""

    def walk(value: JsonValue, path: str) -> Iterator[Record]:
        if isinstance(value, dict) and "state" in value:
            stated = value.get("value")
            if stated is None and value.get("file_hashes"):
                stated = ", ".join(f"{name} {found}" for name, found in value["file_hashes"].items())
            yield {
                "field": path,
                "state": str(value["state"]),
                "value": "" if stated is None else str(stated),
                "reason": str(value.get("reason", "")),
                "source": str(value.get("source", "")),
            }
        elif isinstance(value, dict):
            for name, item in value.items():
                yield from walk(item, f"{path}.{name}" if path else name)
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            yield {"field": path, "state": "known", "value": text, "reason": "", "source": "run"}

    for name, item in fingerprint.items():
        if name == "evaluators" and isinstance(item, list):
            for entry in item:
                message = f"{entry.get('version')} ({entry.get('kind')})" if isinstance(entry, dict) else ""
                yield from walk(message, f"evaluators.{entry.get('id') if isinstance(entry, dict) else ''}")
        else:
            yield from walk(item, name)


def report_view(parts: BundleParts, policy: RedactionPolicy, *, show_sensitive: bool) -> Record:
    """The whole view. policy: as asked for; `show_sensitive` turns both of its sides off."""
    if show_sensitive:
        policy = RedactionPolicy(False, False, policy.strip_reasoning, policy.placeholder)
    manifest, decision, summary = parts.manifest, parts.decision, parts.pack_summary
    groups = failure_groups(parts.results, policy)["groups"]
    assert isinstance(groups, list)
    by_key = {(row["corpus"], row["case_id"], row["test_id"]): row for row in failing_rows(parts.results)}
    for group in groups:
        group["examples"] = [
            shown_row(by_key[(group["corpus"], shown["case_id"], shown["test_id"])], parts, policy)
            for shown in group["examples"]
        ]
    hidden = any(row["sensitive"] for row in parts.inputs) and (policy.inputs or policy.outputs)
    redaction_text = (
        "Texts of sensitive cases are hidden in this report."
        if hidden
        else "Nothing is hidden in this report except secrets."
    )
    qualification = parts.metrics["qualification"]
    assert isinstance(qualification, list)
    thresholds = summary["thresholds"]
    assert isinstance(thresholds, list)
    judge = parts.metrics.get("judge")
    public_summary = {name: value for name, value in summary.items() if name != "source"}
    return {
        "run_id": manifest["run_id"],
        "status": decision["status"],
        "decision_summary": decision["summary"],
        "decision_notes": decision.get("notes", []),
        "decision_rows": decision["requirements"],
        "critical": decision["critical_failures"],
        "challenge_gate": decision["challenge_gate"],
        "indeterminate": decision["indeterminate_conditions"],
        "what_would_resolve": decision["what_would_resolve"],
        "evaluator_errors": decision["evaluator_errors"],
        "valid_until": decision["valid_until"],
        "pack_label": manifest["pack"],
        "model_label": _model_label(parts.fingerprint),
        "operator": manifest["operator"],
        "started_at": manifest["started_at"],
        "completed_at": manifest["completed_at"],
        "runner_version": manifest["runner"],
        "endpoint_host": manifest["endpoint_host"],
        "secret_exclusions": manifest["secret_exclusions"],
        "content_sha256": manifest["pack_content_sha256"],
        "intended_use": summary["intended_use"],
        "out_of_scope": summary["out_of_scope"],
        "use_case": summary["use_case"],
        "pack_summary": public_summary,
        "methodology": summary["methodology_markdown"],
        "thresholds": {entry["metric"]: entry for entry in thresholds},
        "coverage": parts.coverage,
        "coverage_model": parts.coverage["model"],
        "qualification_metrics": qualification,
        "challenge_metrics": parts.metrics["challenge"],
        "unscorable": {str(metric["id"]): metric["unscorable"] for metric in qualification},
        "classification": parts.metrics["classification"],
        "breakdown": _shown_breakdown(parts.metrics["breakdown"]) if hidden else parts.metrics["breakdown"],
        "performance": parts.metrics["performance"],
        "judge": judge,
        "calibration_note": _calibration_note(judge),
        "failures": groups,
        "failing_cases": [shown_row(row, parts, policy) for row in failing_rows(parts.results)],
        "identity_rows": list(identity_rows(parts.fingerprint)),
        "triggers": parts.triggers["declared"],
        "captured_rows": len(parts.inputs),
        "output_rows": len(parts.outputs),
        "reproducibility": _reproducibility(parts),
        "header_redaction": redaction_text,
        "redaction": {**policy.as_json(), "show_sensitive": show_sensitive},
        "notes": dict.fromkeys(SECTIONS, redaction_text),
    }


OTHER = "[other]"


def _shown_breakdown(record: JsonValue) -> JsonValue:
    """Values that only a reply holds are one column: one of them may come from a sensitive case."""
    if not isinstance(record, dict):
        return record
    return {
        name: _merged_columns(value) if isinstance(value, dict) else value for name, value in record.items()
    }


def _merged_columns(matrix: Record) -> Record:
    predicted, rows = matrix["predicted"], matrix["rows"]
    assert isinstance(predicted, list)
    assert isinstance(rows, list)
    known = {row["expected"] for row in rows} | {MISSING}
    kept = [name for name in predicted if name in known]
    others = [index for index, name in enumerate(predicted) if name not in known]
    if not others:
        return matrix
    return {
        **matrix,
        "predicted": [*kept, OTHER],
        "rows": [
            {
                **row,
                "counts": [
                    *(row["counts"][predicted.index(name)] for name in kept),
                    sum(row["counts"][index] for index in others),
                ],
            }
            for row in rows
        ],
    }


def _model_label(fingerprint: Mapping[str, JsonValue]) -> str:
    model = fingerprint.get("model")
    identifier = model.get("identifier") if isinstance(model, dict) else None
    return str(identifier.get("value", "not known")) if isinstance(identifier, dict) else "not known"


def _calibration_note(judge: JsonValue) -> str:
    if not isinstance(judge, dict):
        return "This pack has no judge, so nothing was calibrated."
    return str(judge.get("calibration_detail", ""))


def _reproducibility(parts: BundleParts) -> str:
    subset = parts.metrics["variance_subset"]
    runs = parts.metrics["repeat_runs"]
    count = len(subset["case_ids"]) if isinstance(subset, dict) else 0
    if runs == 1:
        return "Each case was asked once; nothing is known about how answers vary."
    return (
        f"{count} cases were asked {runs} times. The repeats feed the variance check only; the estimates use "
        "the first answers."
    )
