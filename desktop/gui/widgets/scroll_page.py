"""A page that fills its room and scrolls only when there is less than it needs at least."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStyle, QWidget


class ScrollPage(QScrollArea):
    """At 200 % on a small screen a place scrolls instead of being squeezed.

    Qt's own resizable scroll area asks for the height that a wrapping layout would like, not for the least it
    can do with, and so scrolls far too early.
    """

    def __init__(self, page: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.widget() and event.type() is QEvent.Type.LayoutRequest:
            self._fit()
        # The scroll bars follow the page's size in there.
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        page: QWidget | None = self.widget()
        if page is None:
            return
        least, room = page.minimumSizeHint(), self.maximumViewportSize()
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        width, height = room.width(), room.height()
        if least.height() > height:
            width -= bar
        if least.width() > width:
            height -= bar
        page.resize(max(width, least.width()), max(height, least.height()))
