"""How long a person waits, as small multiples: one painting routine for window and paper.

panels = latency_panels(report.candidates)
paint_latency(painter, rect, panels, PlotStyle.of_theme(theme))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop.gui.theme import Theme
from desktop.gui.widgets.painted import Painted
from desktop.gui.widgets.shape_painter import PlotStyle, paint_shapes
from desktop.reports.latency import LatencyPanel, bar_shapes, name_shapes
from desktop.reports.shapes import Box, Line, Shape, Words
from desktop.reports.text import plain

_GAP = 24
"""Between panels, design pixels."""


def latency_height(panels: Sequence[LatencyPanel], style: PlotStyle) -> float:
    """What `paint_latency` needs for every row of these panels."""
    return _pitch(style) * (1 + max((len(panel.rows) for panel in panels), default=0))


def paint_latency(painter: QPainter, rect: QRectF, panels: Sequence[LatencyPanel], style: PlotStyle) -> None:
    """Names once at the left, then a column of bars for every panel, each with its own scale from 0."""
    if panels:
        paint_shapes(painter, _shapes(rect, panels, style), style)


def _shapes(rect: QRectF, panels: Sequence[LatencyPanel], style: PlotStyle) -> Iterator[Shape]:
    scale, pitch, letters = style.scale, _pitch(style), style.letters()
    longest = max((letters.width(plain(row.name), True) for row in panels[0].rows), default=0.0)
    names = min(longest + 12 * scale, rect.width() * 0.24)
    gap = _GAP * scale
    room = (rect.width() - names - gap * (len(panels) - 1)) / len(panels)
    tops = [rect.top() + pitch * (place + 1) for place in range(len(panels[0].rows))]
    for row, top in zip(panels[0].rows, tops, strict=True):
        yield from name_shapes(row, Box(rect.left(), top, names, pitch), letters, scale)
    for column, panel in enumerate(panels):
        left = rect.left() + names + column * (room + gap)
        head = Box(left, rect.top(), room, pitch)
        heading = letters.cut(panel.heading, room, True)
        yield Words(left, letters.baseline(head), heading, "muted", bold=True)
        for row, top in zip(panel.rows, tops, strict=True):
            yield from bar_shapes(row, Box(left, top, room, pitch), panel, letters, scale)
        yield Line(left, head.bottom, left, head.bottom + pitch * len(panel.rows), "control", ruled=True)


def _pitch(style: PlotStyle) -> float:
    return max(24 * style.scale, QFontMetricsF(style.small).height() + 6 * style.scale)


class LatencyPlot(Painted):
    """The small multiples in the window: as high as its rows need; readable as text by assistive tools."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._panels: tuple[LatencyPanel, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("How long it takes")

    @property
    def panels(self) -> tuple[LatencyPanel, ...]:
        return self._panels

    def show_panels(self, panels: Sequence[LatencyPanel]) -> None:
        self._panels = tuple(panels)
        message = "\n".join(panel.plain for panel in self._panels)
        self.setAccessibleDescription(message)
        self._restyle()

    def sizeHint(self) -> QSize:
        style = PlotStyle.of_theme(self._theme)
        return QSize(self._theme.chars(90), round(latency_height(self._panels, style)))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.chars(60), self.sizeHint().height())

    def _paint(self, painter: QPainter) -> None:
        paint_latency(painter, QRectF(self.rect()), self._panels, PlotStyle.of_theme(self._theme))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._panels:
            place = int(event.pos().y() // _pitch(PlotStyle.of_theme(self._theme))) - 1
            if 0 <= place < len(self._panels[0].rows):
                message = "\n".join(f"{panel.heading}: {panel.rows[place].plain}" for panel in self._panels)
                QToolTip.showText(event.globalPos(), plain(message), self)
                return True
        return super().event(event)
