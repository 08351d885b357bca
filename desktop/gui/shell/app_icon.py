"""The program's own sign, painted from the tokens: a ticked pack on the accent."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap

from desktop.gui.theme import Theme
from desktop.gui.theme.strokes import frame


def app_icon(theme: Theme) -> QIcon:
    icon = QIcon()
    for side in (16, 24, 32, 48, 64, 128, 256):
        pixmap = QPixmap(QSize(side, side))
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        box = QRectF(0, 0, side, side)
        frame(painter, box, fill=theme.tokens.accent, edge=None, radius=side * 0.2)
        inset = side * 0.16
        theme.icons.paint(
            painter, "evidence", box.adjusted(inset, inset, -inset, -inset), theme.tokens.on_accent
        )
        painter.end()
        icon.addPixmap(pixmap)
    return icon
