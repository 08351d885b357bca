"""The run for tools that read test results: a suite a model, a test a unit.

A wrong answer is a failure; what was not the model's doing is an error; what did not happen is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

from desktop.reports.data import CandidateView, ReportData
from desktop.reports.text import xml
from desktop.runs.records import UnitRecord
from packs.task.outcome import CauseKind

MAX_TEXT = 20_000


def render_junit(data: ReportData) -> bytes:
    """UTF-8 XML 1.0 in the form that most tools take."""
    units: dict[int, list[UnitRecord]] = {}
    for unit in data.units:
        units.setdefault(unit.candidate, []).append(unit)
    suites = [_suite(data, view, units.get(view.record.index, [])) for view in data.candidates]
    head = f'<testsuites name="{xml(data.pack.name)}" {_counts(data.units)}>'
    return "\n".join(('<?xml version="1.0" encoding="UTF-8"?>', head, *suites, "</testsuites>", "")).encode(
        "utf-8"
    )


def _suite(data: ReportData, view: CandidateView, units: Sequence[UnitRecord]) -> str:
    cases = "\n".join(_case(data, view, unit) for unit in units)
    if data.label:
        label = f'<property name="not reviewed" value="{xml(data.label)}"/>'
        cases = f"<properties>{label}</properties>\n{cases}"
    stamp = xml(data.run.started_at.replace("Z", "").removesuffix("+00:00"))
    return (
        f'<testsuite name="{xml(view.name)}" timestamp="{stamp}" time="{_seconds(view.wall_total_ms)}" '
        f"{_counts(units)}>\n{cases}\n</testsuite>"
    )


def _counts(units: Sequence[UnitRecord]) -> str:
    kinds = [_kind(unit) for unit in units]
    return (
        f'tests="{len(kinds)}" failures="{kinds.count("failure")}" errors="{kinds.count("error")}" '
        f'skipped="{kinds.count("skipped")}"'
    )


def _kind(unit: UnitRecord) -> str:
    if unit.outcome is None or unit.outcome.cause.kind is CauseKind.DID_NOT_HAPPEN:
        return "skipped"
    if unit.outcome.passed:
        return "passed"
    return "error" if unit.outcome.cause.kind is CauseKind.NOT_THE_MODEL else "failure"


def _case(data: ReportData, view: CandidateView, unit: UnitRecord) -> str:
    name = f"{unit.example} (repetition {unit.repetition})" if data.repetitions > 1 else unit.example
    wall = unit.generation.timing.wall_ms if unit.generation else None
    opening = f'<testcase classname="{xml(view.name)}" name="{xml(name)}" time="{_seconds(wall)}"'
    kind = _kind(unit)
    if kind == "passed":
        return f"{opening}/>"
    outcome = unit.outcome
    reason = xml(outcome.reason if outcome else unit.failure or "not run")
    if kind == "skipped":
        return f'{opening}><skipped message="{reason}"/></testcase>'
    cause = outcome.cause.value if outcome else ""
    answer = xml(unit.generation.text[:MAX_TEXT]) if unit.generation else ""
    return f'{opening}><{kind} type="{cause}" message="{reason}">{answer}</{kind}></testcase>'


def _seconds(milliseconds: float | None) -> str:
    return f"{(milliseconds or 0) / 1000:.3f}"
