"""An empty place: one sentence what comes here, one button at most."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel


class EmptyState(QWidget):
    """EmptyState(theme, "Runs of this pack will be listed here.", "&Run it now").asked.connect(…)"""

    asked = Signal()
    """The button was pressed."""

    def __init__(
        self, theme: Theme, sentence: str, button: str = "", *, icon: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._layout = QVBoxLayout(self)
        self.sentence = TextLabel(theme, sentence, tone=Tone.MUTED, wrap=True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button: Button | None = None
        self._layout.addStretch(2)
        self._layout.addWidget(self.sentence, 0, Qt.AlignmentFlag.AlignHCenter)
        if button:
            self.button = Button(theme, button, icon=icon, primary=True)
            self.button.clicked.connect(self.asked)
            self._layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        self._layout.addStretch(3)
        self.setAccessibleName(sentence)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_sentence(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        self.setAccessibleName(sentence)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        side = self._theme.px(24)
        self._layout.setContentsMargins(side, side, side, side)
        self._layout.setSpacing(self._theme.px(12))
        # Lines of more than some seventy characters are hard to follow.
        self.sentence.setFixedWidth(min(self._theme.chars(70), self._needed_width()))
        self.sentence.setFixedHeight(self.sentence.heightForWidth(self.sentence.width()))

    def _needed_width(self) -> int:
        return self._theme.metrics().horizontalAdvance(self.sentence.text()) + self._theme.px(8)
