"""The size/quality plot of the HTML report: right answers against memory, as inline SVG.

Few models are named beside their points; more than that get numbers and a key below, since names would cover
each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from desktop.reports.data import CandidateView
from desktop.reports.drawings import elided, page_letters
from desktop.reports.quality_plot import lay_out_plot, plot_point
from desktop.reports.shapes import Box
from desktop.reports.templates import rendered

MAX_NAMES = 5
"""Points with their names beside them."""
WIDTH, HEIGHT = 540, 306


def can_plot(candidates: Sequence[CandidateView]) -> bool:
    """A picture says something from two points on."""
    return len(_shown(candidates)) >= 2


def axis_base(candidates: Sequence[CandidateView]) -> float:
    """Where the axis of right answers begins, a share: lower than every interval, at most 60 %."""
    lowest = min((view.interval.lower for view in _shown(candidates) if view.interval), default=0.0)
    return min(0.6, max(0.0, math.floor((lowest - 0.02) * 5) / 5))


def size_quality_plot(candidates: Sequence[CandidateView]) -> str:
    """Share of right answers against memory, with intervals; filled square = recommended. Figure and key."""
    shown = sorted(_shown(candidates), key=lambda view: (view.footprint_mib or 0.0, view.right / view.judged))
    points = list(map(plot_point, shown))
    drawn = [replace(point, name=elided(point.name, 26)) for point in points]
    numbered = len(points) > MAX_NAMES
    layout = lay_out_plot(
        drawn, Box(0, 0, WIDTH, HEIGHT), page_letters(), base=axis_base(candidates), numbered=numbered
    )
    return rendered(
        "plot.html",
        width=WIDTH,
        height=HEIGHT,
        shapes=layout.shapes,
        described="; ".join(point.plain for point in points),
        key=[(elided(view.name, 34), view) for view in shown] if numbered else [],
    )


def _shown(candidates: Sequence[CandidateView]) -> list[CandidateView]:
    """A model that did not come to its end is not compared with those that did."""
    return [
        view
        for view in candidates
        if view.interval and view.judged and view.footprint_mib and not view.record.ended_early
    ]
