"""What the result view says and places, from the report's figures. Pure."""

from __future__ import annotations

from datetime import datetime

from desktop.application.wording import clock, counted, full_moment
from desktop.reports.data import CandidateView, ReportData
from desktop.runs.records import RunStatus


def subtitle(report: ReportData, now: datetime) -> str:
    """'30 Nov, 10:21 · 5 models × 30 examples · finished in 11 min 40 s'."""
    parts = [
        full_moment(report.run.started_at, now),
        f"{counted(len(report.candidates), 'model')} × {counted(len(report.examples), 'example')}",
    ]
    if report.repetitions > 1:
        parts[1] += f" × {report.repetitions}"
    ending = report.state
    if report.elapsed_s is not None:
        joint = "in" if report.run.status is RunStatus.FINISHED else "after"
        ending += f" {joint} {clock(report.elapsed_s)}"
    return " · ".join((*parts, ending))


def near_miss_text(views: list[CandidateView]) -> str:
    """The commonest near miss over all models, in words; empty without any."""
    counts: dict[str, int] = {}
    for view in views:
        for miss in view.near_misses:
            counts[miss.message] = counts.get(miss.message, 0) + miss.count
    if not counts:
        return ""
    message = max(counts, key=lambda message: counts[message])
    often = "once" if counts[message] == 1 else f"{counts[message]:,} times"
    which = "Nearly right" if len(counts) == 1 else "Nearly right, most often"
    return f"{which} ({often}): {message}"
