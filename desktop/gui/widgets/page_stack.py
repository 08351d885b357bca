"""Pages of which one is shown. Only the shown one decides how much room is needed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget


class PageStack(QStackedWidget):
    """A tall page that is hidden must not make a low one scroll."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.currentChanged.connect(self._changed)

    def sizeHint(self) -> QSize:
        current: QWidget | None = self.currentWidget()
        return current.sizeHint() if current is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        current: QWidget | None = self.currentWidget()
        return current.minimumSizeHint() if current is not None else super().minimumSizeHint()

    @Slot()
    def _changed(self) -> None:
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        """No: a scroll area around would take the height wished for a width for the least, and scroll although
        everything fits."""
        return False
