"""The Runs place: history, plan, live view and result, and the way between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QTimer, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from desktop.application.live_run import CandidateFacts
from desktop.application.run_requests import ModelChoice, ModelSource, RunSelection
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.place import RunsPlaceBase
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.history.history_view import HistoryView
from desktop.gui.runs.live.controller import QueuedRun, RunsController
from desktop.gui.runs.live.live_view import LiveView
from desktop.gui.runs.live.queue_strip import QueueStrip
from desktop.gui.runs.plan.plan_view import PlanView
from desktop.gui.runs.result.result_view import ResultView
from desktop.gui.runs.result.unit_dialog import UnitDialog
from desktop.gui.theme import Theme
from desktop.gui.widgets.page_stack import PageStack
from desktop.gui.widgets.questions import Question
from desktop.runs.records import CandidateRecord, RunStatus, RunSummary, UnitKey
from desktop.runs.settings import RunSettings

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


class RunsPlace(RunsPlaceBase):
    """Opens on the history."""

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        *,
        now: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
        parent: QWidget | None = None,
    ) -> None:
        """now: the present with its time zone; monotonic: the clock of `Activity.since`."""
        super().__init__(parent)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._added: list[Path] = []
        self._closing: Callable[[], None] | None = None
        self._offered = False
        self.controller = RunsController(service, tasks, now=now, monotonic=monotonic, parent=self)
        self.history = HistoryView(theme, service, tasks, QueueStrip(theme, self.controller), now=now)
        self.plan = PlanView(theme, service, tasks)
        self.live = LiveView(theme, self.controller, monotonic=monotonic)
        self.result = ResultView(theme, service, tasks, now=now)
        self._stack = PageStack()
        for page in (self.history, self.plan, self.live, self.result):
            self._stack.addWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)

        self.pause_action = QAction("&Pause or go on", self)
        self.pause_action.setShortcut("Ctrl+Shift+P")
        self.skip_action = QAction("Skip &example", self)
        self.skip_model_action = QAction("Skip &model", self)
        self.stop_action = QAction("&Stop", self)
        self.stop_action.setShortcut("Ctrl+.")
        self.pause_action.triggered.connect(self.live.pause.click)
        self.skip_action.triggered.connect(self.live.skip_unit.click)
        self.skip_model_action.triggered.connect(self.live.skip_model.click)
        self.stop_action.triggered.connect(self.live.stop.click)

        self.history.opened.connect(self._open_result)
        self.history.resume_asked.connect(self.resume_run)
        self.history.start_asked.connect(self._choose_pack)
        self.history.changed.connect(self.journal_changed)
        self.history.queue.show_asked.connect(self._show_live)
        self.plan.started.connect(self._start)
        self.plan.back.connect(self.show_history)
        self.live.back.connect(self.show_history)
        self.live.matrix.matrix.cell_opened.connect(self._open_cell)
        self.result.back.connect(self.show_history)
        self.result.run_again.connect(self._run_again)
        self.result.resume_asked.connect(self.resume_run)
        self.result.edit_asked.connect(self.edit_asked)
        self.controller.begun.connect(self._begun)
        self.controller.ended.connect(self._ended)
        self.controller.queue_changed.connect(self._queue_changed)
        self._enable_actions()

    # --- what the window asks -------------------------------------------------------------------------------

    def plan_run(self, folder: Path) -> None:
        self._show(self.plan)
        self.plan.open_pack(folder, tuple(self._added))
        self.title_changed.emit(self.title())

    def add_model(self, file: Path) -> None:
        if self._stack.currentWidget() is self.plan and self.plan.pack is not None:
            self.plan.add_files([file])
        elif file not in self._added:
            self._added.append(file)

    def show_run(self, run_id: str) -> None:
        current = self.controller.current
        if current is not None and current.run_id == run_id:
            self._show_live()
        else:
            self._open_result(run_id, "")

    def enter(self) -> None:
        page = self._stack.currentWidget()
        if page is self.history:
            self.history.refresh()
        elif page is self.result:
            # The pack may have been corrected meanwhile.
            self.result.look_at_pack()

    def look_at_disk(self) -> None:
        if self.isVisible() and self._stack.currentWidget() is self.result:
            self.result.look_at_pack()

    def panes(self) -> Sequence[QWidget]:
        page = self._stack.currentWidget()
        if page is self.history:
            return (self.history.bar, self.history.table)
        if page is self.plan:
            return (self.plan.table, self.plan.options.engine, self.plan.bar)
        if page is self.live:
            live = self.live
            return (live.bar, live.table, live.matrix.matrix, live.writing, live.events)
        result = self.result
        return (result.bar, result.answer, result.figures.plot, result.models_table, result.examples.table)

    def title(self) -> str:
        page = self._stack.currentWidget()
        if page is self.live and self.live.run is not None:
            return f"Run of {self.live.run.title}"
        if page is self.result and self.result.result is not None:
            return self.result.result.report.title
        return "Runs"

    def actions_of_menu(self) -> Sequence[QAction]:
        return (self.pause_action, self.skip_action, self.skip_model_action, self.stop_action)

    def close_question(self, then: Callable[[], None]) -> bool:
        current = self.controller.current
        if current is None:
            return False
        waiting = len(self.controller.waiting)
        more = f" {waiting} more {'waits' if waiting == 1 else 'wait'}." if waiting else ""
        question = Question(
            self._theme,
            f"The run of {current.title} is going on.{more}",
            "What is finished is kept in any case, and the rest can be run later. A run in the background is "
            "shown again when Packbench is started anew; the program ends with it.",
            (
                ("Go on in the &background", "window", partial(self._to_background, then)),
                ("&Stop and keep", "stop", partial(self._stop_and_close, then)),
            ),
            "Do&n't close",
            self.window(),
        )
        question.open()
        return True

    def wind_down(self) -> None:
        current = self.controller.current
        if current is not None and current.run_id:
            self._service.remember_unfinished(current.run_id)
        self.controller.stop_all()
        self.live.rest()
        self.result.examples.close_reader()

    def offer_resume(self) -> None:
        """Ask once whether a run that did not come to its end is to be completed; nothing without one."""
        if self._offered:
            return
        self._offered = True

        self._tasks.start(lambda _cancel: self._service.take_unfinished(), self._offer, _nothing)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stack.currentWidget() is self.history:
            self.history.refresh()

    # --- between the pages ----------------------------------------------------------------------------------

    @Slot()
    def show_history(self) -> None:
        self._show(self.history)
        self.history.refresh()
        self.title_changed.emit(self.title())

    def resume_run(self, run_id: str, title: str) -> None:
        """Complete a run; its figures so far are shown from the journal."""

        def read(_cancel: CancelToken) -> tuple[list[CandidateRecord], str]:
            with self._service.reader() as reader:
                run = reader.run(run_id)
                endpoint = RunSettings.from_json(run.settings).endpoint
                return reader.candidates(run_id), ModelSource(run.backend, endpoint).receiver

        self._tasks.start(read, partial(self._resume, run_id, title), self._refused)

    def _resume(self, run_id: str, title: str, found: tuple[list[CandidateRecord], str]) -> None:
        candidates, host = found
        if host:
            self.sent_to.emit(host)
        facts = {entry.name: CandidateFacts(entry.quantization, entry.predicted_mib) for entry in candidates}
        self._follow(self.controller.resume(run_id, title, facts))

    @Slot(object, object)
    def _start(self, request: RunSelection, choices: tuple[ModelChoice, ...]) -> None:
        self._added.clear()
        if request.sent_to:
            self.sent_to.emit(request.sent_to)
        self._follow(self.controller.start(request, choices))

    def _follow(self, run: QueuedRun) -> None:
        if run is self.controller.current:
            self._show_live()
        else:
            self.show_history()

    @Slot()
    def _show_live(self) -> None:
        current = self.controller.current
        if current is None:
            self.show_history()
            return
        if self.live.run is not current:
            self.live.follow(current)
        self._show(self.live)
        self.live.stop.setFocus()
        self.title_changed.emit(self.title())

    @Slot(int, int)
    def _open_cell(self, candidate: int, position: int) -> None:
        """The unit behind a cell of the matrix; with repetitions the dialog lets one of them be chosen."""
        run = self.live.run
        if run is None or not run.run_id:
            return
        key = UnitKey(candidate, run.live.examples[position], 1)
        UnitDialog(
            self._theme, self._service, self._tasks, run.run_id, key, run.live.repetitions, self.window()
        ).open()

    @Slot()
    def _begun(self) -> None:
        current = self.controller.current
        if current is None:
            return
        if self.live.run is not current:
            self.live.follow(current)
        self._tasks.start(
            lambda _cancel: self._service.example_texts(current.run_id), partial(self._texts, current), _nothing
        )
        self.engine_said.emit(f"running {current.title}")
        self.journal_changed.emit()

    def _texts(self, run: QueuedRun, texts: Mapping[str, tuple[str, str]]) -> None:
        if self.live.run is run:
            self.live.show_texts(texts)

    @Slot(object)
    def _ended(self, run: QueuedRun) -> None:
        self.live.rest()
        self.engine_said.emit("idle")
        self.journal_changed.emit()
        watched = self._stack.currentWidget() is self.live and self.live.run is run
        if run.error:
            self.live.show_error(run)
        elif watched and run.run_id:
            self._open_result(run.run_id, run.title)
        if self._stack.currentWidget() is self.history:
            self.history.refresh()

    @Slot()
    def _queue_changed(self) -> None:
        self._enable_actions()
        current = self.controller.current
        if current is None:
            if self._closing is not None:
                then, self._closing = self._closing, None
                then()
        elif (
            self._stack.currentWidget() is self.live
            and self.live.run is not current
            and not self._error_shown()
        ):
            self._show_live()

    def _error_shown(self) -> bool:
        return self.live.run is not None and bool(self.live.run.error)

    @Slot(str, str)
    def _open_result(self, run_id: str, title: str) -> None:
        current = self.controller.current
        if current is not None and current.run_id == run_id:
            self._show_live()
            return
        self._show(self.result)
        self.result.open_run(run_id, title)
        self.title_changed.emit(self.title())

    @Slot(str)
    def _run_again(self, folder: str) -> None:
        self.plan_run(Path(folder))

    @Slot()
    def _choose_pack(self) -> None:
        dialog = QFileDialog(self, "Choose the folder of a pack")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        dialog.fileSelected.connect(self._run_again)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _show(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self._enable_actions()

    def _enable_actions(self) -> None:
        going = self.controller.running
        for action in self.actions_of_menu():
            action.setEnabled(going)

    # --- closing and coming back ----------------------------------------------------------------------------

    def _to_background(self, then: Callable[[], None]) -> None:
        """The window goes, the run goes on; the program ends when nothing is left to run."""
        self._closing = partial(self._end_program, then)
        self.window().hide()

    def come_back(self) -> None:
        """The run that went on unseen is shown, and its end ends the program no longer."""
        self._closing = None
        self._show_live()

    @staticmethod
    def _end_program(then: Callable[[], None]) -> None:
        then()
        # A window that was hidden already closes without being the last one that did.
        QTimer.singleShot(0, QCoreApplication.quit)

    def _stop_and_close(self, then: Callable[[], None]) -> None:
        self._closing = then
        current = self.controller.current
        if current is not None and current.run_id:
            self._service.remember_unfinished(current.run_id)
        self.controller.stop_all()
        if not self.controller.running:
            self._queue_changed()

    def _offer(self, run: RunSummary | None) -> None:
        if run is None or self.controller.running:
            return
        done = run.units - run.pending
        how = "was interrupted" if run.status is RunStatus.INTERRUPTED else f"is {run.status.value}"
        question = Question(
            self._theme,
            f"The run of {run.pack_name} {how}.",
            f"{done:,} of {run.units:,} answers are there and kept. The rest can be run now or later.",
            (("&Resume it", "play", partial(self.resume_run, run.id, run.pack_name)),),
            "&Not now",
            self.window(),
        )
        question.open()

    def _refused(self, error: Exception) -> None:
        self.show_history()
        self.history.message.setText(str(sentence_for(error)))
        self.history.message.show()


def _nothing(_outcome: object) -> None:
    """What could not be read is simply not shown."""
