"""From notes to a drafted pack: what was read, who drafts and why, the stages as they go, and Stop."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from desktop.application.draft_pack import Drafters
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import EventBuffer, Lane, TaskRunner
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.dialog_size import open_as_large_as, scrolled
from desktop.gui.widgets.elided_box import ElidedBox
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.progress_line import ProgressLine
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import one_line
from desktop.ingest.documents.model import DocumentText
from desktop.ingest.drafting.model import (
    AnswerComes,
    DraftedExample,
    DraftEvent,
    ExampleAdded,
    StageDone,
    StageStarted,
)
from desktop.ingest.drafting.service import DraftedFolder
from packs.numbers import duration
from packs.task.new_pack import kebab

if TYPE_CHECKING:
    from desktop.application.draft_service import DraftService


class DraftingAssistant(QDialog):
    """Stop keeps what is there. Closing while a draft goes on stops it first."""

    made = Signal(object)
    """Path of the new pack's folder: it is to be reviewed now."""

    def __init__(
        self,
        theme: Theme,
        tasks: TaskRunner,
        service: DraftService,
        file: Path,
        documents: Path,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tasks = tasks
        self._service = service
        self._file = file
        self._document: DocumentText | None = None
        self._drafters: Drafters | None = None
        self._work: CancelToken | None = None
        self._stopping = threading.Event()
        self._closing = False
        self._was_ready = False
        self._share: float | None = None
        self._message = ""
        self._since = QElapsedTimer()
        self.seconds = QTimer(self)
        self.seconds.setInterval(1000)
        self.seconds.timeout.connect(self._show_progress)
        self._events = EventBuffer(self)
        self._events.batch.connect(self._show_events)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(f"Draft a pack from {file.name}")
        self._build(documents)
        open_as_large_as(self, theme, 820, 620)
        tasks.start(self._read_job, self._read, self._failed)
        tasks.start(self._drafters_job, self._drafters_found, self._failed)

    def _build(self, documents: Path) -> None:
        theme, px = self._theme, self._theme.px
        name = kebab(self._file.stem) or "drafted-task"
        self.heading = TextLabel(theme, self._file.name, kind=Type.SECTION, elide=True)
        self.read_message = TextLabel(theme, "Reading …", tone=Tone.MUTED, wrap=True)
        self.model_box = ElidedBox("Model that drafts", 20)
        self.reason = TextLabel(theme, "Looking for models …", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.count_box = QSpinBox()
        self.count_box.setRange(10, 200)
        self.count_box.setValue(24)
        self.count_box.setAccessibleName("Examples wanted")
        self.count_box.lineEdit().setAccessibleName("Examples wanted")
        self.folder_line = QLineEdit(str(documents / name))
        self.folder_line.setAccessibleName("Folder of the pack")
        self.browse_button = Button(theme, "&Browse…", icon="folder")
        self.progress = ProgressLine(theme)
        self.writing = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        self.rows = RowsModel[DraftedExample](
            [
                Column("Input", lambda row: one_line(row.input[:300]), tooltip=lambda row: row.input),
                Column("Expected", lambda row: one_line(str(row.expected)[:100])),
                Column("From", lambda row: row.where or "–"),
            ],
            self,
        )
        self.table = Table(theme, "Drafted examples")
        self.table.setModel(self.rows)
        self.table.set_widths((None, 18, 20))
        self.message = TextLabel(theme, "", tone=Tone.BAD, wrap=True)
        self.message.hide()
        self.close_button = Button(theme, "&Close")
        self.stop_button = Button(theme, "&Stop and keep", icon="stop")
        self.start_button = Button(theme, "&Draft the pack", icon="play", primary=True)
        self.start_button.setDefault(True)
        self.stop_button.hide()
        form = QGridLayout()
        # The reason stands right under the model that it is for.
        for row, (label, widget) in {
            0: ("&Model", self.model_box),
            2: ("E&xamples", self.count_box),
            3: ("&Folder", self.folder_line),
        }.items():
            message = TextLabel(theme, label)
            message.setBuddy(widget)
            form.addWidget(message, row, 0)
            form.addWidget(widget, row, 1)
        form.addWidget(self.reason, 1, 1)
        form.addWidget(self.browse_button, 3, 2)
        form.setColumnStretch(1, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self.close_button, self.stop_button, self.start_button):
            buttons.addWidget(button)
        self.table.setMinimumHeight(theme.row_height() * 5)
        note = (
            "Examples are listed here as they come. Their expected answers are the model's: you review every "
            "example before a result means anything."
        )
        content = QWidget()
        body = QVBoxLayout(content)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(px(10))
        body.addWidget(self.heading)
        body.addWidget(self.read_message)
        body.addLayout(form)
        body.addWidget(self.progress)
        body.addWidget(self.writing)
        body.addWidget(self.table, 1)
        body.addWidget(TextLabel(theme, note, kind=Type.SMALL, tone=Tone.MUTED, wrap=True))
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(16), px(16), px(16), px(16))
        outer.setSpacing(px(10))
        outer.addWidget(scrolled(content), 1)
        outer.addWidget(self.message)
        outer.addLayout(buttons)
        self.close_button.clicked.connect(self.close)
        self.stop_button.clicked.connect(self.stop)
        self.start_button.clicked.connect(self.begin)
        self.browse_button.clicked.connect(self._browse)
        self.model_box.activated.connect(self._model_chosen)
        self._enable()

    # Before

    def _read_job(self, _cancel: CancelToken) -> DocumentText:
        return self._service.read(self._file)

    def _drafters_job(self, _cancel: CancelToken) -> Drafters:
        return self._service.drafters()

    def _read(self, document: DocumentText) -> None:
        self._document = document
        pages = f", {document.pages} pages" if document.pages else ""
        message = [f"{document.kind}{pages}, {len(document.text):,} characters read.", *document.left_out[:5]]
        self.read_message.setText(" ".join(message))
        self._enable()

    def _drafters_found(self, drafters: Drafters) -> None:
        self._drafters = drafters
        for model in drafters.models:
            self.model_box.addItem(model.name, model.name)
        try:
            choice = drafters.choose()
        except Exception as error:
            said = sentence_for(error)
            self.reason.setText(f"{said.message} {said.fix}")
            self.reason.set_tone(Tone.BAD)
        else:
            self.model_box.setCurrentIndex(max(self.model_box.findData(choice.model.name), 0))
            self.reason.setText(choice.reason)
        self._enable()

    @Slot()
    def _model_chosen(self) -> None:
        if self._drafters is not None:
            self.reason.setText(self._drafters.choose(self.model_box.currentData()).reason)

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self, "Where the pack is to be", str(Path(self.folder_line.text()).parent))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self._folder_chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def _folder_chosen(self, folder: str) -> None:
        self.folder_line.setText(str(Path(folder) / (kebab(self._file.stem) or "drafted-task")))

    def _enable(self) -> None:
        ready = self._document is not None and self.model_box.count() > 0
        self.start_button.setEnabled(ready and self._work is None)
        for widget in (self.model_box, self.count_box, self.folder_line, self.browse_button):
            widget.setEnabled(self._work is None)
        if ready and not self._was_ready:
            self._was_ready = True
            self.start_button.setFocus()

    # Drafting

    @Slot()
    def begin(self) -> None:
        if self._document is None or self._drafters is None or self._work is not None:
            return
        self._complain("")
        self.rows.set_rows([])
        self._stopping.clear()
        self._share = None
        self._since.start()
        self.seconds.start()
        self._events.start()
        job = partial(
            self._draft_job,
            self._document,
            self._drafters,
            str(self.model_box.currentData()),
            Path(self.folder_line.text()).expanduser(),
            self.count_box.value(),
        )
        self._say(f"Waiting until the engine is free, then loading {self.model_box.currentText()} …")
        self._work = self._tasks.start(
            job, self._done, self._failed, on_cancelled=self._cancelled, lane=Lane.RUN
        )
        self.start_button.hide()
        self.stop_button.show()
        self.stop_button.setEnabled(True)
        self.stop_button.setFocus()
        self._enable()

    def _draft_job(
        self,
        document: DocumentText,
        drafters: Drafters,
        model: str,
        target: Path,
        wanted: int,
        cancel: CancelToken,
    ) -> DraftedFolder:
        return self._service.draft(
            document,
            drafters,
            model,
            target,
            self._events.push,
            cancel=cancel,
            stop_asked=self._stopping.is_set,
            wanted=wanted,
        )

    @Slot()
    def stop(self) -> None:
        """Keep what is there: the answer being written is given up, nothing else."""
        if self._work is None:
            return
        self._say("Stopping; what is there is kept …")
        self.stop_button.setEnabled(False)
        self._stopping.set()
        self._work.cancel()

    def _say(self, message: str) -> None:
        """What happens now, over the line."""
        self.writing.setText("")
        self._message = message
        self._show_progress()

    @Slot()
    def _show_progress(self) -> None:
        """The seconds count on where a small model takes a minute for one answer."""
        so_far = f"{duration(self._since.elapsed() / 1000)} so far" if self.seconds.isActive() else ""
        self.progress.show_state(self._message, so_far, self._share)

    @Slot(list)
    def _show_events(self, events: list[DraftEvent]) -> None:
        added = [event for event in events if isinstance(event, ExampleAdded)]
        self.rows.append([event.example for event in added])
        if added:
            self._share = min(added[-1].number / max(added[-1].wanted, 1), 1.0)
            self.table.scrollToBottom()
        for event in events:
            match event:
                case StageStarted():
                    self._say(f"Step {event.stage} of {event.of}: {event.message} …")
                case StageDone():
                    self._say(f"Step {event.stage} is done: {event.message}")
                case ExampleAdded():
                    self._say(f"Drafting: {event.number} of {event.wanted} examples")
                case AnswerComes():
                    self.writing.setText(coming(event))

    def _done(self, made: DraftedFolder) -> None:
        self._events.stop()
        self.seconds.stop()
        self._work = None
        self.stop_button.hide()
        self.start_button.show()
        self._enable()
        if made.folder is not None:
            self.made.emit(made.folder)
            self.accept()
            return
        kept = f" What it answered is kept in {made.saved_answers}." if made.saved_answers else ""
        why = f" {made.fault}" if made.fault else ""
        self._say("")
        self._complain(f"No pack could be made of what the model answered.{why}{kept}")
        if self._closing:
            self.reject()

    def _cancelled(self) -> None:
        self._events.stop()
        self.seconds.stop()
        self._work = None
        self.stop_button.hide()
        self.start_button.show()
        self._say("Stopped before anything was drafted.")
        self._enable()
        if self._closing:
            self.reject()

    def _failed(self, error: Exception) -> None:
        said = sentence_for(error)
        self._complain(f"{said.message} {said.fix}".strip())
        if self._document is None and self._work is None:
            self.read_message.setText("")
        self._cancelled()
        self._say("")

    def _complain(self, message: str) -> None:
        self.message.setText(message)
        self.message.setVisible(bool(message))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._work is not None:
            self._closing = True
            self.stop()
            event.ignore()
            return
        super().closeEvent(event)

    def reject(self) -> None:
        """Esc: stops a draft that goes on, closes otherwise."""
        if self._work is not None:
            self._closing = True
            self.stop()
            return
        super().reject()


def coming(event: AnswerComes) -> str:
    """What the model does right now, in one line."""
    if event.written:
        more = "… " if event.written > len(event.tail) else ""
        return f"Writing: {more}{one_line(event.tail)}"
    if event.of_tokens:
        return f"Reading: {event.read_tokens:,} of {event.of_tokens:,} tokens"
    return "Reading …"
