"""The answer in one sentence, why, and what limits it.

panel.show_answer("Use SmolLM2-360M Q8_0: 27 of 30 right; the best had 28.",
                  reason="It is likely (83 %) no more than 5 points worse …",
                  limits="brook-2b is not ranked: it ran out of memory at example 5.", tone=Tone.ACCENT)
panel.add_button(Button(theme, "&Why this one?"))
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame, start_bar
from desktop.gui.widgets.label import TextLabel


class AnswerPanel(QWidget):
    """A 4-px bar at its start in the tone of the answer."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone = Tone.ACCENT
        self.sentence = TextLabel(theme, kind=Type.ANSWER, wrap=True, selectable=True)
        self.reason = TextLabel(theme, wrap=True, selectable=True)
        self.limits = TextLabel(theme, kind=Type.SMALL, tone=Tone.MUTED, wrap=True, selectable=True)
        for label in (self.sentence, self.reason, self.limits):
            # Reading order for the keyboard is buttons only; the text is read as the panel's description.
            label.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._row = QHBoxLayout(self)
        self._message = QVBoxLayout()
        for label in (self.sentence, self.reason, self.limits):
            self._message.addWidget(label)
        self._buttons = QVBoxLayout()
        self._row.addLayout(self._message, 1)
        self._row.addLayout(self._buttons)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_answer(self, sentence: str, reason: str = "", limits: str = "", tone: Tone = Tone.ACCENT) -> None:
        self._tone = tone
        self.sentence.setText(sentence)
        self.reason.setText(reason)
        self.limits.setText(limits)
        self.reason.setVisible(bool(reason))
        self.limits.setVisible(bool(limits))
        self.setAccessibleName(sentence)
        self.setAccessibleDescription(" ".join(part for part in (reason, limits) if part))
        self.update()

    def add_button(self, button: QWidget) -> None:
        """At the end, one below the other, all of one width."""
        policy = button.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Minimum)
        button.setSizePolicy(policy)
        self._buttons.addWidget(button)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        frame(painter, self.rect(), fill=tokens.panel, edge=tokens.border)
        start_bar(
            painter, self.rect(), self._tone.ink(tokens), self._theme.px(4), mirrored=self.isRightToLeft()
        )
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(24), px(14), px(20), px(14))
        self._row.setSpacing(px(24))
        self._message.setSpacing(px(6))
        self._buttons.setSpacing(px(8))
        self._buttons.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.update()
