"""How large a dialog opens: as designed, but never larger than the screen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QWidget

from desktop.gui.theme import Theme

_AROUND = 48
"""Pixels of the screen that stay free: title bar and edges of the dialog's own window."""


def open_as_large_as(dialog: QDialog, theme: Theme, width: int, height: int) -> None:
    """width, height: in design pixels at 100 %."""
    screen = dialog.screen().availableGeometry()
    dialog.resize(
        min(theme.px(width), screen.width() - _AROUND), min(theme.px(height), screen.height() - _AROUND)
    )


def scrolled(body: QWidget) -> QScrollArea:
    """The body of a dialog: scrolls where the screen is too small for it, and only then."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(body)
    return area
