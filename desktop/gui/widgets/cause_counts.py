"""How often each cause came up, in one table cell: the cause's sign and the count behind it.

CauseCounts(((Cause.WRONG, 6), (Cause.UNREADABLE, 5)))          # for CAUSE_COUNTS_ROLE
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.cause_cells import CELL, CauseCells
from desktop.gui.widgets.cell_delegate import CELL_PADDING, CellDelegate, Index
from desktop.gui.widgets.roles import CAUSE_COUNTS_ROLE
from packs.task.outcome import Cause

_SIGN = CELL - 2
_BEHIND_SIGN, _BETWEEN = 4, 8
"""Design pixels."""


@dataclass(frozen=True, slots=True)
class CauseCounts:
    """In the order of showing; what has no room is left out, and dots say so."""

    counts: tuple[tuple[Cause, int], ...]

    @property
    def plain(self) -> str:
        return ", ".join(f"{count:,} {cause.message}" for cause, count in self.counts)


class CauseCountsDelegate(CellDelegate[CauseCounts]):
    """Paints `CAUSE_COUNTS_ROLE`; a cell without it is painted as usual."""

    def __init__(self, theme: Theme, cells: CauseCells, parent: QWidget | None = None) -> None:
        super().__init__(theme, CAUSE_COUNTS_ROLE, CauseCounts, parent)
        self._cells = cells

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: CauseCounts, option: QStyleOptionViewItem, index: Index
    ) -> None:
        theme = self._theme
        metrics = theme.metrics(Type.SMALL)
        dots = metrics.horizontalAdvance("…")
        side, ratio = theme.px(_SIGN), painter.device().devicePixelRatio()
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        used = 0.0
        painter.setFont(theme.font(Type.SMALL))
        painter.setPen(QColor(theme.tokens.text))
        for number, (cause, count) in enumerate(value.counts):
            message = f"{count:,}"
            wide = side + theme.px(_BEHIND_SIGN) + metrics.horizontalAdvance(message)
            is_last = number == len(value.counts) - 1
            fits = used + wide + (0 if is_last else theme.px(_BETWEEN) + dots) <= room.width()
            wide = wide if fits else dots
            box = QRectF(room.left() + used, room.top(), wide, room.height())
            if mirrored:
                box.moveRight(room.right() - used)
            if not fits:
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, "…")
                break
            sign = box.right() - side if mirrored else box.left()
            painter.drawPixmap(
                QPointF(sign, round(room.center().y() - side / 2)), self._cells.pixmap(cause, side, ratio)
            )
            end = Qt.AlignmentFlag.AlignLeft if mirrored else Qt.AlignmentFlag.AlignRight
            painter.drawText(box, end | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute, message)
            used += wide + theme.px(_BETWEEN)

    def _size(self, value: CauseCounts) -> QSize:
        theme = self._theme
        metrics = theme.metrics(Type.SMALL)
        signs = sum(
            theme.px(_SIGN + _BEHIND_SIGN + _BETWEEN) + metrics.horizontalAdvance(f"{count:,}")
            for _, count in value.counts
        )
        return QSize(round(signs + 2 * theme.px(CELL_PADDING)), theme.row_height())
