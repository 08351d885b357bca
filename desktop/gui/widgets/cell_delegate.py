"""What all painted table cells have in common: the ground, and what happens where there is nothing to paint."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme
from desktop.gui.theme.strokes import frame

CELL_PADDING = 10
"""Design pixels at both sides of a table cell."""

V = TypeVar("V")
Index = QModelIndex | QPersistentModelIndex


class CellDelegate(QStyledItemDelegate, Generic[V]):
    """Paints what the model gives for `role`, if it is a `kind`; any other cell is painted as usual."""

    def __init__(self, theme: Theme, role: int, kind: type[V], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._role = role
        self._kind = kind

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        value = index.data(self._role)
        if isinstance(value, self._kind):
            self._paint_value(painter, paint_ground(painter, option, self._theme), value, option, index)
        else:
            super().paint(painter, option, index)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        value = index.data(self._role)
        return self._size(value) if isinstance(value, self._kind) else super().sizeHint(option, index)

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: V, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """room: inside the padding of the cell, whose ground is painted."""
        raise NotImplementedError

    def _size(self, value: V) -> QSize:
        """Of the whole cell, padding included."""
        raise NotImplementedError


def paint_ground(painter: QPainter, option: QStyleOptionViewItem, theme: Theme) -> QRectF:
    """Selection, hairline, accent bar and focus ring of a cell; returns the room inside for its content."""
    whole: QWidget = option.widget
    rect = option.rect
    style = whole.style()
    style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, whole)
    if option.state & QStyle.StateFlag.State_HasFocus:
        frame(painter, rect, fill=None, edge=theme.tokens.focus, width=2.0, radius=2.0)
    padding = theme.px(CELL_PADDING)
    return QRectF(rect).adjusted(padding, 0, -padding, -1)
