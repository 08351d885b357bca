"""The Models place: the machine's card, the settings, the table, and the chosen model in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QSplitter, QVBoxLayout, QWidget

from desktop.application.model_entries import ModelRow, Workbench
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.place import Place
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.models.controls import Controls
from desktop.gui.models.correct_dialog import CorrectDialog
from desktop.gui.models.detail import DetailPanel
from desktop.gui.models.finder import ModelFinder
from desktop.gui.models.machine_card import MachineCard
from desktop.gui.models.models_table import ModelsTable
from desktop.gui.models.other_programs import OtherPrograms
from desktop.gui.models.sources import SourcesControl
from desktop.gui.models.sum_view import Legend
from desktop.gui.models.trial import TrialControl
from desktop.gui.theme import Theme
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.drop_area import accept_as_copy
from desktop.gui.widgets.empty_state import EmptyState
from desktop.gui.widgets.page_stack import PageStack
from desktop.gui.widgets.panel import PageBar
from desktop.inference.machine.corrections import Corrections
from desktop.inference.machine.machine import MemoryReading
from desktop.inference.machine.machine_report import machine_text
from desktop.inference.memory_fit.estimator import Estimator
from desktop.inference.memory_fit.fit import BASE_MIB
from desktop.inference.memory_fit.verdict import Remedy, RemedyKind
from desktop.inference.model_files.catalogue import CatalogueModel
from desktop.inference.model_files.library import FoundModel

if TYPE_CHECKING:
    from desktop.application.model_service import ModelService

SETTLE_MS = 60
AT_ONCE = 100
"""With more rows only those in sight follow a slider at once, the others when it rests."""
SETTLED_MIB = 48.0
"""Free memory moves all the time; smaller steps change no verdict worth a repaint."""
NOTHING = "No model was found on this computer. Add a GGUF file, or see in the catalogue which would fit."


class ModelsPlace(Place):
    run_asked = Signal(list)
    """list[Path]: run the open pack on these."""
    reported = Signal(str)
    """Something worth a toast."""

    def __init__(
        self, theme: Theme, service: ModelService, tasks: TaskRunner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.service = service
        self._tasks = tasks
        self._bench: Workbench | None = None
        self._found: list[FoundModel] = []
        self._catalogue: Sequence[CatalogueModel] = ()
        self._least_context: int | None = None
        self._shown_once = False
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._recompute)
        self.setAcceptDrops(True)
        self._build()
        self.trial = TrialControl(service, tasks, self.detail)
        self.programs = OtherPrograms(service, tasks, self.detail)
        self.finder = ModelFinder(service, tasks, self)
        self.sources = SourcesControl(theme, service, tasks, self)
        self.add_button.setMenu(self.sources.menu)
        self._connect()
        theme.changed.connect(self._restyle)
        self._restyle()

    # --- making ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        theme = self._theme
        self.bar = PageBar(theme, "Models", "looking…")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a model")
        self.search.setAccessibleName("Find a model")
        self.search.setClearButtonEnabled(True)
        self.add_button = Button(theme, "&Add a model…", icon="plus")
        self.run_button = Button(theme, "&Run selected…", icon="play", primary=True)
        self.run_button.setEnabled(False)
        for widget in (self.search, self.add_button, self.run_button):
            self.bar.add(widget)
        self.card = MachineCard(theme)
        self.controls = Controls(theme)
        self.table = ModelsTable(theme)
        self.model, self.filter = self.table.rows_model, self.table.rows_filter
        self.legend = Legend(theme)
        self.empty = EmptyState(theme, NOTHING, "&Add a model…", icon="plus")
        self._stack = PageStack()
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.empty)
        self.detail = DetailPanel(theme)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack, 1)
        column.addWidget(self.legend)
        self._upper = column
        self.split = QSplitter(Qt.Orientation.Vertical)
        self.split.setChildrenCollapsible(False)
        self.split.addWidget(upper)
        self.split.addWidget(self.detail)
        self.split.setStretchFactor(0, 1)
        self.split.setStretchFactor(1, 0)
        self._inside = QVBoxLayout()
        self._inside.addWidget(self.card)
        self._inside.addWidget(self.controls)
        self._inside.addWidget(self.split, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.bar)
        outer.addLayout(self._inside, 1)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._refilter)
        self.controls.changed.connect(self._follow)
        self.controls.filtered.connect(self._refilter)
        self.card.correct_asked.connect(self._ask_corrections)
        self.card.copy_asked.connect(self._copy)
        self.empty.asked.connect(self.sources.choose_files)
        self.sources.changed.connect(self.finder.refresh)
        self.sources.reported.connect(self.reported)
        self.run_button.clicked.connect(self._run)
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.table.chosen.connect(self._opened)
        self.table.horizontalHeader().sortIndicatorChanged.connect(self._sort)
        self.detail.remedy_asked.connect(self._remedy)
        self.detail.try_asked.connect(self._try)
        self.detail.stop_asked.connect(self.trial.stop)
        self.finder.machine_known.connect(self._show_estimator)
        self.finder.found.connect(self._show_found)
        self.finder.catalogue_known.connect(self._show_catalogue)
        self.finder.memory_known.connect(self._show_memory)
        self.finder.failed.connect(self.reported)
        self.trial.ended.connect(self._trial_ended)

    # --- the place ------------------------------------------------------------------------------------------

    def panes(self) -> Sequence[QWidget]:
        return (self.search, self.controls.slider, self.table, self.detail.prompt)

    def heightForWidth(self, width: int) -> int:
        """What it needs, not what it likes: the page scrolls only where it must, the table takes the rest."""
        layout = self.layout()
        return layout.minimumHeightForWidth(width) if layout is not None else super().heightForWidth(width)

    def start_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def wind_down(self) -> None:
        self._settle.stop()
        self.finder.watch_memory(False)
        self.finder.stop()
        self.trial.stop()

    def set_pack(self, name: str, context_tokens: int | None, needed_tokens: int | None) -> None:
        """The open task pack: the slider takes its context, a mark shows what it needs. None: not known."""
        self._least_context = needed_tokens
        self.controls.set_pack(name, context_tokens, needed_tokens)
        self._recompute()

    def look_again(self) -> None:
        """Files were added elsewhere; not asked for before the place was first shown."""
        if self._shown_once:
            self.finder.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.finder.watch_memory(True)
        if not self._shown_once:
            self._shown_once = True
            self.finder.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        self.finder.watch_memory(False)
        super().hideEvent(event)

    # --- what comes from the finder -------------------------------------------------------------------------

    @Slot(object)
    def _show_estimator(self, estimator: Estimator) -> None:
        if self._bench is None:
            self._bench = Workbench(estimator)
        else:
            self._bench.set_estimator(estimator)
        self.card.show_machine(estimator.machine)
        self._recompute()

    @Slot(list)
    def _show_found(self, models: list[FoundModel]) -> None:
        first = bool(models) and not self._found
        self._found = models
        self.sources.set_found(models)
        self._take_entries(keep=not first)

    @Slot(list)
    def _show_catalogue(self, models: list[CatalogueModel]) -> None:
        self._catalogue = models
        self._take_entries()

    @Slot(object)
    def _show_memory(self, memory: MemoryReading) -> None:
        bench = self._bench
        if bench is None:
            return
        before, now = bench.estimator.machine.memory.available_mib, memory.available_mib
        if before is not None and now is not None and abs(now - before) < SETTLED_MIB:
            return
        bench.set_memory(memory)
        self.card.show_memory(bench.estimator.machine)
        self._recompute()

    # --- rows -----------------------------------------------------------------------------------------------

    def _take_entries(self, keep: bool = True) -> None:
        """Other entries: rows anew; the chosen one kept, or the first one chosen, which is one that is here."""
        if self._bench is None:
            return
        chosen = self.table.chosen_row() if keep else None
        self._bench.set_found(self._found)
        self._bench.set_catalogue(self._catalogue)
        self._bench.choice = self.controls.choice
        self.model.set_budget(self._bench.budget)
        self.model.set_rows(self._bench.rows())
        entries = self._bench.entries
        self.controls.set_kinds((one.family for one in entries), (one.quantization for one in entries))
        self.table.sort_again()
        key = chosen.entry.key if chosen else None
        self.table.choose(lambda row: key is None or row.entry.key == key)
        self._count()
        self._show_detail()

    @Slot()
    def _follow(self) -> None:
        """A control moves: what is in sight follows within a frame."""
        if self.model.rowCount() <= AT_ONCE:
            self._recompute()
            return
        self._compute(self.table.rows_in_sight())
        self._settle.start()

    @Slot()
    def _recompute(self) -> None:
        """Other settings or another budget: every row in place, in one pass."""
        self._settle.stop()
        self._compute(range(self.model.rowCount()))

    def _compute(self, numbers: Iterable[int]) -> None:
        bench = self._bench
        if bench is None:
            return
        bench.choice = self.controls.choice
        self.model.set_budget(bench.budget)
        rows = {number: self.model.row(number) for number in numbers}
        # The newest entries: lessons may have been learned since the rows were made.
        self.model.change(
            {
                number: bench.row(bench.entry(row.entry.key) or row.entry, row.first_of_family)
                for number, row in rows.items()
            }
        )
        self._show_detail()

    @Slot()
    def _refilter(self) -> None:
        self.filter.set_filters(
            text=self.search.text(),
            verdicts=self.controls.verdict_filter,
            place=self.controls.place_filter,
            family=self.controls.family_filter,
            quantization=self.controls.quantization_filter,
        )
        self._count()

    @Slot(int, Qt.SortOrder)
    def _sort(self, column: int, order: Qt.SortOrder) -> None:
        if column < 0 and self._bench is not None:
            self._take_entries()
        else:
            self.filter.sort(column, order)

    def _count(self) -> None:
        here = sum(row.entry.is_here for row in self.model.rows)
        listed = len({row.entry.family for row in self.model.rows if not row.entry.is_here})
        self.bar.set_text("Models", f"{here} found here · {listed} in the catalogue")
        nothing = self.model.rowCount() == 0 or (here == 0 and self.filter.rowCount() == 0)
        self._stack.setCurrentWidget(self.empty if nothing else self.table)
        self.legend.setVisible(not nothing)

    @Slot(QModelIndex, QModelIndex)
    def _row_changed(
        self, current: QModelIndex | QPersistentModelIndex, before: QModelIndex | QPersistentModelIndex
    ) -> None:
        self._show_detail()

    def _show_detail(self) -> None:
        row, bench = self.table.chosen_row(), self._bench
        runnable = row is not None and row.entry.found is not None and row.entry.found.card.can_run
        self.run_button.setEnabled(runnable)
        if row is None or bench is None:
            self.detail.show_row(None, (), None)
            self.trial.follow(None)
            self.programs.follow(False)
            return
        budget = bench.budget
        offered = bench.remedies_of(row, self._least_context)
        base = row.estimate.settings.base_mib if row.estimate else BASE_MIB
        self.detail.show_row(row, offered, budget.available if budget else None, base)
        self.trial.follow(row)
        self.programs.follow(bench.would_fit_alone(row))

    # --- what the person does -------------------------------------------------------------------------------

    @Slot(object)
    def _remedy(self, remedy: Remedy) -> None:
        """Set the control that the remedy names; nothing is changed silently."""
        if remedy.kind is RemedyKind.SMALL_CACHE:
            self.controls.set_cache(remedy.settings.key_type)
        elif remedy.kind is RemedyKind.SHORTER_CONTEXT:
            self.controls.set_context(max(remedy.settings.context_tokens // remedy.settings.slots, 512))
            self._recompute()
        elif remedy.kind is RemedyKind.SMALLER_QUANTIZATION:
            chosen = self.table.chosen_row()
            if chosen is not None:
                wanted = (chosen.entry.family, remedy.label)

                def is_wanted(row: ModelRow) -> bool:
                    return (row.entry.family, row.entry.quantization) == wanted

                if not self.table.choose(is_wanted):
                    # A filter hides it.
                    self.search.clear()
                    self.controls.show_all()
                    self.table.choose(is_wanted)
        else:
            self.reported.emit("The engine chooses this by itself when the model is loaded.")

    @Slot()
    def _run(self) -> None:
        row = self.table.chosen_row()
        if row is not None and row.entry.found is not None and row.entry.found.card.can_run:
            self.run_asked.emit([row.entry.found.card.path])

    @Slot(int)
    def _opened(self, number: int) -> None:
        self.detail.prompt.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _copy(self) -> None:
        if self._bench is not None:
            QGuiApplication.clipboard().setText(machine_text(self._bench.estimator.machine))
            self.reported.emit("The details of this computer are in the clipboard.")

    @Slot()
    def _ask_corrections(self) -> None:
        if self._bench is None:
            return
        dialog = CorrectDialog(self._theme, self._bench.estimator.machine, self.service.corrections(), self)
        dialog.corrected.connect(self._correct)
        dialog.open()

    @Slot(object)
    def _correct(self, corrections: Corrections) -> None:
        try:
            self.service.correct(corrections)
        except OSError as error:
            self._failed(error)
            return
        self.finder.refresh()

    # --- a trial --------------------------------------------------------------------------------------------

    @Slot(str)
    def _try(self, prompt: str) -> None:
        row = self.table.chosen_row()
        if row is not None and self.trial.start(row, prompt):
            self.engine_said.emit(f"trying {row.entry.name}")

    @Slot()
    def _trial_ended(self) -> None:
        self.engine_said.emit("idle")
        self.finder.learn()

    def _failed(self, error: Exception) -> None:
        sentence = sentence_for(error)
        self.reported.emit(f"{sentence.message} {sentence.fix}".strip())

    # --- events ---------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        urls = event.mimeData().urls()
        if any(url.toLocalFile().lower().endswith(".gguf") for url in urls):
            accept_as_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        accept_as_copy(event)
        QTimer.singleShot(0, self, partial(self.sources.add, files))

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._inside.setContentsMargins(px(16), px(16), px(16), px(12))
        self._inside.setSpacing(px(12))
        self._upper.setSpacing(px(8))
        self.search.setFixedWidth(px(200))
