"""How far numbers were off: bars around zero, the tolerance as a soft zone."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.application.run_figures import ErrorHistogram
from desktop.gui.theme import Theme, Type
from desktop.gui.theme.strokes import hline, vline
from desktop.gui.widgets.painted import Painted


class Histogram(Painted):
    """The whole is said in words as accessible description."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._value: ErrorHistogram | None = None
        self.setAccessibleName("How far the answers were off")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_value(self, value: ErrorHistogram | None) -> None:
        self._value = value
        self.setAccessibleDescription("" if value is None else histogram_text(value))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.chars(60), self._theme.px(220))

    def _paint(self, painter: QPainter) -> None:
        value = self._value
        if value is None:
            return
        theme, tokens = self._theme, self._theme.tokens
        small = theme.metrics(Type.SMALL)
        box = QRectF(self.rect()).adjusted(
            theme.px(8), theme.px(20), -theme.px(8), -(small.height() + theme.px(10))
        )
        first, last = value.edges[0], value.edges[-1]
        span = last - first

        def x(error: float) -> float:
            return box.left() + (min(max(error, first), last) - first) / span * box.width()

        if value.allowed:
            zone = QRectF(x(-value.allowed), box.top(), x(value.allowed) - x(-value.allowed), box.height())
            painter.fillRect(zone, QColor(tokens.accent_soft))
        maximum = max(value.counts) or 1
        painter.setFont(theme.font(Type.SMALL))
        for place, count in enumerate(value.counts):
            if not count:
                continue
            left, right = x(value.edges[place]), x(value.edges[place + 1])
            height = (box.height() - theme.px(14)) * count / maximum
            bar = QRectF(left + 1, box.bottom() - height, right - left - 2, height)
            painter.fillRect(bar, QColor(tokens.accent))
            painter.setPen(QColor(tokens.text))
            over = QRectF(bar.left() - 20, bar.top() - small.height(), bar.width() + 40, small.height())
            painter.drawText(over, Qt.AlignmentFlag.AlignCenter, str(count))
        hline(painter, box.left(), box.right(), box.bottom(), tokens.control)
        vline(painter, x(0.0) - 0.5, box.top(), box.bottom(), tokens.text)
        painter.setPen(QColor(tokens.muted))
        foot = QRectF(box.left(), box.bottom() + theme.px(4), box.width(), small.height())
        painter.drawText(foot, Qt.AlignmentFlag.AlignLeft, f"≤ {first:.4g}")
        painter.drawText(foot, Qt.AlignmentFlag.AlignHCenter, "0")
        painter.drawText(foot, Qt.AlignmentFlag.AlignRight, f"≥ {last:.4g}")


def histogram_text(value: ErrorHistogram) -> str:
    """'12 answers from −2 to 0, …; the tolerance is 0.5; 1 answer holds no number.'"""
    parts = [
        f"{count} from {value.edges[place]:.4g} to {value.edges[place + 1]:.4g}"
        for place, count in enumerate(value.counts)
        if count
    ]
    message = f"Answered minus expected: {', '.join(parts)}."
    if value.allowed is not None:
        message += f" The tolerance is {value.allowed:.4g}."
    if value.without:
        message += f" {value.without} without a number."
    return message
