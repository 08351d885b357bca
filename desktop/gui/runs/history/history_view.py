"""The list of all runs: search, open, resume, note, pin, delete with undo, and how much room they take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QInputDialog, QLabel, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from desktop.application.wording import counted, size
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.history import history_model as columns
from desktop.gui.runs.history.deleted_strip import DeletedStrip
from desktop.gui.runs.history.history_model import HistoryModel
from desktop.gui.runs.live.queue_strip import QueueStrip
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import PageBar, Panel
from desktop.gui.widgets.state_delegate import StateDelegate
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import RunsDelegate
from desktop.gui.widgets.toast import Toast
from desktop.runs.records import DELETED_KEPT_DAYS, RunSummary

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

Read = tuple[list[RunSummary], int, list[RunSummary]]
"""Runs, bytes of the journal on the disk, and what is deleted and can be brought back."""
Known = dict[tuple[str, int], int]
"""(run, units that are done) -> bytes: what a run takes changes only while it is run."""


class HistoryView(QWidget):
    """`refresh` reads the journal anew, off the GUI thread."""

    opened = Signal(str, str)
    """Run id, pack name."""
    resume_asked = Signal(str, str)
    start_asked = Signal()
    """The person wants to choose a pack to run."""
    changed = Signal()
    """A run was deleted or brought back."""
    loaded = Signal()

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        queue: QueueStrip,
        *,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._loading: CancelToken | None = None
        self.toast: Toast | None = None
        self._keep = ""
        self._sizing: CancelToken | None = None
        self._known: Known = {}

        self.bar = PageBar(theme, "Runs")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search runs and notes")
        self.search.setAccessibleName("Search runs and notes")
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(theme.chars(26))
        self.open = Button(theme, "&Open", icon="open")
        self.resume = Button(theme, "Resu&me", icon="play")
        self.note = Button(theme, "&Note…", icon="note")
        self.pin = Button(theme, "P&in", icon="pin")
        self.delete = Button(theme, "&Delete", icon="delete")
        self.bar.add(self.search)
        for button in (self.open, self.resume, self.note, self.pin, self.delete):
            self.bar.add(button)

        self.queue = queue
        self.model = HistoryModel(now, self)
        self.table = Table(theme, "Runs")
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setModel(self.model)
        states = StateDelegate(theme, self.table)
        self.table.use_delegate(columns.STARTED, states)
        self.table.use_delegate(columns.STATE, states)
        self.table.use_delegate(columns.PACK, RunsDelegate(theme, self.table))
        self.table.set_widths((15, 20, None, 38, 9, 14))
        panel = Panel(theme, padding=0)
        panel.body.addWidget(self.table)
        self.empty = EmptyState(
            theme, "Runs will be listed here with their results.", "&Choose a pack to run…", icon="folder"
        )
        self.nothing = EmptyState(theme, "No run holds these words.")
        self._stack = QStackedWidget()
        for page in (panel, self.empty, self.nothing):
            self._stack.addWidget(page)
        self.deleted = DeletedStrip(theme)
        self.message = TextLabel(theme, tone=Tone.BAD, wrap=True)
        self.message.hide()

        self._page = QVBoxLayout()
        self._page.addWidget(self.queue)
        self._page.addWidget(self.message)
        self._page.addWidget(self._stack, 1)
        self._page.addWidget(self.deleted)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addLayout(self._page, 1)

        self.search.textChanged.connect(self._search)
        self.table.chosen.connect(self._open_row)
        self.table.selectionModel().currentRowChanged.connect(self._enable)
        self.model.modelReset.connect(self._enable)
        self.open.clicked.connect(self._open)
        self.resume.clicked.connect(self._resume)
        self.note.clicked.connect(self._ask_note)
        self.pin.clicked.connect(self._pin)
        self.delete.clicked.connect(self._delete)
        self.empty.asked.connect(self.start_asked)
        self.deleted.bring_back.connect(self._restore)
        self.deleted.free.connect(self._free)
        QShortcut(QKeySequence.StandardKey.Delete, self.table, self._delete)
        QShortcut(QKeySequence.StandardKey.Find, self, self.search.setFocus)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._enable()

    @property
    def current(self) -> RunSummary | None:
        index = self.table.currentIndex()
        return self.model.row(index.row()) if index.isValid() and index.row() < self.model.rowCount() else None

    def refresh(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
        present = self.current
        self._keep = present.id if present is not None else self._keep

        def read(_cancel: CancelToken) -> Read:
            with self._service.reader() as reader:
                return reader.runs(), reader.disk_bytes(), reader.runs(deleted=True)

        self._loading = self._tasks.start(read, self._loaded, self._failed)

    def _loaded(self, read: Read) -> None:
        runs, disk, deleted = read
        self.message.hide()
        self.model.set_runs(runs)
        message = f"{counted(len(runs), 'run')} · {size(disk)} on disk" if runs else ""
        self.bar.set_text("Runs", message)
        self._show_page()
        place = next((number for number, run in enumerate(self.model.rows) if run.id == self._keep), 0)
        if self.model.rowCount():
            select = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(
                self.model.index(place, 0), select.ClearAndSelect | select.Rows
            )
            if self.isVisible() and not self.search.text():
                self.table.setFocus()
        self._enable()
        self._read_sizes(runs, deleted)
        self.loaded.emit()

    def _read_sizes(self, runs: Sequence[RunSummary], deleted: Sequence[RunSummary]) -> None:
        """Behind the list: for a large run all its texts are looked through."""
        if self._sizing is not None:
            self._sizing.cancel()
        known = dict(self._known)

        def read(cancel: CancelToken) -> Known:
            found: Known = {}
            with self._service.reader() as reader:
                for run in (*runs, *deleted):
                    cancel.raise_if_cancelled()
                    key = (run.id, run.units - run.pending)
                    taken = known.get(key)
                    found[key] = reader.run_bytes(run.id) if taken is None else taken
            return found

        self._sizing = self._tasks.start(read, partial(self._sized, deleted), self._failed)

    def _sized(self, deleted: Sequence[RunSummary], known: Known) -> None:
        self._known = known
        sizes = {run_id: taken for (run_id, _), taken in known.items()}
        self.model.set_sizes(sizes)
        taken = sum(sizes[run.id] for run in deleted)
        self.deleted.show_deleted(deleted, taken, DELETED_KEPT_DAYS)

    def _failed(self, error: Exception) -> None:
        self.message.setText(str(sentence_for(error)))
        self.message.show()

    def _show_page(self) -> None:
        if self.model.rowCount():
            self._stack.setCurrentIndex(0)
        else:
            self._stack.setCurrentIndex(2 if self.model.everything else 1)

    @Slot(str)
    def _search(self, message: str) -> None:
        self.model.search(message)
        self._show_page()
        self._enable()

    @Slot()
    def _enable(self) -> None:
        run = self.current
        for button in (self.open, self.note, self.pin, self.delete):
            button.setEnabled(run is not None)
        self.resume.setEnabled(run is not None and run.resumable)
        self.pin.setText("Unp&in" if run is not None and run.pinned else "P&in")

    @Slot(int)
    def _open_row(self, row: int) -> None:
        run = self.model.row(row)
        self.opened.emit(run.id, run.pack_name)

    @Slot()
    def _open(self) -> None:
        run = self.current
        if run is not None:
            self.opened.emit(run.id, run.pack_name)

    @Slot()
    def _resume(self) -> None:
        run = self.current
        if run is not None and run.resumable:
            self.resume_asked.emit(run.id, run.pack_name)

    @Slot()
    def _ask_note(self) -> None:
        run = self.current
        if run is None:
            return
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Note")
        dialog.setLabelText("Note to the run")
        for label in dialog.findChildren(QLabel):
            label.setTextFormat(Qt.TextFormat.PlainText)
        dialog.setLabelText(f"Note to the run of {run.pack_name}")
        dialog.setTextValue(run.note)
        dialog.setOkButtonText("Keep the note")
        dialog.setCancelButtonText("Leave it as it was")
        dialog.textValueSelected.connect(partial(self._set_note, run.id))
        dialog.open()

    def _set_note(self, run_id: str, note: str) -> None:
        self._change(lambda: self._service.set_note(run_id, note))

    @Slot()
    def _pin(self) -> None:
        run = self.current
        if run is not None:
            self._change(lambda: self._service.set_pinned(run.id, not run.pinned))

    @Slot()
    def _delete(self) -> None:
        run = self.current
        if run is not None:
            message = f"The run of {run.pack_name} is deleted."
            self._change(lambda: self._service.delete(run.id), partial(self._deleted, run.id, message))

    def _deleted(self, run_id: str, message: str) -> None:
        if self.toast is None:
            self.toast = Toast(self._theme, self.window(), fade=False)
        self.toast.show_text(message, undo=partial(self._restore, run_id))
        self.changed.emit()

    @Slot()
    def _free(self) -> None:
        self._change(self._service.free_deleted)

    @Slot(str)
    def _restore(self, run_id: str) -> None:
        self._keep = run_id
        self._change(lambda: self._service.restore(run_id), self.changed.emit)

    def _change(self, work: Callable[[], None], then: Callable[[], None] | None = None) -> None:
        """Write to the journal off the GUI thread, then read the list anew."""
        self._tasks.start(lambda _cancel: work(), partial(self._done, then), self._failed)

    def _done(self, then: Callable[[], None] | None, _nothing: None) -> None:
        if then is not None:
            then()
        self.refresh()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._page.setContentsMargins(px(16), px(12), px(16), px(16))
        self._page.setSpacing(px(12))
