"""How large a dialog opens: as designed, but never larger than the screen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
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


def open_as_wide_as(dialog: QDialog, theme: Theme, width: int) -> None:
    """width: in design pixels at 100 %; as high as the dialog needs then.

    The dialog gets no least width of its own: that would be wider than a small screen, and where the words are
    wider than thought it would let the buttons be squeezed.
    """
    wide = min(theme.px(width), dialog.screen().availableGeometry().width() - _AROUND)
    wide = max(wide, dialog.minimumSizeHint().width())
    high = dialog.heightForWidth(wide) if dialog.hasHeightForWidth() else dialog.sizeHint().height()
    dialog.resize(wide, high)


class FittedBody(QScrollArea):
    """The body of a dialog: as high as its content needs, and scrolling only where the screen is too low."""

    def __init__(self, body: QWidget, width: int, around: int) -> None:
        """width: that the body will have. around: what the rest of the dialog takes in height; pixels."""
        super().__init__()
        self._body = body
        self._width = width
        self._around = around
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(body)

    def minimumSizeHint(self) -> QSize:
        body = self._body
        least = body.minimumSizeHint()
        width = self.viewport().width() if self.isVisible() else self._width
        high = body.heightForWidth(width) if body.hasHeightForWidth() else least.height()
        room = self.screen().availableGeometry().height() - _AROUND - self._around
        return QSize(least.width(), max(min(high, room), 1))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._body and event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
