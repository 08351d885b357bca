"""How long a person waits, as small multiples: one painting routine for the window, SVG and PDF.

panels = latency_panels(report.candidates)
paint_latency(painter, rect, panels, PlotStyle.of_theme(theme))
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop.gui.theme import Theme
from desktop.gui.widgets.painted import Painted
from desktop.gui.widgets.quality_plot import PlotStyle
from desktop.reports.latency import LatencyPanel, LatencyRow
from desktop.reports.text import plain

_GAP = 24
"""Between panels, design pixels."""


def latency_height(panels: Sequence[LatencyPanel], style: PlotStyle) -> float:
    """What `paint_latency` needs for every row of these panels."""
    return _pitch(style) * (1 + max((len(panel.rows) for panel in panels), default=0))


def paint_latency(painter: QPainter, rect: QRectF, panels: Sequence[LatencyPanel], style: PlotStyle) -> None:
    """Names once at the left, then a column of bars for every panel, each with its own scale from 0."""
    if not panels:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    scale, pitch = style.scale, _pitch(style)
    bold, small = QFontMetricsF(style.bold), QFontMetricsF(style.small)
    longest = max((bold.horizontalAdvance(plain(row.name)) for row in panels[0].rows), default=0.0)
    names = min(longest + 12 * scale, rect.width() * 0.24)
    gap = _GAP * scale
    room = (rect.width() - names - gap * (len(panels) - 1)) / len(panels)
    flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
    for place, row in enumerate(panels[0].rows):
        metrics = bold if row.recommended else small
        painter.setFont(style.bold if row.recommended else style.small)
        painter.setPen(QColor(style.tokens.accent if row.recommended else style.tokens.text))
        name = metrics.elidedText(plain(row.name), Qt.TextElideMode.ElideMiddle, names - 8 * scale)
        painter.drawText(QRectF(rect.left(), rect.top() + pitch * (place + 1), names, pitch), flags, name)
    for column, panel in enumerate(panels):
        left = rect.left() + names + column * (room + gap)
        painter.setFont(style.bold)
        painter.setPen(QColor(style.tokens.muted))
        heading = bold.elidedText(panel.heading, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(left, rect.top(), room, pitch), flags, heading)
        figures = max((small.horizontalAdvance(row.message) for row in panel.rows), default=0.0) + 8 * scale
        for place, row in enumerate(panel.rows):
            cell = QRectF(left, rect.top() + pitch * (place + 1), room, pitch)
            _paint_row(painter, cell, row, panel.reach, figures, style)
        axis = QRectF(left, rect.top() + pitch, 1, pitch * len(panel.rows))
        painter.fillRect(axis, QColor(style.tokens.control))
    painter.restore()


def _paint_row(
    painter: QPainter, cell: QRectF, row: LatencyRow, reach: float, figures: float, style: PlotStyle
) -> None:
    tokens, scale = style.tokens, style.scale
    metrics = QFontMetricsF(style.small)
    flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
    painter.setFont(style.small)
    spread = row.spread
    if spread is None:
        painter.setPen(QColor(tokens.muted))
        message = metrics.elidedText(
            f"{row.message} {row.why}", Qt.TextElideMode.ElideRight, cell.width() - 8 * scale
        )
        painter.drawText(cell.adjusted(6 * scale, 0, 0, 0), flags, message)
        return
    room = cell.width() - figures
    middle = cell.center().y()

    def x(value: float) -> float:
        return cell.left() + room * value / reach

    height = 12 * scale
    bar = QRectF(cell.left(), middle - height / 2, max(1.0, x(spread.median) - cell.left()), height)
    painter.fillRect(bar, QColor(tokens.accent if row.recommended else tokens.control))
    if spread.count > 1 and spread.high > spread.low:
        painter.setPen(QPen(QColor(tokens.text), 1.2 * scale, c=Qt.PenCapStyle.FlatCap))
        painter.drawLine(*_ends(x(spread.low), middle, x(spread.high), middle))
        for value in (spread.low, spread.high):
            painter.drawLine(*_ends(x(value), middle - 4 * scale, x(value), middle + 4 * scale))
    painter.setPen(QColor(tokens.text))
    painter.drawText(cell, flags | int(Qt.AlignmentFlag.AlignRight), row.message)


def _ends(x1: float, y1: float, x2: float, y2: float) -> tuple[QPointF, QPointF]:
    return QPointF(x1, y1), QPointF(x2, y2)


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
