"""Asks for another engine or server and lists its models, to try examples on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.application.try_examples import TryModel
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.dialog_size import open_as_wide_as
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.source_fields import SourceFields
from desktop.inference.backends.source import ModelSource

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


class OtherModelsDialog(QDialog):
    """Nothing is asked of another computer before the person has allowed it here."""

    found = Signal(object)
    """list[TryModel], at least one."""

    def __init__(
        self, theme: Theme, service: RunService, tasks: TaskRunner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Models of a server")
        self._service = service
        self._tasks = tasks
        self._looking: CancelToken | None = None
        self.fields = SourceFields("Examples may be sent to another co&mputer", self, built_in=False)
        self.message = TextLabel(theme, "", wrap=True)
        self.find_button = Button(theme, "&Find its models", icon="search", primary=True)
        self.find_button.setDefault(True)
        back = Button(theme, "Go &back")
        px = theme.px
        form = QGridLayout()
        form.setHorizontalSpacing(px(12))
        form.setVerticalSpacing(px(8))
        form.setColumnStretch(1, 1)
        for row, (message, field) in enumerate(
            (("&Server", self.fields.engine), ("&Address", self.fields.address))
        ):
            label = TextLabel(theme, message)
            label.setBuddy(field)
            form.addWidget(label, row, 0)
            form.addWidget(field, row, 1)
        form.addWidget(self.fields.remote, 2, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(back)
        buttons.addWidget(self.find_button)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(TextLabel(theme, "Which server has the models?", kind=Type.SECTION, wrap=True))
        outer.addLayout(form)
        outer.addWidget(self.message)
        outer.addLayout(buttons)
        open_as_wide_as(self, theme, 480)
        self.find_button.clicked.connect(self._find)
        self.fields.changed.connect(self._clear)
        back.clicked.connect(self.reject)
        self.finished.connect(self._give_up)
        self._clear()
        self.fields.engine.setFocus()

    @Slot()
    def _find(self) -> None:
        source = self.fields.source
        self._say("Asking for the models …", Tone.MUTED)
        self.find_button.setEnabled(False)
        self._looking = self._tasks.start(
            lambda _cancel: self._service.models_of(source), partial(self._found, source), self._not_found
        )

    def _found(self, source: ModelSource, models: list[TryModel]) -> None:
        self.find_button.setEnabled(True)
        if source != self.fields.source:
            self._clear()
        elif models:
            self.found.emit(models)
            self.accept()
        else:
            self._say("This server lists no model. Load or pull one there first.", Tone.BAD)

    def _not_found(self, error: Exception) -> None:
        self.find_button.setEnabled(True)
        self._say(str(sentence_for(error)), Tone.BAD)

    @Slot()
    def _clear(self) -> None:
        source = self.fields.source
        sent = bool(source.host) and source.remote_allowed
        where = f"Examples that you try are sent to {source.host}." if sent else ""
        self._say(where or "Without a tick nothing leaves this computer.", Tone.WARN if where else Tone.MUTED)

    @Slot()
    def _give_up(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    def _say(self, message: str, tone: Tone) -> None:
        self.message.setText(message)
        self.message.set_tone(tone)
