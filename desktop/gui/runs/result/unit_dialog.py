"""One unit of the run at work, read from the journal when a person opens its cell."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.result.unit_detail import DetailSource, UnitDetail, read_unit_detail
from desktop.gui.runs.result.unit_panel import UnitPanel
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.runs.records import UnitKey

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


class UnitDialog(QDialog):
    """Reading only; the run goes on meanwhile. With repetitions one of them is chosen at the top."""

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        run_id: str,
        key: UnitKey,
        repetitions: int = 1,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._tasks = tasks
        self._run_id = run_id
        self._key = key
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Example {key.example}")
        self.title = TextLabel(theme, f"Example {key.example}", kind=Type.PAGE)
        self.message = TextLabel(theme, "Reading…", tone=Tone.MUTED, wrap=True)
        self.unit = UnitPanel(theme)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self.unit)
        self._scroll.setAccessibleName("The answer")
        self._scroll.hide()
        close = Button(theme, "&Close", primary=True)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        head = QHBoxLayout()
        self.repetition = QComboBox()
        self.repetition.setAccessibleName("Repetition")
        for number in range(1, repetitions + 1):
            self.repetition.addItem(f"Repetition {number} of {repetitions}", number)
        self.repetition.setCurrentIndex(max(0, key.repetition - 1))
        self.repetition.setVisible(repetitions > 1)
        self.repetition.currentIndexChanged.connect(self._read)
        head.addWidget(self.title, 1)
        head.addWidget(self.repetition)
        head.addWidget(close)
        outer = QVBoxLayout(self)
        px = theme.px
        outer.setContentsMargins(px(16), px(12), px(16), px(16))
        outer.setSpacing(px(8))
        outer.addLayout(head)
        outer.addWidget(self.message)
        outer.addWidget(self._scroll, 1)
        self.resize(theme.chars(110), px(560))
        self._read()
        if repetitions > 1:
            self.repetition.setFocus()

    @Slot()
    def _read(self) -> None:
        """The unit that is chosen; an answer that comes for another one meanwhile is not shown."""
        key = self._key = replace(self._key, repetition=int(self.repetition.currentData()))
        self.message.set_tone(Tone.MUTED)
        self.message.setText("Reading…")
        self.message.show()
        service, run_id = self._service, self._run_id

        def read(_cancel: CancelToken) -> UnitDetail | None:
            with service.reader() as reader:
                return read_unit_detail(reader, DetailSource.of_run(reader, run_id), key)

        self._tasks.start(read, partial(self._show, key), partial(self._failed, key))

    def _show(self, key: UnitKey, detail: UnitDetail | None) -> None:
        if key != self._key:
            return
        if detail is None or detail.unit.outcome is None:
            self._scroll.hide()
            self.message.setText("This one has not been answered yet.")
            return
        self.message.hide()
        self.unit.show_detail(detail)
        self._scroll.show()

    def _failed(self, key: UnitKey, error: Exception) -> None:
        if key == self._key:
            self.message.set_tone(Tone.BAD)
            self.message.setText(str(sentence_for(error)))
