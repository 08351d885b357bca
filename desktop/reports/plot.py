"""The size/quality plot of the HTML report: right answers against memory, as inline SVG.

Few models are named beside their points; more than that get numbers and a key below, since names would cover
each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from desktop.reports import text
from desktop.reports.data import CandidateView
from desktop.reports.drawings import elided
from packs import numbers

MAX_NAMES = 5
"""Points with their names beside them."""

_Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class _Point:
    view: CandidateView
    x: float
    y: float
    low: float
    high: float


_PLOT_WIDTH, _PLOT_HEIGHT = 540, 306
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 18, 12, 46


def _placed(view: CandidateView) -> bool:
    """A model that did not come to its end is not compared with those that did."""
    return bool(view.judged and view.footprint_mib and not view.record.ended_early)


def can_plot(candidates: Sequence[CandidateView]) -> bool:
    """A picture says something from two points on."""
    return sum(1 for view in candidates if _placed(view)) >= 2


def axis_base(candidates: Sequence[CandidateView]) -> float:
    """Where the axis of right answers begins, a share: lower than every interval, at most 60 %."""
    lowest = min((view.interval.lower for view in _shown(candidates) if view.interval), default=0.0)
    return min(0.6, max(0.0, math.floor((lowest - 0.02) * 5) / 5))


def _shown(candidates: Sequence[CandidateView]) -> list[CandidateView]:
    return [view for view in candidates if view.interval and _placed(view)]


def size_quality_plot(candidates: Sequence[CandidateView]) -> str:
    """Share of right answers against memory, with intervals; filled square = recommended. Figure and key."""
    shown = _shown(candidates)
    base = axis_base(candidates)
    measured = all(view.record.peak_mib is not None for view in shown)
    largest = max((view.footprint_mib or 0) / 1024 for view in shown)
    step = _nice_step(largest * 1.12)
    top_value = step * math.ceil(largest * 1.12 / step)
    inner_width, inner_height = _PLOT_WIDTH - _LEFT - _RIGHT, _PLOT_HEIGHT - _TOP - _BOTTOM

    def px(gib: float) -> float:
        return _LEFT + inner_width * gib / top_value

    def py(share: float) -> float:
        return _TOP + inner_height * (1 - share) / (1 - base)

    points = sorted(
        (
            _Point(
                view,
                px((view.footprint_mib or 0) / 1024),
                py(view.right / view.judged),
                py(i.lower),
                py(i.upper),
            )
            for view in shown
            if (i := view.interval)
        ),
        key=lambda point: (point.x, point.y),
    )
    parts = [_axes(px, py, base, step, top_value)]
    parts.append(_frontier(points))
    fastest = max((view.tokens_per_second.median for view in shown if view.tokens_per_second), default=0.0)
    parts.extend(_point(point, fastest) for point in points)
    parts.extend(_labels(points) if len(points) <= MAX_NAMES else _numbers(points))
    axis = "peak memory, GiB (measured)" if measured else "peak memory where measured, else weights, GiB"
    parts.append(
        f'<text class="t-muted" font-size="12" text-anchor="middle" x="{_LEFT + inner_width / 2:.0f}" '
        f'y="{_PLOT_HEIGHT - 6}">{axis}</text>'
    )
    described = "; ".join(
        f"{p.view.name}: {p.view.right} of {p.view.judged} right, {numbers.gibibytes(p.view.footprint_mib)}"
        for p in points
    )
    return (
        f'<svg viewBox="0 0 {_PLOT_WIDTH} {_PLOT_HEIGHT}" width="{_PLOT_WIDTH}" height="{_PLOT_HEIGHT}" '
        f'role="img" aria-label="{text.attribute(described)}">{"".join(parts)}</svg>{_key(points)}'
    )


def _key(points: Sequence[_Point]) -> str:
    """The names behind the numbers, smallest first; empty where names stand in the drawing."""
    if len(points) <= MAX_NAMES:
        return ""
    items = "".join(
        f"<li{' class=picked' if point.view.recommended else ''}>{text.html(elided(point.view.name, 34))} "
        f'<span class="quiet">{point.view.right} of {point.view.judged}</span></li>'
        for point in points
    )
    return f'<ol class="key">{items}</ol>'


def _axes(px: _Scale, py: _Scale, base: float, step: float, top_value: float) -> str:
    parts = []
    quarter = (1 - base) / 4
    for index in range(5):
        share = base + index * quarter
        y = py(share)
        name = "axis" if index == 0 else "grid"
        parts.append(
            f'<line class="{name}" x1="{_LEFT}" y1="{y:.1f}" x2="{_PLOT_WIDTH - _RIGHT}" y2="{y:.1f}"/>'
            f'<text class="t-muted" font-size="12" text-anchor="end" x="{_LEFT - 8}" y="{y + 4:.1f}">'
            f"{numbers.whole_percent(share)}</text>"
        )
    places = next(n for n in range(6) if abs(round(step, n) - step) < 1e-9)
    for index in range(round(top_value / step) + 1):
        value = index * step
        parts.append(
            f'<text class="t-muted" font-size="12" text-anchor="middle" x="{px(value):.1f}" '
            f'y="{py(base) + 18:.1f}">'
            f"{numbers.fixed(value, places) if index else '0'}</text>"
        )
    return "".join(parts)


def _frontier(points: Sequence[_Point]) -> str:
    """Through every point that no smaller one equals or beats."""
    best: list[_Point] = []
    for point in points:
        if not best or point.y < best[-1].y:
            best.append(point)
    if len(best) < 2:
        return ""
    way = " ".join(f"{point.x:.1f},{point.y:.1f}" for point in best)
    return f'<polyline class="soft" fill="none" stroke-dasharray="4 3" points="{way}"/>'


def _point(point: _Point, fastest: float) -> str:
    chosen = point.view.recommended
    stroke, width = ("pick", 3) if chosen else ("soft", 1.5)
    x = f"{point.x:.1f}"
    caps = "".join(
        f'<line x1="{point.x - 5:.1f}" y1="{y:.1f}" x2="{point.x + 5:.1f}" y2="{y:.1f}"/>'
        for y in (point.low, point.high)
    )
    speed = point.view.tokens_per_second.median if point.view.tokens_per_second else 0.0
    radius = 4 + 4 * math.sqrt(speed / fastest) if fastest else 5.0
    if chosen:
        mark = f'<rect class="fill-pick" x="{point.x - 6:.1f}" y="{point.y - 6:.1f}" width="12" height="12"/>'
    else:
        mark = f'<circle class="fill-panel ink" stroke-width="2" cx="{x}" cy="{point.y:.1f}" r="{radius:.1f}"/>'
    return (
        f'<g class="{stroke}" stroke-width="{width}"><line x1="{x}" y1="{point.low:.1f}" x2="{x}" '
        f'y2="{point.high:.1f}"/>{caps}</g>{mark}'
    )


def _labels(points: Sequence[_Point]) -> list[str]:
    """Name and count beside each point, on the side where they cover least."""
    taken = _occupied(points)
    drawn = []
    for point in sorted(points, key=lambda p: not p.view.recommended):
        name = elided(point.view.name, 26)
        width = max(len(name) * 7.7, 60.0)
        places = [
            (point.x + 12 if side > 0 else point.x - 12 - width, point.y + shift, side)
            for shift in (-4.0, 14.0, -30.0, 34.0, -52.0, 56.0)
            for side in (1, -1)
        ]
        x, y, side = min(places, key=lambda place: _covered(place[0], place[1], width, taken))
        taken.append((x, y - 12, x + width, y + 18))
        anchor, at = ("start", x) if side > 0 else ("end", x + width)
        tone = "t-pick" if point.view.recommended else ""
        drawn.append(
            f'<text class="halo {tone}" font-size="12.5" text-anchor="{anchor}" x="{at:.1f}" y="{y:.1f}">'
            f"{text.html(name)}</text>"
            f'<text class="halo t-muted" font-size="12" text-anchor="{anchor}" x="{at:.1f}" y="{y + 15:.1f}">'
            f"{point.view.right} of {point.view.judged}</text>"
        )
    return drawn


def _numbers(points: Sequence[_Point]) -> list[str]:
    """A number beside each point, where it covers least; they count in the order of the key."""
    taken = _occupied(points)
    drawn = []
    for number, point in enumerate(points, start=1):
        width = 9.0 * len(str(number))
        places = [
            (point.x + 9 if side > 0 else point.x - 9 - width, point.y + shift)
            for shift in (-5.0, 13.0, 4.0, -16.0, 24.0)
            for side in (1, -1)
        ]
        x, y = min(places, key=lambda place: _covered(place[0], place[1], width, taken, height=12))
        taken.append((x, y - 12, x + width, y))
        tone = "t-pick" if point.view.recommended else ""
        drawn.append(f'<text class="halo {tone}" font-size="12.5" x="{x:.1f}" y="{y:.1f}">{number}</text>')
    return drawn


def _occupied(points: Sequence[_Point]) -> list[tuple[float, float, float, float]]:
    """Boxes of the points and of their intervals."""
    taken = [(point.x - 8, point.y - 8, point.x + 8, point.y + 8) for point in points]
    taken += [(point.x - 3, point.high, point.x + 3, point.low) for point in points]
    return taken


def _covered(
    x: float,
    y: float,
    width: float,
    taken: Sequence[tuple[float, float, float, float]],
    height: float = 30,
) -> float:
    """Area of other things under a label there; leaving the plot counts as much more."""
    left, top, right, bottom = x, y - 12, x + width, y - 12 + height
    area = 0.0
    for a, b, c, d in taken:
        area += max(0.0, min(right, c) - max(left, a)) * max(0.0, min(bottom, d) - max(top, b))
    outside = max(0.0, _LEFT - left) + max(0.0, right - _PLOT_WIDTH) + max(0.0, _TOP - 6 - top)
    outside += max(0.0, bottom - (_PLOT_HEIGHT - _BOTTOM))
    return area + outside * 500


def _nice_step(span: float) -> float:
    """A round step that cuts `span` into four to eight parts."""
    raw = span / 5
    power = 10.0 ** math.floor(math.log10(raw))
    return min((power * factor for factor in (1, 2, 2.5, 5, 10)), key=lambda step: abs(span / step - 5))
