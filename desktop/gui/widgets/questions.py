"""The two questions of the Runs place: what becomes of a run when the window closes, and whether to resume."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel

Answer = tuple[str, str, Callable[[], None]]
"""(words on the button, icon, what it does)."""


class Question(QDialog):
    """The question as heading, one sentence, buttons that are verbs. Esc: nothing happens; so does `safe`."""

    def __init__(
        self,
        theme: Theme,
        question: str,
        message: str,
        answers: Sequence[Answer],
        safe: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(question)
        self.setAccessibleDescription(message)
        px = theme.px
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(10))
        outer.addWidget(TextLabel(theme, question, kind=Type.SECTION, wrap=True))
        reported = TextLabel(theme, message, wrap=True)
        # A minimum of the dialog itself would let the buttons be squeezed.
        reported.setMinimumWidth(px(392))
        outer.addWidget(reported)
        outer.addSpacing(px(8))
        row = QHBoxLayout()
        row.setSpacing(px(8))
        row.addStretch(1)
        self.buttons: list[Button] = []
        self._actions = [act for _, _, act in answers]
        for number, (text, icon, _) in enumerate(answers):
            button = Button(theme, text, icon=icon)
            button.setProperty("answer", number)
            button.clicked.connect(self._answered)
            self.buttons.append(button)
            row.addWidget(button)
        self.safe = Button(theme, safe, primary=True)
        self.safe.setDefault(True)
        self.safe.clicked.connect(self.reject)
        row.addWidget(self.safe)
        outer.addLayout(row)
        self.safe.setFocus()

    def _answered(self) -> None:
        number = int(self.sender().property("answer"))
        self.accept()
        self._actions[number]()
