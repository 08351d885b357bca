"""Predicted memory of a model against this machine, as a bar of four parts.

    MemoryValue(weights=7.5, chat=1.02, working=.37, program=.17, total=16, free=9.4, reserve=.8, peak=9.3)
All in GiB.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme
from desktop.gui.theme.strokes import frame, stripes
from desktop.gui.widgets.cell_delegate import CellDelegate, Index
from desktop.gui.widgets.roles import MEMORY_ROLE


@dataclass(frozen=True, slots=True)
class MemoryValue:
    """GiB. total: of the machine, the whole width. free: now. reserve: kept for other programs. peak: highest
    need while loading, where it is more than the need afterwards."""

    weights: float
    chat: float
    working: float
    program: float
    total: float
    free: float
    reserve: float = 0.0
    peak: float | None = None

    @property
    def need(self) -> float:
        return self.weights + self.chat + self.working + self.program

    @property
    def plain(self) -> str:
        message = (
            f"needs {self.need:.2f} GiB: weights {self.weights:.2f}, chat memory {self.chat:.2f}, "
            f"working memory {self.working:.2f}, program {self.program:.2f}; "
            f"{self.free:.2f} of {self.total:.2f} free"
        )
        if self.peak is not None and self.peak > self.need:
            message += f"; {self.peak:.2f} while loading"
        return message


def paint_memory_bar(painter: QPainter, rect: QRectF, value: MemoryValue, theme: Theme) -> None:
    """In `rect`: the bar is 14 design pixels high in its middle, the mark of what is free reaches over it."""
    tokens = theme.tokens
    height = theme.px(14)
    bar = QRectF(rect.left(), round(rect.center().y() - height / 2), rect.width(), height)
    painter.fillRect(bar, QColor(tokens.track))
    per_gib = rect.width() / max(value.total, value.need, value.peak or 0.0, 1e-9)
    free_x = bar.left() + value.free * per_gib
    if value.reserve > 0:
        zone = QRectF(free_x - value.reserve * per_gib, bar.top(), value.reserve * per_gib, height)
        stripes(painter, zone.intersected(bar), tokens.control, pitch=theme.px(5), width=1)
    x = bar.left()
    memory = tokens.memory
    parts = (
        (value.weights, memory.weights, False),
        (value.chat, memory.chat, True),
        (value.working, memory.working, False),
        (value.program, memory.program, False),
    )
    for gib, colour, striped in parts:
        width = max(gib * per_gib - 1, 1.0) if gib > 0 else 0.0
        if width:
            part = QRectF(x, bar.top(), width, height)
            painter.fillRect(part, QColor(colour))
            if striped:
                stripes(painter, part, tokens.panel, pitch=theme.px(5))
            x += width + 1
    end = x - 1
    if value.peak is not None and value.peak > value.need:
        while_loading = QRectF(end + 1, bar.top(), (value.peak - value.need) * per_gib, height)
        frame(painter, while_loading, fill=tokens.track, edge=tokens.muted, radius=0)
    if value.need > value.free:
        frame(
            painter,
            QRectF(free_x, bar.top() - 1, max(end - free_x, 2), height + 2),
            fill=None,
            edge=tokens.bad,
            width=2,
            radius=0,
        )
    reach = theme.px(4)
    painter.fillRect(QRectF(round(free_x) - 1, bar.top() - reach, 2, height + 2 * reach), QColor(tokens.text))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(tokens.text), 1))
    painter.setBrush(QColor(tokens.text))
    top = bar.top() - reach
    corners = [QPointF(free_x - 3.5, top - 1), QPointF(free_x + 3.5, top - 1), QPointF(free_x, top + 3)]
    painter.drawPolygon(QPolygonF(corners))
    painter.restore()


class MemoryDelegate(CellDelegate[MemoryValue]):
    """Paints `MEMORY_ROLE`; a cell without it is painted as usual. The number stands in a column of its own."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, MEMORY_ROLE, MemoryValue, parent)

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: MemoryValue, option: QStyleOptionViewItem, index: Index
    ) -> None:
        paint_memory_bar(painter, room, value, self._theme)

    def _size(self, value: MemoryValue) -> QSize:
        return QSize(self._theme.px(240), self._theme.row_height(36))
