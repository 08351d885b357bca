"""The shape of dialogs that do something with a bundle: words, fields, a message, buttons that are verbs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.announce import announce
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel

T = TypeVar("T")


class WorkDialog(QDialog):
    """`work` runs a job off the GUI thread; what goes wrong stands in the dialog, which stays open."""

    def __init__(
        self, theme: Theme, tasks: TaskRunner, title: str, message: str, verb: str, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setAccessibleDescription(message)
        self.theme = theme
        self._tasks = tasks
        self._then: Callable[[Any], None] | None = None
        px = theme.px
        self.fields = QFormLayout()
        self.fields.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.fields.setHorizontalSpacing(px(12))
        self.fields.setVerticalSpacing(px(8))
        self.below = QVBoxLayout()
        self.message = TextLabel(theme, wrap=True)
        self.message.hide()
        self.do_button = Button(theme, verb, primary=True)
        self.do_button.setDefault(True)
        self.close_button = Button(theme, "&Close")
        self.close_button.clicked.connect(self.reject)
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(px(8))
        self.buttons.addStretch(1)
        self.buttons.addWidget(self.close_button)
        self.buttons.addWidget(self.do_button)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(TextLabel(theme, title, kind=Type.SECTION, wrap=True))
        reported = TextLabel(theme, message, wrap=True)
        # A minimum of the dialog itself would let the buttons be squeezed.
        reported.setMinimumWidth(px(540))
        outer.addWidget(reported)
        outer.addLayout(self.fields)
        outer.addLayout(self.below, 1)
        outer.addWidget(self.message)
        outer.addLayout(self.buttons)

    def add_row(self, message: str, field: QWidget, *beside: QWidget, name: str = "") -> None:
        """A labelled field, with buttons beside it. name: for a screen reader, else the words."""
        row = QHBoxLayout()
        row.setSpacing(self.theme.px(8))
        row.addWidget(field, 1)
        for widget in beside:
            row.addWidget(widget)
        label = TextLabel(self.theme, message)
        label.setBuddy(field)
        field.setAccessibleName(name or message.replace("&", ""))
        self.fields.addRow(label, row)

    def say(self, message: str, tone: Tone = Tone.NEUTRAL) -> None:
        self.message.set_tone(tone)
        self.message.setText(message)
        self.message.setVisible(bool(message))
        announce(self, message)

    def work(self, message: str, job: Callable[[], T], then: Callable[[T], None]) -> None:
        """words: what is being done meanwhile."""
        self.say(message, Tone.MUTED)
        self.do_button.setEnabled(False)

        def run(_cancel: CancelToken) -> T:
            return job()

        self._then = then
        # Through methods of the dialog: what comes after it is gone is dropped.
        self._tasks.start(run, self._finished, self._failed)

    def _finished(self, result: T) -> None:
        self.do_button.setEnabled(True)
        self.say("")
        if self._then is not None:
            self._then(result)

    def _failed(self, error: Exception) -> None:
        self.do_button.setEnabled(True)
        self.say(str(sentence_for(error)), Tone.BAD)
