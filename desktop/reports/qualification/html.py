"""The report of a qualification as one HTML page: no script, nothing from outside, light, dark and paper.

Made from the view in `report.json` alone (qualification-pack format, section 24), so that it cannot show what
the view does not hold. The decision and its reasons stand first, every failing case is listed. The words are in
`resources/templates/qualification*.html`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from desktop.reports.qualification import parts
from desktop.reports.qualification.facts import META, page_facts
from desktop.reports.qualification.methodology import ANCHOR_PREFIX, methodology_html
from desktop.reports.qualification.parts import STYLE, Record, share, written
from desktop.reports.style import style_sheet
from desktop.reports.templates import rendered
from packs import numbers
from packs.qualification.anchors import anchor_of

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


_TRIGGERS = {
    "always_requalify": "Qualify again when this changes",
    "review_required": "Let somebody look when this changes",
    "no_material_impact": "No need to act when this changes",
}


def render_qualification(view: Mapping[str, Any]) -> bytes:
    """UTF-8. `view`: as `packs.qualification.view.report_view` makes it."""
    return rendered(
        "qualification.html",
        view=view,
        carried=(META, page_facts(view)),
        style=style_sheet() + STYLE.strip(),
        sections=SECTIONS,
        parts=parts,
        method_anchor=_method_anchor,
        failing=list(_failing(view)),
        capture=_capture(view["performance"]),
        pack_facts=_pack_facts(view),
        judge_facts=_judge_facts(view["judge"]) if view["judge"] else (),
        methodology=methodology_html(view["methodology"]),
        triggers=[(_TRIGGERS.get(group, group), listed) for group, listed in view["triggers"].items()],
        limits=LIMITS,
        foot=_foot(view),
    ).encode("utf-8", "replace")


def _method_anchor(reference: str) -> str:
    return ANCHOR_PREFIX + anchor_of(reference)


def _failing(view: Record) -> Iterator[tuple[str, str, list[Record]]]:
    """Corpus, kind of failure, and the cases."""
    found: dict[tuple[str, str], list[Record]] = {}
    for shown in view["failing_cases"]:
        found.setdefault((shown["corpus"], str(shown["failure_type"])), []).append(shown)
    for (corpus, code), cases in sorted(found.items()):
        yield corpus, code, cases


def _pack_facts(view: Record) -> list[tuple[str, str]]:
    summary = view["pack_summary"]
    return [
        ("Pack", view["pack_label"]),
        ("Content", view["content_sha256"]),
        ("Domain", f"{summary['domain']}, {summary['use_case']}, {summary['language']}"),
        ("Sampling", written(summary["sampling"])),
        ("Repeats", str(view["reproducibility"])),
        ("Runner", view["runner_version"]),
        ("Run", view["run_id"]),
    ]


def _capture(performance: Record) -> list[tuple[str, str]]:
    durations = performance["case_duration_seconds"]
    return [
        ("Requests", str(performance["cases"])),
        ("Capture", numbers.duration(performance["capture_wall_clock_seconds"])),
        (
            "At once",
            f"{performance['configured_concurrency']} configured, "
            f"{_figure(performance['effective_concurrency'])} on average",
        ),
        (
            "Seconds a reply",
            f"median {_figure(durations['median'])}, 90 % below {_figure(durations.get('p90'))}, 99 % below "
            f"{_figure(durations.get('p99'))}, longest {_figure(durations['max'])}",
        ),
        ("Cut replies", str(performance["truncated_cases"])),
        ("Empty replies", str(performance["empty_content_cases"])),
        ("Tokens read", str(performance["prompt_tokens"]["sum"])),
        ("Tokens written", str(performance["completion_tokens"]["sum"])),
    ]


def _judge_facts(judge: Record) -> list[tuple[str, str]]:
    return [
        ("Judge", f"{judge['model']} by {judge['transport']}"),
        ("Who saw the replies", judge["destination"]),
        (
            "With people",
            f"{judge['calibration_agreed']} of {judge['calibration_n']} alike "
            f"({share(judge['calibration_agreement'])}, between {share(judge.get('calibration_lower'))} and "
            f"{share(judge.get('calibration_upper'))}; kappa {_figure(judge.get('calibration_kappa'))})",
        ),
        (
            "With the reference",
            f"{judge['overlay_agreed']} of {judge['overlay_n']} alike "
            f"({share(judge['overlay_agreement'])}; kappa {_figure(judge.get('overlay_kappa'))})",
        ),
        ("Too uncertain", str(len(judge["uncertain_cases"]))),
        ("Prompt", judge["prompt_sha256"]),
    ]


def _figure(value: Any) -> str:
    return numbers.fixed(value, 2) if isinstance(value, int | float) else numbers.UNKNOWN


def _foot(view: Record) -> list[str]:
    secrets = view["secret_exclusions"]
    return [
        f"Run {view['run_id']}",
        view["runner_version"],
        f"Requests went to {view.get('endpoint_host', 'the endpoint')} and nowhere else"
        + (f"; the judge is {view['judge']['destination']}" if view["judge"] else ""),
        f"{secrets} secrets were taken out" if secrets else "No secrets were found",
    ]
