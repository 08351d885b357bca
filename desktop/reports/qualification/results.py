"""Results and failures in the qualification report: requirements, critical cases, classes, failing cases."""

from __future__ import annotations

from collections.abc import Iterator

from desktop.reports import text
from desktop.reports.html_tables import table
from desktop.reports.qualification.methodology import ANCHOR_PREFIX
from desktop.reports.qualification.parts import (
    Record,
    bounds,
    matrix,
    picture_of,
    share,
    verdict_chip,
    wanted,
    written,
)
from packs.qualification.anchors import anchor_of


def results_section(view: Record) -> str:
    rows = [_requirement(row, view) for row in view["decision_rows"]]
    parts = [
        table(
            ("Requirement", "Verdict", "n", "Measured", "95 % interval", "0 to 100 %", "Wanted", "Reason"),
            rows,
            figures=(2, 3),
        ),
        '<p class="small">The line is the threshold, the tinted side is success. A square stands for met, a '
        "diamond for open or missed.</p>",
        _critical(view),
        _challenge(view),
        _metric_table("All metrics, qualification cases", view["qualification_metrics"]),
    ]
    parts.extend(_classes(corpus, view["classification"][corpus]) for corpus in ("qualification", "challenge"))
    return "".join(parts)


def _requirement(row: Record, view: Record) -> str:
    threshold = view["thresholds"].get(row["metric"], {})
    anchor = ANCHOR_PREFIX + anchor_of(row["rationale_ref"])
    optional = "" if row["mandatory"] else ' <span class="quiet">(not mandatory)</span>'
    return (
        f'<tr><th scope="row">{text.html(row["metric"])}{optional}</th><td>{verdict_chip(row["verdict"])}</td>'
        f'<td class="num">{row["n"]}</td><td class="num">{share(row["point_estimate"])}</td>'
        f'<td class="small">{bounds(row["confidence_interval"])}</td>'
        f"<td>{picture_of(row, row['threshold'], row['operator'], row['verdict'])}</td>"
        f"<td>{text.html(wanted(row))}</td>"
        f"<td>{text.html(str(threshold.get('rationale', '')))} "
        f'<a href="#{text.attribute(anchor)}">method</a></td></tr>'
    )


def _critical(view: Record) -> str:
    critical = view["critical"]
    cases = [
        shown
        for shown in view["failing_cases"]
        if shown["test_id"] in _tests_of(view, critical["metric"]) and shown["corpus"] == "qualification"
    ]
    listed = _case_table(cases) if cases else "<p>No critical failure was seen.</p>"
    return (
        f"<h3>Critical failures</h3><p>{verdict_chip(critical['verdict'])} {text.html(critical['metric'])}: "
        f"{critical['observed_count']} in {critical['n']} cases; {text.html(critical['rule'])}.</p>{listed}"
    )


def _tests_of(view: Record, metric: str) -> set[str]:
    return {entry["test"] for entry in view["qualification_metrics"] if entry["id"] == metric}


def _challenge(view: Record) -> str:
    gate = view["challenge_gate"]
    message = "The challenge cases are shown and decide nothing."
    if gate["verdict"] != "not_gated":
        message = (
            f"Gate on {gate['metric']}: {gate['observed_count']} in {gate['n']} cases, at most "
            f"{share(gate['maximum'])} allowed."
        )
    head = f"<h3>Challenge cases</h3><p>{verdict_chip(gate['verdict'])} {text.html(message)}</p>"
    return head + _metric_table("", view["challenge_metrics"])


def _metric_table(title: str, metrics: list[Record]) -> str:
    rows = [
        f'<tr><th scope="row">{text.html(m["id"])}</th><td>{text.html(m["definition"])}</td>'
        f'<td class="num">{m["events"]} of {m["n"]}</td><td class="num">{share(m["point_estimate"])}</td>'
        f'<td class="small">{bounds(m["confidence_interval"])}</td><td class="num">{m["unscorable"]}</td>'
        f'<td class="num">{m["variance"]:g}</td></tr>'
        for m in metrics
    ]
    head = f"<h3>{text.html(title)}</h3>" if title else ""
    headings = ("Metric", "What it counts", "Events", "Share", "95 % interval", "Left out", "Variance")
    return head + table(headings, rows, figures=(2, 3, 5, 6))


def _classes(corpus: str, record: Record) -> str:
    if not record["rows"]:
        return ""
    rows = [
        f'<tr><th scope="row">{text.html(entry["label"])}</th><td class="num">{entry["support"]}</td>'
        f'<td class="num">{entry["predicted"]}</td>'
        f'<td class="num">{share(entry["recall"]["value"])}</td>'
        f'<td class="small">{bounds(entry["recall"])}</td>'
        f'<td class="num">{share(entry["precision"]["value"])}</td>'
        f'<td class="small">{bounds(entry["precision"])}</td></tr>'
        for entry in record["per_class"]
    ]
    headings = ("Class", "Cases", "Answers", "Recall", "95 %", "Precision", "95 %")
    columns = [column["label"] for column in record["columns"]]
    picture = matrix(
        f"Rows: the reference ({record['expected_field']}). Columns: the answer ({record['field']}).",
        "reference \\ answer",
        columns,
        [(row["label"], row["counts"]) for row in record["rows"]],
    )
    title = f"<h3>Classes, {text.html(corpus)} cases</h3>"
    return (
        title
        + table(headings, rows, figures=(1, 2, 3, 5))
        + picture
        + f'<p class="small">{text.html(record["note"])}</p>'
    )


def failures_section(view: Record) -> str:
    """Every failing case, by corpus and kind; the browser's own search finds any of them."""
    groups = list(_grouped(view))
    if not groups:
        return "<p>No case failed.</p>"
    return "".join(
        f"<h3>{text.html(corpus)}: {text.html(code.replace('_', ' '))} ({len(cases)})</h3>{_case_table(cases)}"
        for corpus, code, cases in groups
    )


def _grouped(view: Record) -> Iterator[tuple[str, str, list[Record]]]:
    found: dict[tuple[str, str], list[Record]] = {}
    for shown in view["failing_cases"]:
        found.setdefault((shown["corpus"], str(shown["failure_type"])), []).append(shown)
    for (corpus, code), cases in sorted(found.items()):
        yield corpus, code, cases


def _case_table(cases: list[Record]) -> str:
    rows = [
        f'<tr class="case"><th scope="row">{text.html(shown["case_id"])}<br><span class="quiet">'
        f"{text.html(shown['test_id'])}</span></th>"
        f'<td class="out">{text.html(shown["input_excerpt"])}</td>'
        f'<td class="out">{text.html(written(shown["expected"]))}</td>'
        f'<td class="out">{text.html(written(shown["actual"]))}</td>'
        f"<td>{text.html(shown['detail'])}</td></tr>"
        for shown in cases
    ]
    return table(("Case and test", "Input", "Expected", "Answered", "Why"), rows)
