"""A sign alone in a table cell, for the table of problems: the one place where no word stands beside it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.cell_delegate import CellDelegate, Index
from desktop.gui.widgets.roles import MEMORY_ROLE

SIGN_ROLE = MEMORY_ROLE + 1
"""`SignLook`."""


@dataclass(frozen=True, slots=True)
class SignLook:
    """icon: its name. words: what it means, for tooltip and assistive tools."""

    icon: str
    tone: Tone
    message: str


class SignDelegate(CellDelegate[SignLook]):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, SIGN_ROLE, SignLook, parent)

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: SignLook, option: QStyleOptionViewItem, index: Index
    ) -> None:
        side = self._theme.px(16)
        box = QRectF(room.left(), room.center().y() - side / 2, side, side)
        self._theme.icons.paint(painter, value.icon, box, value.tone.ink(self._theme.tokens))

    def _size(self, value: SignLook) -> QSize:
        return QSize(self._theme.px(36), self._theme.row_height())
