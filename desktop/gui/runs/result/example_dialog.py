"""One example in full: the models at the left with what became of it, the chosen answer at the right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QListView,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from desktop.application.result_examples import ExampleOutcomes
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.result.result_data import ResultData
from desktop.gui.runs.result.unit_detail import DetailSource, UnitDetail, read_unit_detail
from desktop.gui.runs.result.unit_panel import UnitPanel
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.cause_cells import CauseCells, CauseDelegate
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.roles import CAUSE_ROLE, RUNS_ROLE
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.runs.records import UnitKey

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

PLACE_ROLE = int(Qt.ItemDataRole.UserRole) + 300

Neighbours = Callable[[str], tuple[str | None, str | None]]


class ExampleDialog(QDialog):
    """Alt+Left and Alt+Right go to the neighbours among the examples that the table shows."""

    edit_asked = Signal(str)

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        result: ResultData,
        neighbours: Neighbours,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._result = result
        self._neighbours = neighbours
        self._source = DetailSource.of_report(result.report, result.today.outcomes if result.today else None)
        self._row: ExampleOutcomes | None = None
        self._reading: CancelToken | None = None
        self._wanted: UnitKey | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        self.title = TextLabel(theme, kind=Type.PAGE)
        self.before = Button(theme, "Before", icon="chevron-left")
        self.before.setShortcut("Alt+Left")
        self.after = Button(theme, "After", icon="chevron-right")
        self.after.setShortcut("Alt+Right")
        self.edit = Button(theme, "Show in the &editor", icon="edit")
        self.close_button = Button(theme, "&Close")
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        for button in (self.before, self.after, self.edit, self.close_button):
            head.addWidget(button)

        self.models = QListView()
        self.models.setAccessibleName("Models and what became of this example")
        self.models.setProperty("hairlines", True)
        self.models.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.models.setUniformItemSizes(True)
        self._cells = CauseCells(theme)
        self._delegate = CauseDelegate(theme, self._cells, self.models)
        self.models.setItemDelegate(self._delegate)
        self._items = QStandardItemModel(self)
        self.models.setModel(self._items)
        self.repetition = QComboBox()
        self.repetition.setAccessibleName("Repetition")
        self.message = TextLabel(theme, tone=Tone.BAD, wrap=True)
        self.message.hide()
        self.unit = UnitPanel(theme)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.unit)
        scroll.setAccessibleName("The chosen answer")
        left = QWidget()
        left_column = QVBoxLayout(left)
        left_column.setContentsMargins(0, 0, 0, 0)
        left_column.addWidget(self.models, 1)
        left_column.addWidget(self.repetition)
        right = QWidget()
        right_column = QVBoxLayout(right)
        right_column.setContentsMargins(0, 0, 0, 0)
        right_column.addWidget(self.message)
        right_column.addWidget(scroll, 1)
        split = QSplitter()
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(right)
        split.setStretchFactor(1, 1)
        outer = QVBoxLayout(self)
        outer.addLayout(head)
        outer.addWidget(split, 1)
        px = theme.px
        outer.setContentsMargins(px(16), px(12), px(16), px(16))
        outer.setSpacing(px(12))
        left.setMinimumWidth(theme.chars(30))
        self.resize(theme.chars(150), theme.px(640))

        self.repetition.addItems([f"Repetition {number + 1}" for number in range(result.report.repetitions)])
        self.repetition.setVisible(result.report.repetitions > 1)
        self.before.clicked.connect(self._go_before)
        self.after.clicked.connect(self._go_after)
        self.edit.clicked.connect(self._edit)
        self.close_button.clicked.connect(self.reject)
        self.repetition.currentIndexChanged.connect(self._read)
        self.models.selectionModel().currentChanged.connect(self._model_chosen)

    def show_example(self, row: ExampleOutcomes, candidate: int | None = None) -> None:
        """candidate: position in the run; None: the first that is not right, else the first."""
        self._row = row
        self.title.setText(f"Example {row.example}")
        self.setWindowTitle(f"Example {row.example}")
        before, after = self._neighbours(row.example)
        self.before.setEnabled(before is not None)
        self.after.setEnabled(after is not None)
        self.models.selectionModel().blockSignals(True)
        self._items.clear()
        for place in self._result.order:
            self._items.appendRow(self._item(place, row))
        chosen = self._first_worth_a_look(row) if candidate is None else self._result.order.index(candidate)
        self.models.selectionModel().blockSignals(False)
        self.models.setCurrentIndex(self._items.index(chosen, 0))
        self.models.setFocus()
        self._model_chosen()

    def _first_worth_a_look(self, row: ExampleOutcomes) -> int:
        """Number in the list of the first model that is not right; the first if all are."""
        for number, place in enumerate(self._result.order):
            cell = row.cells[place]
            if cell is not None and not cell.right:
                return number
        return 0

    def _item(self, place: int, row: ExampleOutcomes) -> QStandardItem:
        name = self._result.names[place]
        cell = row.cells[place]
        item = QStandardItem(name)
        message = "not run" if cell is None else cell.cause.message
        item.setData(None if cell is None else cell.cause, CAUSE_ROLE)
        flipped = " (repetitions differ)" if cell is not None and cell.flipped else ""
        item.setData(Runs((Run(name, bold=True), Run(f"  {message}{flipped}", tone=Tone.MUTED))), RUNS_ROLE)
        item.setData(f"{name}: {message}{flipped}", Qt.ItemDataRole.AccessibleTextRole)
        item.setToolTip(f"{name}: {message}{flipped}")
        item.setData(place, PLACE_ROLE)
        return item

    @Slot()
    def _model_chosen(self) -> None:
        if self._row is None:
            return
        place = self.models.currentIndex().data(PLACE_ROLE)
        cell = self._row.cells[place] if isinstance(place, int) else None
        if cell is not None and self.repetition.currentIndex() != cell.repetition - 1:
            self.repetition.setCurrentIndex(cell.repetition - 1)
            return
        self._read()

    @Slot()
    def _read(self) -> None:
        place = self.models.currentIndex().data(PLACE_ROLE)
        if self._row is None or not isinstance(place, int):
            return
        key = UnitKey(place, self._row.example, max(0, self.repetition.currentIndex()) + 1)
        if self._reading is not None:
            self._reading.cancel()
        self._wanted = key
        source = self._source

        def read(_cancel: CancelToken) -> UnitDetail | None:
            with self._service.reader() as reader:
                return read_unit_detail(reader, source, key)

        self._reading = self._tasks.start(read, self._show, self._not_read)

    def _show(self, detail: UnitDetail | None) -> None:
        if detail is None:
            self.message.setText("This one was not run.")
            self.message.show()
            return
        if detail.unit.key != self._wanted:
            return
        self.message.hide()
        self.unit.show_detail(detail)

    def _not_read(self, error: Exception) -> None:
        self.message.setText(str(sentence_for(error)))
        self.message.show()

    @Slot()
    def _go_before(self) -> None:
        self._go(0)

    @Slot()
    def _go_after(self) -> None:
        self._go(1)

    def _go(self, side: int) -> None:
        if self._row is None:
            return
        example = self._neighbours(self._row.example)[side]
        row = next((entry for entry in self._result.rows if entry.example == example), None)
        if row is not None:
            place = self.models.currentIndex().data(PLACE_ROLE)
            self.show_example(row, place if isinstance(place, int) else None)

    @Slot()
    def _edit(self) -> None:
        if self._row is not None:
            self.edit_asked.emit(self._row.example)
            self.accept()
