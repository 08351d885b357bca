"""The small multiples of latency as inline SVG for the HTML report: one drawing a panel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop.reports.data import CandidateView
from desktop.reports.drawings import page_letters
from desktop.reports.latency import LatencyPanel, bar_shapes, latency_panels, name_shapes
from desktop.reports.shapes import Box, Line, Shape
from desktop.reports.templates import rendered

WIDTH = 350
_NAME = 128
"""Room for the names left of the bars."""
_ROW = 26


def latency_figures(views: Sequence[CandidateView]) -> str:
    """All panels side by side where there is room; empty when nothing was measured."""
    panels = latency_panels(views)
    drawn = [(panel, tuple(_shapes(panel)), _ROW * len(panel.rows)) for panel in panels]
    return rendered("latency.html", panels=drawn, width=WIDTH) if panels else ""


def _shapes(panel: LatencyPanel) -> Iterator[Shape]:
    letters = page_letters()
    for number, row in enumerate(panel.rows):
        yield from name_shapes(row, Box(0, number * _ROW, _NAME, _ROW), letters)
        yield from bar_shapes(row, Box(_NAME, number * _ROW, WIDTH - _NAME, _ROW), panel, letters)
    yield Line(_NAME, 0, _NAME, _ROW * len(panel.rows), "control", ruled=True)
