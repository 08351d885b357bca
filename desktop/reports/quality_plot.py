"""Right answers against memory: where everything of the plot lies, for window, paper and page alike."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from desktop.reports.data import CandidateView
from desktop.reports.shapes import Box, Letters, Line, Ring, Shape, Square, Way, Words
from desktop.reports.text import plain
from packs import numbers

FEW = 5
"""Points up to which a name has room to keep clear of the ends of all intervals."""


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """One candidate. Shares from 0 to 1; memory_gib None: not known, so it cannot be placed.

    note: second line beside the name. tokens_per_second: shown as the size of the circle.
    """

    name: str
    share: float
    lower: float
    upper: float
    memory_gib: float | None
    note: str = ""
    recommended: bool = False
    tokens_per_second: float | None = None
    ranked: bool = True
    """False: it did not come to its end. Drawn paler, never on the frontier."""
    measured: bool = True
    """False: the memory is the size of the weights."""

    @property
    def plain(self) -> str:
        memory = "memory not measured" if self.memory_gib is None else f"{self.memory_gib:.2f} GiB"
        interval = f"95 % interval {self.lower * 100:.0f} to {self.upper * 100:.0f} %"
        message = f"{self.name}: {self.note or f'{self.share * 100:.0f} % right'}, {interval}, {memory}"
        if not self.ranked:
            return f"{message}, not ranked"
        return f"{message}, recommended" if self.recommended else message


def plot_point(view: CandidateView) -> PlotPoint:
    """view: with judged answers."""
    assert view.interval is not None
    memory, speed = view.footprint_mib, view.tokens_per_second
    return PlotPoint(
        plain(view.name),
        view.right / view.judged,
        view.interval.lower,
        view.interval.upper,
        None if memory is None else memory / 1024,
        f"{view.right} of {view.judged}",
        view.recommended,
        None if speed is None else speed.median,
        not view.why_not,
        view.record.peak_mib is not None,
    )


@dataclass(frozen=True, slots=True)
class PlotLayout:
    """shapes: in the order of drawing. By the index of a point: its mark, interval and name."""

    shapes: tuple[Shape, ...]
    marks: Mapping[int, Box]
    intervals: Mapping[int, Box]
    names: Mapping[int, Box]


def lay_out_plot(
    points: Sequence[PlotPoint],
    room: Box,
    letters: Letters,
    *,
    scale: float = 1.0,
    base: float = 0.0,
    numbered: bool = False,
) -> PlotLayout:
    """base: where the axis of right answers begins, a share. numbered: numbers by memory instead of names."""
    axes = _axes(points, room, letters, scale, base, numbered)
    shapes: list[Shape] = list(_ruled(axes, points, room, letters, scale))
    chain = tuple(axes.at(point.memory_gib or 0.0, point.share) for point in frontier(points))
    if len(chain) > 1:
        shapes.append(Way(chain, "muted"))
    fastest = max((point.tokens_per_second or 0.0 for point in points), default=0.0)
    marks: dict[int, Box] = {}
    intervals: dict[int, Box] = {}
    order = sorted(_placed(points), key=lambda index: (points[index].memory_gib or 0.0, points[index].share))
    for index in sorted(order):
        point = points[index]
        x, y = axes.at(point.memory_gib or 0.0, point.share)
        top, bottom = (axes.at(point.memory_gib or 0.0, share)[1] for share in (point.upper, point.lower))
        intervals[index] = Box(x - 5 * scale, top, 10 * scale, bottom - top)
        marks[index] = _mark(point, x, y, fastest, scale)
        shapes.extend(_drawn(point, x, intervals[index], marks[index], scale))
    names: dict[int, Box] = {}
    bounds = Box(axes.plot.left, room.top, room.right - axes.plot.left, axes.plot.bottom - room.top)
    # Names last, the recommended one first, so that it keeps the best side.
    for index in sorted(marks, key=lambda at: (not points[at].recommended, not points[at].ranked, at)):
        others = [at for at in marks if at != index]
        number = order.index(index) + 1 if numbered else 0
        lines = _lines_of(points[index], number, letters, bounds.width * 0.45)
        taken = _Taken(
            [intervals[at] for at in others], [marks[at] for at in others], list(names.values()), bounds, scale
        )
        names[index] = box = _beside(marks[index], lines, letters, taken)
        shapes.extend(_words(lines, box, letters, at_end=box.left < marks[index].left))
    return PlotLayout(tuple(shapes), marks, intervals, names)


def frontier(points: Sequence[PlotPoint]) -> list[PlotPoint]:
    """Those that nothing smaller or equal in memory beats, from small to large."""
    placed = sorted(
        (point for point in points if point.memory_gib is not None and point.ranked),
        key=lambda point: (point.memory_gib or 0.0, -point.share),
    )
    best = -1.0
    chain = []
    for point in placed:
        if point.share > best:
            chain.append(point)
            best = point.share
    return chain


def nice_step(span: float, maximum: int) -> float:
    """1, 2, 2.5 or 5 times a power of ten, so that at most `maximum` steps cover the span."""
    if span <= 0:
        return 1.0
    raw = span / maximum
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw - 1e-9)


def _placed(points: Sequence[PlotPoint]) -> list[int]:
    return [index for index, point in enumerate(points) if point.memory_gib is not None]


@dataclass(frozen=True, slots=True)
class _Axes:
    plot: Box
    x_max: float
    base: float

    def at(self, memory: float, share: float) -> tuple[float, float]:
        x = self.plot.left + memory / self.x_max * self.plot.width
        return x, self.plot.bottom - (share - self.base) / (1 - self.base) * self.plot.height


def _axes(
    points: Sequence[PlotPoint], room: Box, letters: Letters, scale: float, base: float, numbered: bool
) -> _Axes:
    left = letters.width("100 %", False) + 10 * scale
    above, below = letters.height / 2 + 2, 2 * letters.height + 10 * scale
    plot = Box(room.left + left, room.top + above, room.width - left - 14 * scale, room.height - above - below)
    placed = [points[index] for index in _placed(points)]
    largest = max(placed, key=lambda point: point.memory_gib or 0.0, default=None)
    if largest is None or not largest.memory_gib:
        return _Axes(plot, 1.0, base)
    # Some air, and room for the name right of the largest.
    name = "" if numbered else largest.name
    needed = min(letters.width(name, largest.recommended) + 14 * scale, plot.width * 0.4)
    reach = largest.memory_gib * max(1.08, plot.width / max(plot.width - needed, 1.0))
    return _Axes(plot, reach, base)


def _ruled(
    axes: _Axes, points: Sequence[PlotPoint], room: Box, letters: Letters, scale: float
) -> Iterator[Shape]:
    plot, middle = axes.plot, letters.ascent - letters.height / 2
    step = nice_step(1 - axes.base, max(int(plot.height / (letters.height * 1.6)), 1))
    steps = max(round((1 - axes.base) / step), 1)
    for number in range(steps + 1):
        share = axes.base + (1 - axes.base) * number / steps
        y = axes.at(0, share)[1]
        yield Line(plot.left, y, plot.right, y, "border", ruled=True)
        yield Words(plot.left - 8 * scale, y + middle, numbers.whole_percent(share), "muted", "end")
    yield Line(plot.left, plot.bottom, plot.right, plot.bottom, "control", 1.5, ruled=True)
    step = nice_step(axes.x_max, max(int(plot.width / (letters.width("00.00", False) * 2.2)), 2))
    digits = 0 if step >= 1 else 1 if abs(step * 10 - round(step * 10)) < 1e-9 else 2
    baseline = plot.bottom + 5 * scale + letters.ascent
    for number in range(int(axes.x_max / step + 1e-9) + 1):
        x = axes.at(number * step, axes.base)[0]
        yield Line(x, plot.bottom, x, plot.bottom + 4 * scale, "control", ruled=True)
        yield Words(x, baseline, numbers.fixed(number * step, digits) if number else "0", "muted", "middle")
    placed = [points[index] for index in _placed(points)]
    measured = all(point.measured for point in placed)
    label = "peak memory, GiB (measured)" if measured else "peak memory where measured, else weights, GiB"
    yield Words(plot.left + plot.width / 2, baseline + letters.height + 2 * scale, label, "muted", "middle")


def _mark(point: PlotPoint, x: float, y: float, fastest: float, scale: float) -> Box:
    radius = 5.0
    if fastest > 0 and point.tokens_per_second is not None:
        radius = 4 + 4 * math.sqrt(max(point.tokens_per_second, 0.0) / fastest)
    radius *= scale
    return Box(x - radius, y - radius, 2 * radius, 2 * radius)


def _drawn(point: PlotPoint, x: float, interval: Box, mark: Box, scale: float) -> Iterator[Shape]:
    tone = "accent" if point.recommended else "muted" if point.ranked else "border"
    width = (3 if point.recommended else 1.5) * scale
    yield Line(x, interval.top, x, interval.bottom, tone, width)
    for y in (interval.top, interval.bottom):
        yield Line(interval.left, y, interval.right, y, tone, width)
    yield Square(mark, tone) if point.recommended else Ring(mark, tone)


@dataclass(frozen=True, slots=True)
class _Written:
    text: str
    tone: str
    bold: bool = False


def _lines_of(point: PlotPoint, number: int, letters: Letters, room: float) -> list[_Written]:
    """number: instead of name and note, unless it is 0."""
    bold = point.recommended
    name = str(number) if number else letters.cut(point.name, room, bold)
    lines = [_Written(name, "accent" if bold else "text", bold)]
    if point.note and not number:
        lines.append(_Written(point.note, "muted"))
    return lines


@dataclass(frozen=True, slots=True)
class _Taken:
    """intervals, marks: of the other points; names: those that are placed already."""

    intervals: Sequence[Box]
    marks: Sequence[Box]
    names: Sequence[Box]
    bounds: Box
    scale: float


def _beside(mark: Box, lines: Sequence[_Written], letters: Letters, taken: _Taken) -> Box:
    """Beside its mark, on the place of many where it meets least."""
    width = max(letters.width(line.text, line.bold) for line in lines)
    height = letters.height * len(lines)
    gap, middle = 7 * taken.scale, mark.middle - height / 2
    # Beside the point first, then further and further up and down along its interval.
    steps = (0.55, -0.55, 0.0, 0.75, -0.75, 1.1, -1.1, 1.4, -1.4, 1.8, -1.8, 2.5, -2.5, 3.5, -3.5, 4.5)
    boxes = [
        Box(x, middle + step * height, width, height)
        for step in steps
        for x in (mark.right + gap, mark.left - gap - width)
    ]
    bounds = taken.bounds
    # The cap of an interval looks like a letter there. Among many points it is better than to be far away.
    caps = (
        [cap for line in taken.intervals for cap in _caps(line, taken.scale)]
        if len(taken.intervals) < FEW
        else []
    )

    def cost(number: int) -> float:
        box = boxes[number]
        outside = max(bounds.left - box.left, 0.0) + max(box.right - bounds.right, 0.0)
        outside += max(bounds.top - box.top, 0.0) + max(box.bottom - bounds.bottom, 0.0)
        # Crossing a thin interval is better than standing far away; covering a name or a mark is worst.
        met = 10 * sum(box.shared(other) for other in (*taken.names, *taken.marks))
        met += 0.5 * sum(box.shared(other) for other in taken.intervals)
        met += sum(150 + 3 * shared for cap in caps if (shared := box.shared(cap)))
        return outside * 1000 + met + abs(box.middle - mark.middle) * 6 + number

    return boxes[min(range(len(boxes)), key=cost)]


def _caps(line: Box, scale: float) -> tuple[Box, Box]:
    """Both ends of an interval, with a little air."""
    beside, high = 2 * scale, 6 * scale
    return (
        Box(line.left - beside, line.top - high / 2, line.width + 2 * beside, high),
        Box(line.left - beside, line.bottom - high / 2, line.width + 2 * beside, high),
    )


def _words(lines: Sequence[_Written], box: Box, letters: Letters, *, at_end: bool) -> Iterator[Shape]:
    x, anchor = (box.right, "end") if at_end else (box.left, "start")
    for number, line in enumerate(lines):
        y = box.top + number * letters.height + letters.ascent
        yield Words(x, y, line.text, line.tone, anchor, line.bold, halo=True)
