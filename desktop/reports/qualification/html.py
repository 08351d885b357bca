"""The report of a qualification as one HTML page: no script, nothing from outside, light, dark and paper.

Made from the view in `report.json` alone (qualification-pack format, section 24), so that it cannot show what
the view does not hold. The decision and its reasons stand first, every failing case is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from desktop.reports import text
from desktop.reports.html_tables import panel, table
from desktop.reports.qualification.methodology import methodology_html
from desktop.reports.qualification.parts import (
    STYLE,
    TONES,
    Record,
    matrix,
    share,
    verdict_chip,
    wanted,
    written,
)
from desktop.reports.qualification.results import failures_section, results_section
from desktop.reports.style import style_sheet
from packs import numbers

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
SECTIONS: tuple[tuple[str, str], ...] = (
    ("decision", "Decision"),
    ("results", "Results"),
    ("failures", "Failures"),
    ("diagnosis", "Diagnosis"),
    ("coverage", "Coverage"),
    ("scope", "Use and limits"),
    ("pack", "Pack"),
    ("methodology", "Methodology"),
    ("calibration", "Judge"),
    ("identity", "What was qualified"),
    ("triggers", "When to qualify again"),
    ("limitations", "Limitations"),
)
LIMITS = (
    "One request a case is judged; a conversation of several turns is not.",
    "Fields are compared as text, character for character.",
    "Coverage counts which values occur, not how often and not which occur together.",
    "Intervals take the cases for independent of each other and for a fair sample of what will come.",
    "The decision holds for exactly what the section on identity names, and for nothing else.",
)


def render_qualification(view: Mapping[str, Any]) -> bytes:
    """UTF-8. `view`: as `packs.qualification.view.report_view` makes it."""
    bodies: dict[str, Callable[[Record], str]] = {
        "decision": _decision,
        "scope": _scope,
        "identity": _identity,
        "pack": _pack,
        "coverage": _coverage,
        "results": results_section,
        "diagnosis": _diagnosis,
        "failures": failures_section,
        "methodology": _methodology,
        "calibration": _calibration,
        "limitations": _limitations,
        "triggers": _triggers,
    }
    links = "".join(f'<li><a href="#{mark}">{text.html(title)}</a></li>' for mark, title in SECTIONS)
    sections = [
        panel(title, bodies[mark](view) + f'<p class="small">{text.html(view["notes"][mark])}</p>', mark=mark)
        for mark, title in SECTIONS[1:]
    ]
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{text.attribute(view['status'])}: {text.attribute(view['pack_label'])} – Packbench</title>",
        f"<style>{style_sheet()}{STYLE.strip()}</style></head>\n<body>",
        '<a class="skip" href="#decision">To the decision</a><main>',
        _head(view),
        f'<nav aria-label="Contents"><ul class="toc">{links}</ul></nav>',
        _decision(view),
        *sections,
        _foot(view),
        "</main></body></html>\n",
    ]
    return "\n".join(parts).encode("utf-8", "replace")


def _head(view: Record) -> str:
    facts = (
        f"{view['model_label']} · {view['pack_label']} · {numbers.moment(view['completed_at'])} · "
        f"operator {view['operator']}"
    )
    name = view["pack_summary"]["name"]
    return (
        f'<header class="head"><h1>{text.html(name)}</h1><span class="small">{text.html(facts)}</span></header>'
    )


def _decision(view: Record) -> str:
    tone = TONES.get(view["status"], "accent")
    notes = "".join(f"<li>{text.html(note)}</li>" for note in view.get("decision_notes", []))
    reasons = "".join(
        f"<li><strong>{text.html(entry['detail'])}</strong> {text.html(entry['resolution'])}</li>"
        for entry in view["indeterminate"]
    )
    rows = "".join(
        f'<tr><th scope="row">{text.html(row["metric"])}</th><td>{verdict_chip(row["verdict"])}</td>'
        f'<td class="num">{share(row["point_estimate"])}</td><td>{text.html(wanted(row))}</td></tr>'
        for row in view["decision_rows"]
    )
    critical = view["critical"]
    rows += (
        f'<tr><th scope="row">{text.html(critical["metric"])} <span class="quiet">(critical)</span></th>'
        f"<td>{verdict_chip(critical['verdict'])}</td>"
        f'<td class="num">{critical["observed_count"]} of {critical["n"]}</td>'
        f"<td>{text.html(critical['rule'])}</td></tr>"
    )
    return (
        f'<section class="panel answer {tone}" id="decision" aria-label="The decision">'
        f'<p class="headline">{text.html(view["status"])}</p><p>{text.html(view["decision_summary"])}</p>'
        + table(("Requirement", "Verdict", "Measured", "Wanted"), [rows], figures=(2,))
        + (f'<h3>Why it stays open, and what would help</h3><ul class="list">{reasons}</ul>' if reasons else "")
        + (f'<ul class="small">{notes}</ul>' if notes else "")
        + f'<p class="small">Valid until: {text.html(view["valid_until"])}. '
        f"{text.html(view['header_redaction'])}</p></section>"
    )


def _scope(view: Record) -> str:
    outside = "".join(f"<li>{text.html(entry)}</li>" for entry in view["out_of_scope"])
    return f'<p>{text.html(view["intended_use"])}</p><h3>Not meant for</h3><ul class="list">{outside}</ul>'


def _identity(view: Record) -> str:
    rows = [
        f'<tr><th scope="row">{text.html(row["field"])}</th>'
        f"<td>{text.html(row['state'].replace('_', ' '))}</td>"
        f'<td class="out">{text.html(row["value"] or row["reason"])}</td>'
        f'<td class="quiet">{text.html(row["source"])}</td></tr>'
        for row in view["identity_rows"]
    ]
    return table(("What", "How it is known", "Value or reason", "From"), rows)


def _pack(view: Record) -> str:
    summary = view["pack_summary"]
    facts = {
        "Pack": view["pack_label"],
        "Content": view["content_sha256"],
        "Domain": f"{summary['domain']}, {summary['use_case']}, {summary['language']}",
        "Sampling": written(summary["sampling"]),
        "Repeats": view["reproducibility"],
        "Runner": view["runner_version"],
        "Run": view["run_id"],
    }
    listed = "".join(
        f"<dt>{text.html(name)}</dt><dd>{text.html(str(value))}</dd>" for name, value in facts.items()
    )
    risks = [
        f'<tr><th scope="row">{text.html(risk["id"])}</th><td>{text.html(risk["severity"])}</td>'
        f"<td>{text.html(risk['description'])}</td></tr>"
        for risk in summary["risk_dimensions"]
    ]
    return f"<dl>{listed}</dl><h3>Risks</h3>" + table(("Risk", "Severity", "What it means"), risks)


def _coverage(view: Record) -> str:
    coverage = view["coverage"]
    rows = [
        f'<tr><th scope="row">{text.html(name)}</th><td class="num">{share(entry["fraction"])}</td>'
        f"<td>{text.html(', '.join(f'{value} {count}' for value, count in entry['counts'].items()))}</td>"
        f"<td>{text.html(', '.join(entry['missing'])) or '–'}</td></tr>"
        for name, entry in coverage["dimensions"].items()
    ]
    return (
        f"<p>Realised {share(coverage['realised'])}, wanted at least {share(coverage['minimum_realised'])}. "
        f"{text.html(coverage['definition'])}</p>"
        + table(("Dimension", "Covered", "Cases by value", "Not covered"), rows, figures=(1,))
    )


def _diagnosis(view: Record) -> str:
    breakdown = view["breakdown"]
    parts = []
    for name in ("label", "behaviour"):
        record = breakdown[name]
        if record["rows"]:
            rows = [(row["expected"], row["counts"]) for row in record["rows"]]
            parts.append(
                f"<h3>{name.capitalize()}</h3>" + matrix("", "reference \\ answer", record["predicted"], rows)
            )
    performance = view["performance"]
    durations = performance["case_duration_seconds"]
    facts = {
        "Requests": str(performance["cases"]),
        "Capture": numbers.duration(performance["capture_wall_clock_seconds"]),
        "At once": f"{performance['configured_concurrency']} configured, "
        f"{_figure(performance['effective_concurrency'])} on average",
        "Seconds a reply": f"median {_figure(durations['median'])}, "
        f"90 % below {_figure(durations.get('p90'))}, 99 % below {_figure(durations.get('p99'))}, "
        f"longest {_figure(durations['max'])}",
        "Cut replies": str(performance["truncated_cases"]),
        "Empty replies": str(performance["empty_content_cases"]),
        "Tokens read": str(performance["prompt_tokens"]["sum"]),
        "Tokens written": str(performance["completion_tokens"]["sum"]),
    }
    listed = "".join(f"<dt>{text.html(name)}</dt><dd>{text.html(value)}</dd>" for name, value in facts.items())
    return "".join(parts) + f"<h3>Capture</h3><dl>{listed}</dl>"


def _figure(value: Any) -> str:
    return numbers.fixed(value, 2) if isinstance(value, int | float) else numbers.UNKNOWN


def _methodology(view: Record) -> str:
    return methodology_html(view["methodology"])


def _calibration(view: Record) -> str:
    judge = view["judge"]
    if not judge:
        return f"<p>{text.html(view['calibration_note'])}</p>"
    facts = {
        "Judge": f"{judge['model']} by {judge['transport']}",
        "Who saw the replies": judge["destination"],
        "With people": f"{judge['calibration_agreed']} of {judge['calibration_n']} alike "
        f"({share(judge['calibration_agreement'])}, between {share(judge.get('calibration_lower'))} and "
        f"{share(judge.get('calibration_upper'))}; kappa {_figure(judge.get('calibration_kappa'))})",
        "With the reference": f"{judge['overlay_agreed']} of {judge['overlay_n']} alike "
        f"({share(judge['overlay_agreement'])}; kappa {_figure(judge.get('overlay_kappa'))})",
        "Too uncertain": str(len(judge["uncertain_cases"])),
        "Prompt": judge["prompt_sha256"],
    }
    listed = "".join(f"<dt>{text.html(name)}</dt><dd>{text.html(value)}</dd>" for name, value in facts.items())
    valid = "The calibration holds." if judge["calibration_valid"] else "The calibration does not hold."
    return f"<p>{valid} {text.html(view['calibration_note'])}</p><dl>{listed}</dl>"


def _limitations(view: Record) -> str:
    items = "".join(f"<li>{text.html(line)}</li>" for line in LIMITS)
    return f'<ul class="list">{items}</ul>'


def _triggers(view: Record) -> str:
    message = {
        "always_requalify": "Qualify again when this changes",
        "review_required": "Let somebody look when this changes",
        "no_material_impact": "No need to act when this changes",
    }
    return "".join(
        f"<h3>{message.get(group, group)}</h3><p>{text.html(', '.join(listed).replace('_', ' '))}</p>"
        for group, listed in view["triggers"].items()
    )


def _foot(view: Record) -> str:
    secrets = view["secret_exclusions"]
    parts = [
        f"Run {view['run_id']}",
        view["runner_version"],
        f"Requests went to {view.get('endpoint_host', 'the endpoint')} and nowhere else"
        + (f"; the judge is {view['judge']['destination']}" if view["judge"] else ""),
        f"{secrets} secrets were taken out" if secrets else "No secrets were found",
    ]
    return f'<footer class="foot">{"".join(f"<span>{text.html(part)}</span>" for part in parts)}</footer>'
