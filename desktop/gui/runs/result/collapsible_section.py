"""A part that stays folded until it is asked for: reasoning, prompt, arithmetic."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.gui.theme import Theme
from desktop.gui.widgets.button import LinkButton


class CollapsibleSection(QWidget):
    """Fold(theme, "reasoning", view): a link "Show reasoning" above the view, which appears and goes."""

    def __init__(self, theme: Theme, what: str, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._what = what
        self.content = content
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.link = LinkButton(theme, "")
        layout.addWidget(self.link)
        layout.addWidget(content)
        self.link.clicked.connect(self.toggle)
        self.set_open(False)

    def set_open(self, opened: bool) -> None:
        self.content.setVisible(opened)
        self.link.setText(f"{'Hide' if opened else 'Show'} {self._what}")
        self.link.updateGeometry()

    @property
    def opened(self) -> bool:
        return not self.content.isHidden()

    @Slot()
    def toggle(self) -> None:
        self.set_open(not self.opened)
