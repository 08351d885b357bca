"""Says over a result whether its pack would judge these answers otherwise by now, and shows it either way."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.application.wording import counted
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import LinkButton
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel


class Judging(Enum):
    """By which pack the shown result is judged."""

    RECORDED = "recorded"
    TODAY = "today"


class TodayStrip(Panel):
    """Hidden while the pack judges as it did when the run was made."""

    other_asked = Signal(object)
    """The Judging that is to be shown."""
    changes_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, padding=8, parent=parent)
        self._shown = Judging.RECORDED
        self.message = TextLabel(theme, tone=Tone.INFO, wrap=True)
        self.changes = LinkButton(theme, "What changed")
        self.other = LinkButton(theme, "Show as recorded")
        row = QHBoxLayout()
        row.setSpacing(theme.px(12))
        row.addWidget(self.message, 1)
        row.addWidget(self.changes)
        row.addWidget(self.other)
        self.body.addLayout(row)
        self.setAccessibleName("By which pack this is scored")
        self.changes.clicked.connect(self.changes_asked)
        self.other.clicked.connect(self._ask_other)
        self.hide()

    def show_judging(self, shown: Judging, changed: int) -> None:
        """changed: answers that today's pack gives another score or cause."""
        self._shown = shown
        count = f"{counted(changed, 'answer')}" if changed else "no answer"
        if shown is Judging.TODAY:
            message = f"Re-scored with today's pack: {count} changed. The run itself is kept as it was."
            self.other.setText("Show as recorded")
        else:
            message = f"These are the scores as recorded. With today's pack, {count} would change."
            self.other.setText("Show with today's pack")
        self._say(message, both=True)

    def show_refusal(self, sentence: str) -> None:
        """Today's pack cannot judge at all."""
        self._say(f"These are the scores as recorded. {sentence}", both=False)

    def _say(self, message: str, *, both: bool) -> None:
        self.message.setText(message)
        self.setAccessibleDescription(message)
        self.changes.setVisible(both)
        self.other.setVisible(both)
        self.show()

    @Slot()
    def _ask_other(self) -> None:
        self.other_asked.emit(Judging.RECORDED if self._shown is Judging.TODAY else Judging.TODAY)
