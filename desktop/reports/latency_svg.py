"""The small multiples of latency as inline SVG for the HTML report: one drawing a panel."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.reports import text
from desktop.reports.data import CandidateView
from desktop.reports.drawings import elided
from desktop.reports.latency import LatencyPanel, LatencyRow, latency_panels

WIDTH = 350
_NAME, _FIGURE = 128, 52
"""Room for the names left of the bars and for the figures right of them."""
_ROW, _BAR = 26, 12


def latency_figures(views: Sequence[CandidateView]) -> str:
    """All panels side by side where there is room; empty when nothing was measured."""
    panels = latency_panels(views)
    if not panels:
        return ""
    drawn = "".join(
        f"<figure><figcaption>{text.html(panel.heading)}</figcaption>{_drawing(panel)}</figure>"
        for panel in panels
    )
    return f'<div class="multiples">{drawn}</div>'


def _drawing(panel: LatencyPanel) -> str:
    height = _ROW * len(panel.rows)
    rows = "".join(_row(row, place * _ROW, panel.reach) for place, row in enumerate(panel.rows))
    axis = f'<line class="axis" x1="{_NAME}" y1="0" x2="{_NAME}" y2="{height}"/>'
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{text.attribute(panel.plain)}">{axis}{rows}</svg>'
    )


def _row(row: LatencyRow, top: int, reach: float) -> str:
    base = top + 17
    tone = "t-pick" if row.recommended else ""
    name = f'<text class="{tone}" font-size="12.5" x="0" y="{base}">{text.html(elided(row.name, 17))}</text>'
    spread = row.spread
    if spread is None:
        return (
            f'{name}<text class="t-muted" font-size="12" x="{_NAME + 6}" y="{base}">– '
            f"{text.html(elided(row.why, 28))}<title>{text.html(row.plain)}</title></text>"
        )
    room = WIDTH - _NAME - _FIGURE
    middle = top + _ROW / 2

    def x(value: float) -> float:
        return _NAME + room * value / reach

    fill, line = ("fill-pick", "ink") if row.recommended else ("fill-soft", "ink")
    parts = [
        name,
        f'<rect class="{fill}" x="{_NAME}" y="{middle - _BAR / 2:.1f}" '
        f'width="{max(1.0, x(spread.median) - _NAME):.1f}" height="{_BAR}">'
        f"<title>{text.html(row.plain)}</title></rect>",
    ]
    if spread.count > 1 and spread.high > spread.low:
        caps = "".join(
            f'<line x1="{x(value):.1f}" y1="{middle - 4:.1f}" x2="{x(value):.1f}" y2="{middle + 4:.1f}"/>'
            for value in (spread.low, spread.high)
        )
        parts.append(
            f'<g class="{line}"><line x1="{x(spread.low):.1f}" y1="{middle:.1f}" '
            f'x2="{x(spread.high):.1f}" y2="{middle:.1f}"/>{caps}</g>'
        )
    parts.append(
        f'<text font-size="12" text-anchor="end" x="{WIDTH}" y="{base}">{text.html(row.message)}</text>'
    )
    return "".join(parts)
