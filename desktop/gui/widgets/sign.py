"""A sign alone in a table cell, for the table of problems: the one place where no word stands beside it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.roles import MEMORY_ROLE
from desktop.gui.widgets.text_runs import paint_ground

SIGN_ROLE = MEMORY_ROLE + 1
"""`SignLook`."""


@dataclass(frozen=True, slots=True)
class SignLook:
    """icon: its name. words: what it means, for tooltip and assistive tools."""

    icon: str
    tone: Tone
    words: str


class SignDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look = index.data(SIGN_ROLE)
        if not isinstance(look, SignLook):
            super().paint(painter, option, index)
            return
        room = paint_ground(painter, option, self._theme)
        side = self._theme.px(16)
        box = QRectF(room.left(), room.center().y() - side / 2, side, side)
        self._theme.icons.paint(painter, look.icon, box, look.tone.ink(self._theme.tokens))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(self._theme.px(36), self._theme.row_height())
