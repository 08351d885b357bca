"""Right answers against memory: one painting routine for window and PDF.

points = [PlotPoint("gemma-3-1b", share=28/30, lower=.79, upper=.98, memory_gib=1.45, note="28 of 30")]
paint_quality_plot(painter, rect, points, PlotStyle.of_theme(theme))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from desktop.foundation.colours import LIGHT, Tokens
from desktop.gui.theme import Theme, Type

FEW = 5
"""Points up to which a name has room to keep clear of the ends of all intervals."""


@dataclass(frozen=True, slots=True)
class PlotPoint:
    """One candidate. Shares from 0 to 1; memory_gib None: not measured, so it cannot be placed.

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

    @property
    def plain(self) -> str:
        memory = "memory not measured" if self.memory_gib is None else f"{self.memory_gib:.2f} GiB"
        interval = f"95 % interval {self.lower * 100:.0f} to {self.upper * 100:.0f} %"
        message = f"{self.name}: {self.note or f'{self.share * 100:.0f} % right'}, {interval}, {memory}"
        if not self.ranked:
            return f"{message}, not ranked"
        return f"{message}, recommended" if self.recommended else message


@dataclass(frozen=True, slots=True)
class PlotStyle:
    """scale: zoom as a factor. x_label: what the memory is ('peak memory, GiB (measured)')."""

    tokens: Tokens
    small: QFont
    bold: QFont
    scale: float = 1.0
    x_label: str = "peak memory, GiB (measured)"

    @classmethod
    def of_theme(cls, theme: Theme) -> PlotStyle:
        small, bold = theme.font(Type.SMALL), theme.font(Type.SMALL, bold=True)
        return cls(theme.tokens, small, bold, theme.zoom / 100)

    @classmethod
    def for_paper(cls) -> PlotStyle:
        """Light, at 100 %, in a font every reader has."""
        small = QFont("sans-serif")
        small.setPixelSize(12)
        bold = QFont(small)
        bold.setWeight(QFont.Weight.DemiBold)
        return cls(LIGHT, small, bold)


def frontier(points: Sequence[PlotPoint]) -> list[PlotPoint]:
    """Those that nothing smaller or equal in memory beats, from small to large."""
    placed = sorted(
        (p for p in points if p.memory_gib is not None and p.ranked),
        key=lambda p: (p.memory_gib or 0.0, -p.share),
    )
    best = -1.0
    chain = []
    for point in placed:
        if point.share > best:
            chain.append(point)
            best = point.share
    return chain


def nice_step(span: float, maximum: int) -> float:
    """1, 2 or 5 times a power of ten, so that at most `most` steps cover the span."""
    if span <= 0:
        return 1.0
    raw = span / maximum
    power = 10.0 ** math.floor(math.log10(raw))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw - 1e-9)


@dataclass(frozen=True, slots=True)
class _Axes:
    plot: QRectF
    x_max: float

    def at(self, memory: float, share: float) -> QPointF:
        x = self.plot.left() + memory / self.x_max * self.plot.width()
        y = self.plot.bottom() - share * self.plot.height()
        return QPointF(x, y)


def paint_quality_plot(
    painter: QPainter, rect: QRectF, points: Sequence[PlotPoint], style: PlotStyle, chosen: int | None = None
) -> dict[int, QRectF]:
    """Draws into `rect`. chosen: index of a point with a ring. Returns where each drawn point is, by index."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    axes = _paint_axes(painter, rect, points, style)
    tokens = style.tokens
    chain = [axes.at(p.memory_gib, p.share) for p in frontier(points) if p.memory_gib is not None]
    if len(chain) > 1:
        pen = QPen(QColor(tokens.control), 1)
        pen.setStyle(Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.drawPolyline(chain)
    fastest = max((p.tokens_per_second or 0.0 for p in points), default=0.0)
    places: dict[int, QRectF] = {}
    taken: list[QRectF] = []
    for index, point in enumerate(points):
        if point.memory_gib is None:
            continue
        centre = axes.at(point.memory_gib, point.share)
        top, bottom = axes.at(point.memory_gib, point.upper), axes.at(point.memory_gib, point.lower)
        taken.append(QRectF(top.x() - 5, top.y(), 10, bottom.y() - top.y()))
        places[index] = _paint_point(painter, point, centre, (top, bottom), fastest, style)
        if index == chosen:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(tokens.focus), 2))
            painter.drawEllipse(centre, 11 * style.scale, 11 * style.scale)
    # Names last, the recommended one first, so that it keeps the best side.
    order = sorted(places, key=lambda i: (not points[i].recommended, not points[i].ranked, i))
    bounds = QRectF(
        axes.plot.left(), rect.top(), rect.right() - axes.plot.left(), axes.plot.bottom() - rect.top()
    )
    names: list[QRectF] = []
    for index in order:
        mine = [taken[list(places).index(index)], places[index]]
        lines = [box for box in taken if box not in mine]
        marks = [box for box in places.values() if box not in mine]
        names.append(_paint_name(painter, points[index], places[index], lines, marks, names, bounds, style))
    painter.restore()
    return places


def _paint_axes(painter: QPainter, rect: QRectF, points: Sequence[PlotPoint], style: PlotStyle) -> _Axes:
    tokens, scale = style.tokens, style.scale
    metrics = QFontMetricsF(style.small)
    left = metrics.horizontalAdvance("100 %") + 10 * scale
    bottom = 2 * metrics.height() + 10 * scale
    plot = rect.adjusted(left, metrics.height() / 2 + 2, -14 * scale, -bottom)
    x_max = _reach(points, plot.width(), style) or 1.0
    x_step = nice_step(x_max, max(int(plot.width() / (metrics.horizontalAdvance("00.00") * 2.2)), 2))
    axes = _Axes(plot, x_max)
    painter.setFont(style.small)
    step = nice_step(1.0, max(int(plot.height() / (metrics.height() * 1.6)), 1))
    steps = max(round(1 / step), 1)
    for number in range(steps + 1):
        share = number / steps
        y = axes.at(0, share).y()
        painter.fillRect(QRectF(plot.left(), round(y), plot.width(), 1), QColor(tokens.border))
        painter.setPen(QColor(tokens.muted))
        box = QRectF(rect.left(), y - metrics.height(), left - 8 * scale, 2 * metrics.height())
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, flags, f"{share * 100:.0f} %")
    painter.fillRect(QRectF(plot.left(), round(plot.bottom()), plot.width(), 1.5), QColor(tokens.control))
    digits = 0 if x_step >= 1 else 1 if abs(x_step * 10 - round(x_step * 10)) < 1e-9 else 2
    tick = 0.0
    while tick <= x_max + 1e-9:
        x = axes.at(tick, 0).x()
        painter.fillRect(QRectF(round(x), plot.bottom(), 1, 4 * scale), QColor(tokens.control))
        box = QRectF(x - 60 * scale, plot.bottom() + 5 * scale, 120 * scale, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, f"{tick:.{digits}f}" if tick else "0")
        tick += x_step
    box = QRectF(plot.left(), plot.bottom() + 6 * scale + metrics.height(), plot.width(), metrics.height() + 2)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, style.x_label)
    return axes


def _reach(points: Sequence[PlotPoint], width: float, style: PlotStyle) -> float:
    """End of the memory axis: some air, and room for the name right of the largest."""
    placed = [point for point in points if point.memory_gib]
    if not placed:
        return 0.0
    largest = max(placed, key=lambda point: point.memory_gib or 0.0)
    metrics = QFontMetricsF(style.bold if largest.recommended else style.small)
    needed = min(metrics.horizontalAdvance(largest.name) + 14 * style.scale, width * 0.4)
    return (largest.memory_gib or 0.0) * max(1.08, width / max(width - needed, 1.0))


def _paint_point(
    painter: QPainter,
    point: PlotPoint,
    centre: QPointF,
    ends: tuple[QPointF, QPointF],
    fastest: float,
    style: PlotStyle,
) -> QRectF:
    tokens, scale = style.tokens, style.scale
    ink = QColor(tokens.accent if point.recommended else tokens.muted if point.ranked else tokens.border)
    painter.setPen(QPen(ink, (3 if point.recommended else 1.5) * scale, c=Qt.PenCapStyle.FlatCap))
    painter.drawLine(*ends)
    for end in ends:
        painter.drawLine(end - QPointF(5 * scale, 0), end + QPointF(5 * scale, 0))
    radius = 5.0
    if fastest > 0 and point.tokens_per_second is not None:
        radius = 4 + 4 * math.sqrt(max(point.tokens_per_second, 0.0) / fastest)
    radius *= scale
    box = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
    if point.recommended:
        # A line of paper around it keeps square and line apart.
        painter.setPen(QPen(QColor(tokens.panel), 1.5 * scale))
        painter.setBrush(ink)
        painter.drawRect(box)
    else:
        painter.setPen(QPen(ink, 2 * scale))
        painter.setBrush(QColor(tokens.panel))
        painter.drawEllipse(box)
    return box


def _paint_name(
    painter: QPainter,
    point: PlotPoint,
    mark: QRectF,
    lines: list[QRectF],
    marks: list[QRectF],
    names: list[QRectF],
    bounds: QRectF,
    style: PlotStyle,
) -> QRectF:
    """Beside its point, on the place of many where it meets least; with a halo of paper.

    lines, marks: intervals and signs of the other points; names: those that are placed already.
    """
    tokens, scale = style.tokens, style.scale
    font = style.bold if point.recommended else style.small
    metrics, small = QFontMetricsF(font), QFontMetricsF(style.small)
    name = metrics.elidedText(point.name, Qt.TextElideMode.ElideMiddle, bounds.width() * 0.45)
    width = max(metrics.horizontalAdvance(name), small.horizontalAdvance(point.note))
    height = metrics.height() + (small.height() if point.note else 0)
    gap = 7 * scale
    right, left = mark.right() + gap, mark.left() - gap - width
    middle = mark.center().y() - height / 2
    # Beside the point first, then further and further up and down along its interval.
    steps = (0.55, -0.55, 0.0, 0.75, -0.75, 1.1, -1.1, 1.4, -1.4, 1.8, -1.8, 2.5, -2.5, 3.5, -3.5, 4.5)
    boxes = [QRectF(x, middle + step * height, width, height) for step in steps for x in (right, left)]

    def cost(number: int) -> float:
        box = boxes[number]
        outside = max(bounds.left() - box.left(), 0) + max(box.right() - bounds.right(), 0)
        outside += max(bounds.top() - box.top(), 0) + max(box.bottom() - bounds.bottom(), 0)
        # Crossing a thin interval is better than standing far away; covering a name or a mark is worst.
        met = 10 * sum(_overlap(box, other) for other in (*names, *marks))
        met += 0.5 * sum(_overlap(box, other) for other in lines)
        # The cap of an interval looks like a letter there. Among many points it is better than to be far away.
        if len(lines) < FEW:
            caps = [cap for line in lines for cap in _caps(line, scale) if box.intersects(cap)]
            met += sum(150 + 3 * _overlap(box, cap) for cap in caps)
        return outside * 1000 + met + abs(box.center().y() - mark.center().y()) * 6 + number

    box = boxes[min(range(len(boxes)), key=cost)]
    mirrored = box.left() < mark.left()
    rows = [(name, font, tokens.accent if point.recommended else tokens.text, metrics)]
    if point.note:
        rows.append((point.note, style.small, tokens.muted, small))
    y = box.top()
    for text, which, ink, each in rows:
        advance = each.horizontalAdvance(text)
        x = box.right() - advance if mirrored else box.left()
        baseline = QPointF(x, y + each.ascent())
        halo = QPainterPath()
        halo.addText(baseline, which, text)
        painter.setPen(QPen(QColor(tokens.panel), 3 * scale, j=Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(halo)
        painter.setFont(which)
        painter.setPen(QColor(ink))
        painter.drawText(baseline, text)
        y += each.height()
    return box


def _caps(line: QRectF, scale: float) -> tuple[QRectF, QRectF]:
    """Both ends of an interval, with a little air."""
    beside, high = 2 * scale, 6 * scale
    top = QRectF(line.left() - beside, line.top() - high / 2, line.width() + 2 * beside, high)
    return top, top.translated(0, line.height())


def _overlap(one: QRectF, other: QRectF) -> float:
    """Shared area."""
    shared = one.intersected(other)
    return shared.width() * shared.height() if one.intersects(other) else 0.0
