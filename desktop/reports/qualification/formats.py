"""A bundle's report beside its page: notes, table, build server."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from desktop.reports import text
from desktop.reports.qualification.parts import VERDICTS, bounds, share, wanted, written

View = Mapping[str, Any]


def markdown(view: View) -> bytes:
    """Decision, requirements, critical failures and every failing case, for notes and wikis."""
    lines = [
        f"# {text.markdown(view['status'])}: {text.markdown(view['pack_summary']['name'])}",
        "",
        text.markdown(view["decision_summary"]),
        "",
        f"Model {text.markdown(view['model_label'])}, pack {text.markdown(view['pack_label'])}, run "
        f"{text.markdown(view['run_id'])}, operator {text.markdown(view['operator'])}.",
        "",
        "| requirement | verdict | n | measured | 95 % interval | wanted |",
        "|---|---|---|---|---|---|",
    ]
    lines.extend(
        f"| {text.markdown(row['metric'])} | {_verdict(row['verdict'])} | {row['n']} | "
        f"{share(row['point_estimate'])} | {bounds(row['confidence_interval'])} | {wanted(row)} |"
        for row in view["decision_rows"]
    )
    critical = view["critical"]
    lines.append(
        f"| {text.markdown(critical['metric'])} (critical) | {_verdict(critical['verdict'])} | "
        f"{critical['n']} | "
        f"{critical['observed_count']} seen | | {text.markdown(critical['rule'])} |"
    )
    lines.append("")
    lines.extend(f"- {text.markdown(note)}" for note in view.get("decision_notes", []))
    lines.extend(
        f"- {text.markdown(entry['detail'])} {text.markdown(entry['resolution'])}"
        for entry in view["indeterminate"]
    )
    if view["failing_cases"]:
        lines += [
            "",
            "## Failing cases",
            "",
            "| case | test | kind | expected | answered |",
            "|---|---|---|---|---|",
        ]
    lines.extend(
        f"| {text.markdown(shown['case_id'])} | {text.markdown(shown['test_id'])} | "
        f"{text.markdown(str(shown['failure_type']))} | {text.markdown(written(shown['expected'], 80))} | "
        f"{text.markdown(written(shown['actual'], 80))} |"
        for shown in view["failing_cases"]
    )
    lines += ["", text.markdown(view["header_redaction"]), ""]
    return "\n".join(lines).encode("utf-8", "replace")


def _verdict(verdict: str) -> str:
    return VERDICTS.get(verdict, ("", "", verdict))[2]


def table(view: View) -> bytes:
    """Every failing case as CSV with a byte-order mark, so that spreadsheets read UTF-8."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    columns = ("corpus", "case_id", "test_id", "failure_type", "severity", "expected", "actual", "detail")
    writer.writerow([*columns, "input"])
    for shown in view["failing_cases"]:
        cells = [written(shown[name]) if shown[name] is not None else "" for name in columns]
        writer.writerow([text.csv_cell(cell) for cell in (*cells, shown["input_excerpt"])])
    return ("\ufeff" + stream.getvalue()).encode("utf-8", "replace")


def junit(view: View) -> bytes:
    """Requirements and the critical limit as test cases of one suite."""
    cases = [
        (row["metric"], row["verdict"], f"{share(row['point_estimate'])}, wanted {wanted(row)}")
        for row in view["decision_rows"]
    ]
    critical = view["critical"]
    cases.append((critical["metric"], critical["verdict"], f"{critical['observed_count']} critical failures"))
    bad = {"missed": "failure", "observed": "failure", "straddle": "error", "insufficient": "error"}
    parts = []
    for name, verdict, message in cases:
        kind = bad.get(verdict)
        inner = f'<{kind} message="{text.xml(message)}"/>' if kind else ""
        parts.append(
            f'<testcase classname="{text.xml(view["pack_label"])}" name="{text.xml(name)}">{inner}</testcase>'
        )
    failures = sum(bad.get(verdict) == "failure" for _, verdict, _ in cases)
    errors = sum(bad.get(verdict) == "error" for _, verdict, _ in cases)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites><testsuite name="{text.xml(view["status"])}" tests="{len(cases)}" failures="{failures}" '
        f'errors="{errors}">{"".join(parts)}</testsuite></testsuites>\n'
    ).encode("utf-8", "replace")
