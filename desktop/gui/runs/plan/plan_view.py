"""The plan: which models, how, and what it will cost. Start is one key away."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from desktop.application.run_requests import (
    BUILT_IN,
    Forecast,
    ModelChoice,
    ModelSource,
    PackFacts,
    RunSelection,
)
from desktop.application.wording import counted, gib, time_range
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.plan import plan_model as columns
from desktop.gui.runs.plan.plan_model import PlanModel
from desktop.gui.runs.plan.plan_options import PlanOptions
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.chip import ChipDelegate
from desktop.gui.widgets.drop_area import accept_as_copy
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import PageBar, Panel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import RunsDelegate
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

SETTLE_MS = 150
"""So long nothing may change before the forecast is asked for."""


class PlanView(QWidget):
    """Begins with `open_pack`. `started` carries the wish and the choices behind it."""

    started = Signal(object, object)
    """RunSelection, tuple[ModelChoice, ...]."""
    back = Signal()

    def __init__(
        self, theme: Theme, service: RunService, tasks: TaskRunner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._pack: PackFacts | None = None
        self._asked: CancelToken | None = None
        self.setAcceptDrops(True)

        self.bar = PageBar(theme, "Run a pack")
        self.cancel = Button(theme, "&Not now")
        self.start = Button(theme, "&Start", icon="play", primary=True, key="Ctrl+Return")
        self.bar.add(self.cancel)
        self.bar.add(self.start)

        self.model = PlanModel(self)
        self.table = Table(theme, "Models to run")
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setModel(self.model)
        self.table.use_delegate(columns.NAME, RunsDelegate(theme, self.table))
        self.table.use_delegate(columns.FIT, ChipDelegate(theme, self.table))
        self.table.set_widths((3, None, 17, 11, 11), least=30)
        self.table.installEventFilter(self)
        self.add_file = Button(theme, "&Add a model file…", icon="model")
        models = Panel(theme, "Models", "Space chooses · GGUF files can be dropped", padding=0, ruled=True)
        models.heading.addWidget(self.add_file)
        models.body.addWidget(self.table, 1)
        self.reason = TextLabel(theme, tone=Tone.MUTED, wrap=True)
        self.reason.setAccessibleName("Why the chosen row fits or does not")
        self._reason_row = QHBoxLayout()
        self._reason_row.addWidget(self.reason)
        models.body.addLayout(self._reason_row)

        self.options = PlanOptions(theme)

        self.cost = TextLabel(theme, bold=True, wrap=True)
        self.notes = TextLabel(theme, kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.problem = TextLabel(theme, tone=Tone.BAD, wrap=True)
        cost = Panel(theme, "What it will cost", ruled=True)
        for part in (self.cost, self.problem, self.notes):
            cost.body.addWidget(part)
        cost.body.addStretch(1)

        side = QVBoxLayout()
        side.addWidget(self.options)
        side.addWidget(cost, 1)
        self._side = side
        self._row = QHBoxLayout()
        self._row.addWidget(models, 5)
        self._row.addLayout(side, 3)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addLayout(self._row, 1)

        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._ask_forecast)
        self.model.ticked.connect(self._changed)
        self.options.changed.connect(self._changed)
        self.options.source_changed.connect(self._find_again)
        self.table.selectionModel().currentRowChanged.connect(self._report_reason)
        self.add_file.clicked.connect(self._choose_file)
        self.cancel.clicked.connect(self.back)
        self.start.clicked.connect(self._start)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._enable()

    @property
    def pack(self) -> PackFacts | None:
        return self._pack

    def open_pack(self, folder: Path, models: tuple[Path, ...] = ()) -> None:
        """Read the pack and find the models; `models` are files to add and tick."""
        self._pack = None
        self.bar.set_text(f"Run {folder.name}", "reading the pack…")
        self.model.set_rows([])
        self._set_problem("")
        self.cost.setText("")
        self.notes.setText("")
        self._enable()

        def read(_cancel: CancelToken) -> tuple[PackFacts, list[ModelChoice], RunSelection | None]:
            pack = self._service.open_pack(folder)
            last = self._service.last_request(folder)
            try:
                choices = self._service.choices(pack, last.source if last else BUILT_IN)
            except AppError:
                # The server of the last time does not answer: begin with the built-in engine.
                choices, last = self._service.choices(pack), None
            for file in models:
                choices.append(self._service.choice_of_file(file, pack))
            return pack, choices, last

        self._tasks.start(read, self._opened, self._not_opened)

    def request(self) -> RunSelection | None:
        """What is chosen now; None while nothing can be run."""
        pack, chosen = self._pack, self.model.chosen()
        if pack is None or pack.errors or not chosen:
            return None
        bare = RunSelection(pack.folder, pack.name, tuple(choice.model for choice in chosen))
        return self.options.apply_to(bare, pack)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            watched is self.table
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Space
            and self.table.currentIndex().isValid()
        ):
            self.model.toggle(self.table.currentIndex().row())
            return True
        return super().eventFilter(watched, event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._pack is not None and event.mimeData().hasUrls():
            accept_as_copy(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        accept_as_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        accept_as_copy(event)
        self.add_files(files)

    def add_files(self, files: list[Path]) -> None:
        """Model files that were dropped or chosen; each is looked at off the window's thread."""
        pack = self._pack
        if pack is None:
            return
        self._set_problem("")
        for file in files:
            self._tasks.start(
                lambda _cancel, file=file: self._service.choice_of_file(file, pack),  # type: ignore[misc]
                self._file_added,
                self._file_refused,
            )

    def _opened(self, found: tuple[PackFacts, list[ModelChoice], RunSelection | None]) -> None:
        pack, choices, last = found
        self._pack = pack
        self.bar.set_text(
            f"Run {pack.name}",
            f"{counted(pack.examples, 'example')} · {pack.scorer} · context {pack.context_tokens:,} tokens",
        )
        self.options.set_source(last.source if last else BUILT_IN)
        self.options.set_pack(pack, last)
        self._show_choices(choices, last)

    def _show_choices(self, choices: list[ModelChoice], last: RunSelection | None) -> None:
        pack = self._pack
        assert pack is not None
        remembered = [model.name for model in last.models] if last else None
        present = {choice.model.name for choice in choices}
        if remembered is not None and not present & set(remembered):
            remembered = None
        self.model.set_choices(choices, remembered)
        if self.model.rowCount():
            select = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(
                self.model.index(0, columns.NAME), select.ClearAndSelect | select.Rows
            )
            self.table.setFocus()
        self._report_reason()
        if pack.errors:
            self._set_problem(
                f"This pack has {counted(pack.errors, 'problem')} and cannot be run yet. Mend it in Pack first."
            )
        elif not choices and self.options.source == BUILT_IN:
            self._set_problem("There is no model here yet. Add a GGUF file.")
        elif not choices:
            self._set_problem("This server lists no model. Load or pull one there first.")
        else:
            self._set_problem("")
        self._enable()

    @Slot()
    def _find_again(self) -> None:
        """Another engine or server: other models."""
        pack = self._pack
        if pack is None:
            return
        source = self.options.source
        self.model.set_choices([], None)
        self._set_problem("")
        self.cost.setText("Asking for the models…")
        self.notes.setText("")
        self._tasks.start(
            lambda _cancel: self._service.choices(pack, source),
            partial(self._found_again, source),
            self._not_found,
        )

    def _found_again(self, source: ModelSource, choices: list[ModelChoice]) -> None:
        if source == self.options.source and self._pack is not None:
            self.cost.setText("")
            self._show_choices(choices, None)

    def _not_found(self, error: Exception) -> None:
        self.cost.setText("")
        self._set_problem(str(sentence_for(error)))

    def _not_opened(self, error: Exception) -> None:
        self.bar.set_text("Run a pack")
        self._set_problem(str(sentence_for(error)))
        self._enable()

    @Slot()
    def _report_reason(self) -> None:
        index = self.table.currentIndex()
        row = self.model.row(index.row()) if index.isValid() and index.row() < self.model.rowCount() else None
        message = "" if row is None else row.reason
        self.reason.setText(message)
        self.reason.setAccessibleDescription(message)

    def _set_problem(self, message: str) -> None:
        self.problem.setText(message)
        self.problem.setVisible(bool(message))

    def _file_added(self, choice: ModelChoice) -> None:
        row = self.model.add_choice(choice)
        self.table.selectRow(row)

    def _file_refused(self, error: Exception) -> None:
        self._set_problem(str(sentence_for(error)))

    @Slot()
    def _changed(self) -> None:
        self._enable()
        self._settle.start()

    def _enable(self) -> None:
        ready = self.request() is not None
        self.start.setEnabled(ready)
        self.add_file.setEnabled(self._pack is not None and self.options.source == BUILT_IN)
        if (
            self._pack is not None
            and not self._pack.errors
            and self.model.rowCount()
            and not self.model.chosen()
        ):
            self.cost.setText("Choose at least one model.")
            self.notes.setText("")

    @Slot()
    def _ask_forecast(self) -> None:
        request = self.request()
        if self._asked is not None:
            self._asked.cancel()
        if request is None:
            return
        self._asked = self._tasks.start(
            lambda _cancel: self._service.forecast(request),
            partial(self._reported, request),
            self._not_reported,
        )

    def _reported(self, request: RunSelection, forecast: Forecast) -> None:
        if request != self.request():
            return
        self.cost.setText(cost_text(forecast))
        notes = list(forced_text(self.model.chosen()))
        if not forecast.measured:
            notes.append("The time is a rule of thumb until a model has run on this computer.")
        notes += [f"{name} is left out: {why}" for name, why in forecast.left_out]
        self.notes.setText("\n".join(notes))

    def _not_reported(self, error: Exception) -> None:
        self.cost.setText("How long it will take is not known.")
        self.notes.setText(str(sentence_for(error)))

    @Slot()
    def _choose_file(self) -> None:
        dialog = QFileDialog(self, "Add a model file", "", "Models (*.gguf)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._files_chosen)
        dialog.open()

    @Slot(list)
    def _files_chosen(self, names: list[str]) -> None:
        self.add_files([Path(name) for name in names])

    @Slot()
    def _start(self) -> None:
        request = self.request()
        if request is not None:
            self.started.emit(replace(request), self.model.chosen())

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(16), px(12), px(16), px(16))
        self._row.setSpacing(px(12))
        self._side.setSpacing(px(12))
        self._reason_row.setContentsMargins(px(12), px(8), px(12), px(10))


def cost_text(forecast: Forecast) -> str:
    """'60 answers in 4 to 7 minutes, with up to 0.52 GiB of memory; 9.10 are free now.'"""
    message = f"{counted(forecast.units, 'answer')} in {time_range(forecast.low_s, forecast.high_s)}"
    if forecast.memory_mib is not None:
        message += f", with up to {gib(forecast.memory_mib)} GiB of memory"
        if forecast.free_mib is not None:
            message += f"; {gib(forecast.free_mib)} are free now"
    return f"{message}."


def forced_text(chosen: tuple[ModelChoice, ...]) -> list[str]:
    """What running models that do not fit will mean."""
    return [
        f"{choice.model.name} does not fit and is run all the same: the computer may become slow, "
        "and the model may run out of memory. That counts as no wrong answer."
        for choice in chosen
        if choice.verdict == "does-not-fit"
    ]
