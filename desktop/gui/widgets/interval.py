"""An estimate with its interval as a line, for table cells and requirement rows.

IntervalValue(lower=0.78, upper=0.99, estimate=0.90)                            # a candidate
IntervalValue(0.86, 0.98, 0.95, threshold=0.90, met_above=True, tone=Tone.WARN, diamond=True)
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme, Tone
from desktop.gui.theme.strokes import hline, vline
from desktop.gui.widgets.cell_delegate import CellDelegate, Index
from desktop.gui.widgets.roles import INTERVAL_ROLE


@dataclass(frozen=True, slots=True)
class IntervalValue:
    """Shares from 0 to 1. threshold: where the requirement begins; met_above: which side is good.

    diamond instead of a square: open or missed. axis: what the whole width stands for; a zoomed one must be
    said beside it.
    """

    lower: float
    upper: float
    estimate: float
    tone: Tone = Tone.ACCENT
    threshold: float | None = None
    met_above: bool = True
    diamond: bool = False
    axis: tuple[float, float] = (0.0, 1.0)


def paint_interval(painter: QPainter, rect: QRectF, value: IntervalValue, theme: Theme) -> None:
    """Fills `rect` as the axis from 0 to 100 % (or `axis`); heights follow the zoom."""
    tokens = theme.tokens
    first, last = value.axis
    span = max(last - first, 1e-9)

    def x(share: float) -> float:
        return rect.left() + (min(max(share, first), last) - first) / span * rect.width()

    middle = rect.center().y()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if value.threshold is None:
        hline(painter, rect.left(), rect.right(), round(middle), tokens.border)
    else:
        edge = x(value.threshold)
        zone = QRectF(edge, rect.top(), rect.right() - edge, rect.height())
        if not value.met_above:
            zone = QRectF(rect.left(), rect.top(), edge - rect.left(), rect.height())
        painter.fillRect(zone, QColor(tokens.accent_soft))
        hline(painter, zone.left(), zone.right(), zone.bottom() - 2, tokens.accent, 2)
        vline(painter, edge - 1, rect.top(), rect.bottom(), tokens.text, 2)
    ink = QColor(value.tone.ink(tokens))
    # A plain candidate's line is text-coloured and only its estimate carries the accent.
    line = QColor(tokens.text) if value.tone is Tone.ACCENT else ink
    painter.setPen(QPen(line, max(theme.px(2), 1.5), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    low, high = x(value.lower), x(value.upper)
    painter.drawLine(QPointF(low, middle), QPointF(high, middle))
    cap = theme.px(5)
    for end in (low, high):
        painter.drawLine(QPointF(end, middle - cap), QPointF(end, middle + cap))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    half = theme.px(8) / 2
    at = x(value.estimate)
    if value.diamond:
        reach = half * 1.4
        points = [
            QPointF(at - reach, middle),
            QPointF(at, middle - reach),
            QPointF(at + reach, middle),
            QPointF(at, middle + reach),
        ]
        painter.drawPolygon(QPolygonF(points))
    else:
        at = min(max(at, rect.left() + half), rect.right() - half)
        painter.drawRect(QRectF(at - half, middle - half, 2 * half, 2 * half))
    painter.restore()


def interval_text(value: IntervalValue) -> str:
    """For assistive tools."""
    message = f"{value.estimate:.0%}, 95 % interval from {value.lower:.0%} to {value.upper:.0%}"
    if value.threshold is not None:
        message += f", required {'at least' if value.met_above else 'at maximum'} {value.threshold:.0%}"
    return message.replace("%", " %").replace("  %", " %")


class IntervalDelegate(CellDelegate[IntervalValue]):
    """Paints `INTERVAL_ROLE`; a cell without it is painted as usual (its text says why nothing is known)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, INTERVAL_ROLE, IntervalValue, parent)

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: IntervalValue, option: QStyleOptionViewItem, index: Index
    ) -> None:
        inset = self._theme.px(4) if value.threshold is None else self._theme.px(2)
        paint_interval(painter, room.adjusted(0, inset, 0, -inset), value, self._theme)

    def _size(self, value: IntervalValue) -> QSize:
        return QSize(self._theme.px(140), self._theme.row_height())
