"""What all widgets that paint themselves have in common."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.gui.theme import Theme


class Painted(QWidget):
    """A widget drawn whole by `_paint`; measured and drawn anew when the theme changes.

    After a change of content call `update()`, and `updateGeometry()` first where the size depends on it.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        theme.changed.connect(self._restyle)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            self._paint(painter)
        finally:
            painter.end()  # a painter left open would end the program with the next picture

    def _paint(self, painter: QPainter) -> None:
        raise NotImplementedError

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
