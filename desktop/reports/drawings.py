"""The pictures of the HTML report as inline SVG: cause marks, cause bars, interval lines, size/quality plot.

Colours are classes of the style sheet, so one drawing serves light, dark and paper. Each has a title for
those who do not see it; the figures also stand in a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from desktop.reports import numbers, text
from desktop.reports.data import CandidateView
from desktop.tokens import CAUSE_ORDER, LIGHT, CauseShape
from packs.task.outcome import Cause

_LOOKS = LIGHT.causes
"""Letters and shapes, which are the same in light and dark."""
BAR_WIDTH = 540
_NAME_WIDTH = 172
_ROW = 31
_LETTER_MIN_PX = 12
_COUNT_MIN_PX = 26


def cause_symbols(causes: Sequence[Cause]) -> str:
    """One hidden drawing that holds the marks in use; `cause_mark` refers to it."""
    if not causes:
        return ""
    symbols = "".join(
        f'<symbol id="cause-{_LOOKS[cause].letter}" viewBox="0 0 18 18">{_shape(cause)}'
        f'<text style="fill:var(--i{_LOOKS[cause].letter})" font-size="11" font-weight="600" '
        f'text-anchor="middle" x="9" y="13">{_LOOKS[cause].letter}</text></symbol>'
        for cause in causes
    )
    return f'<svg width="0" height="0" style="position:absolute" aria-hidden="true">{symbols}</svg>'


def cause_mark(cause: Cause) -> str:
    """The mark alone; its words must stand beside it."""
    return f'<svg class="chip" aria-hidden="true"><use href="#cause-{_LOOKS[cause].letter}"/></svg>'


def _shape(cause: Cause) -> str:
    letter, shape = _LOOKS[cause].letter, _LOOKS[cause].shape
    match shape:
        case CauseShape.SQUARE:
            return f'<rect class="c{letter}" width="18" height="18" rx="2"/>'
        case CauseShape.HALF:
            return (
                f'<rect class="c{letter}" y="9" width="18" height="9"/>'
                f'<rect x=".5" y=".5" width="17" height="17" rx="2" fill="none" stroke="var(--i{letter})"/>'
            )
        case CauseShape.CUT_CORNER:
            return f'<path class="c{letter}" d="M0 0H12L18 6V18H0Z"/>'
        case CauseShape.CIRCLE:
            return f'<circle class="c{letter}" cx="9" cy="9" r="9"/>'
        case CauseShape.DASHED:
            return (
                '<rect x=".5" y=".5" width="17" height="17" rx="2" fill="none" class="soft" '
                'stroke-dasharray="2.5 2"/>'
            )


def cause_bars(candidates: Sequence[CandidateView]) -> str:
    """One bar a candidate, its units by cause; the length of all is the same."""
    height = _ROW * len(candidates)
    rows = []
    for index, view in enumerate(candidates):
        top = index * _ROW
        rows.append(f'<text class="who" x="0" y="{top + 18}">{text.html(elided(view.name, 22))}</text>')
        rows.append(_bar(view, top + 3, _NAME_WIDTH, BAR_WIDTH - _NAME_WIDTH))
    described = "; ".join(f"{view.name}: {causes_in_words(view)}" for view in candidates)
    return (
        f'<svg class="bars" viewBox="0 0 {BAR_WIDTH} {height}" width="{BAR_WIDTH}" height="{height}" '
        f'role="img" aria-label="{text.attribute(described)}">{"".join(rows)}</svg>'
    )


def causes_in_words(view: CandidateView) -> str:
    """'18 correct, 6 wrong'."""
    return ", ".join(f"{view.causes[cause]} {cause.words}" for cause in CAUSE_ORDER if view.causes.get(cause))


def _bar(view: CandidateView, top: int, left: float, width: float) -> str:
    total = sum(view.causes.values())
    parts = []
    x = left
    for cause in CAUSE_ORDER:
        number = view.causes.get(cause, 0)
        if not number:
            continue
        look = _LOOKS[cause]
        span = width * number / total
        drawn = max(1.0, span - 1)
        if look.shape is CauseShape.DASHED:
            parts.append(
                f'<rect x="{x + 0.5:.1f}" y="{top + 0.5}" width="{max(1.0, drawn - 1):.1f}" height="20" '
                f'fill="none" class="soft" stroke-dasharray="3 2"><title>{number} {cause.words}</title></rect>'
            )
        elif look.shape is CauseShape.HALF:
            parts.append(
                f'<rect x="{x:.1f}" y="{top + 10}" width="{drawn:.1f}" height="11" class="c{look.letter}"/>'
                f'<rect x="{x + 0.5:.1f}" y="{top + 0.5}" width="{max(1.0, drawn - 1):.1f}" height="20" '
                f'fill="none" stroke="var(--i{look.letter})"><title>{number} {cause.words}</title></rect>'
            )
        else:
            parts.append(
                f'<rect x="{x:.1f}" y="{top}" width="{drawn:.1f}" height="21" class="c{look.letter}">'
                f"<title>{number} {cause.words}</title></rect>"
            )
        if span >= _LETTER_MIN_PX:
            label = f"{look.letter} {number}" if span >= _COUNT_MIN_PX else look.letter
            parts.append(f'<text class="i{look.letter}" x="{x + drawn / 2:.1f}" y="{top + 15}">{label}</text>')
        x += span
    return "".join(parts)


def interval_line(view: CandidateView) -> str:
    """The share of right answers on a line from 0 to 100 %, with its 95 % interval."""
    if view.interval is None or not view.judged:
        return ""
    low, high, share = view.interval.lower, view.interval.upper, view.right / view.judged
    stroke, fill = ("pick", "fill-pick") if view.recommended else ("ink", "fill-ink")
    width, left = 150.0, 5.0

    def x(at: float) -> str:
        return f"{left + at * width:.1f}"

    caps = "".join(f'<line x1="{x(end)}" y1="5" x2="{x(end)}" y2="15"/>' for end in (low, high))
    ticks = "".join(f'<line x1="{x(at)}" y1="6" x2="{x(at)}" y2="14"/>' for at in (0, 0.5, 1))
    return (
        f'<svg viewBox="0 0 160 20" width="160" height="20" role="img" aria-label="between '
        f'{text.attribute(numbers.interval(low, high))}">'
        f'<line class="grid" x1="{x(0)}" y1="10" x2="{x(1)}" y2="10"/>'
        f'<g class="grid">{ticks}</g>'
        f'<g class="{stroke}" stroke-width="2"><line x1="{x(low)}" y1="10" x2="{x(high)}" y2="10"/>{caps}</g>'
        f'<rect class="{fill}" x="{left + share * width - 4:.1f}" y="6" width="8" height="8"/></svg>'
    )


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


def can_plot(candidates: Sequence[CandidateView]) -> bool:
    """A picture says something from two points on."""
    return sum(1 for view in candidates if view.judged and view.footprint_mib) >= 2


def size_quality_plot(candidates: Sequence[CandidateView]) -> str:
    """Share of right answers against memory, with intervals; filled square = recommended."""
    shown = [view for view in candidates if view.judged and view.interval and view.footprint_mib]
    measured = all(view.record.peak_mib is not None for view in shown)
    largest = max((view.footprint_mib or 0) / 1024 for view in shown)
    step = _nice_step(largest * 1.12)
    top_value = step * math.ceil(largest * 1.12 / step)
    inner_width, inner_height = _PLOT_WIDTH - _LEFT - _RIGHT, _PLOT_HEIGHT - _TOP - _BOTTOM

    def px(gib: float) -> float:
        return _LEFT + inner_width * gib / top_value

    def py(share: float) -> float:
        return _TOP + inner_height * (1 - share)

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
    parts = [_axes(px, py, step, top_value)]
    parts.append(_frontier(points))
    fastest = max((view.tokens_per_second.median for view in shown if view.tokens_per_second), default=0.0)
    parts.extend(_point(point, fastest) for point in points)
    parts.extend(_labels(points))
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
        f'role="img" aria-label="{text.attribute(described)}">{"".join(parts)}</svg>'
    )


def _axes(px: _Scale, py: _Scale, step: float, top_value: float) -> str:
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = py(share)
        name = "axis" if share == 0 else "grid"
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
            f'y="{py(0) + 18:.1f}">'
            f"{numbers.rounded(value, places) if index else '0'}</text>"
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
    taken: list[tuple[float, float, float, float]] = []
    for point in points:
        taken.append((point.x - 8, point.y - 8, point.x + 8, point.y + 8))
        taken.append((point.x - 3, point.high, point.x + 3, point.low))
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


def _covered(x: float, y: float, width: float, taken: Sequence[tuple[float, float, float, float]]) -> float:
    """Area of other things under a label there; leaving the plot counts as much more."""
    left, top, right, bottom = x, y - 12, x + width, y + 18
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


def elided(name: str, limit: int) -> str:
    """Cut in the middle, since both ends of a model's name tell something."""
    shown = text.one_line(name)
    if len(shown) <= limit:
        return shown
    head = (limit - 1) // 2
    return f"{shown[:head]}…{shown[-(limit - 1 - head) :]}"
