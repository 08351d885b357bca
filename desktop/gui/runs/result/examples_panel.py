"""The table example by example with its filters; answers of seen rows are read as they come into view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QWidget

from desktop.application.result_examples import (
    ExampleOutcomes,
    Filter,
    Show,
    matching,
)
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.runs.result import examples_model as columns
from desktop.gui.runs.result.examples_model import ExamplesModel
from desktop.gui.runs.result.result_data import ResultData, ShortAnswer, read_short_answers
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.cause_cells import CauseCells, CauseDelegate
from desktop.gui.widgets.flow import FlowLayout, wraps
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import RunsDelegate
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import UnitKey
from packs.task.outcome import Cause

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

SETTLE_MS = 120
AT_ONCE = 2_000
"""Examples up to which filtering is done in place; more are filtered off the window's thread."""
MAX_PAIRS = 5
"""Candidates up to which every pair "wrong in A, right in B" is offered."""


class ExamplesPanel(Panel):
    """`opened(example)` on Enter, `edit_asked(example)` on E."""

    opened = Signal(str)
    edit_asked = Signal(str)

    def __init__(
        self, theme: Theme, service: RunService, tasks: TaskRunner, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, padding=0, parent=parent)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._result: ResultData | None = None
        self._asked: list[ResultData] = []
        """The same, for work on a lane; emptied when it is let go of, so that no such work holds it longer."""
        self._reader: JournalReader | None = None
        self._reading: CancelToken | None = None
        self._filtering: CancelToken | None = None
        self._return_to = ""
        """The example that is to be chosen again when the rows are there."""
        self._only_wrong: int | None = None
        """Set by choosing a point of the plot, until a filter is changed."""

        self._filters = QWidget()
        self._flow = FlowLayout(self._filters)
        wraps(self._filters)
        heading = TextLabel(theme, "Example by example", bold=True)
        self.show_box = self._combo("Which examples")
        self.cause_box = self._combo("Cause")
        self.label_box = self._combo("Expected")
        self.pair_box = self._combo("Between models")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search in examples")
        self.search.setClearButtonEnabled(True)
        hint = TextLabel(theme, "Enter opens it · E edits it", kind=Type.SMALL, tone=Tone.MUTED)
        for widget in (
            heading,
            self.show_box,
            self.cause_box,
            self.label_box,
            self.pair_box,
            self.search,
            hint,
        ):
            self._flow.addWidget(widget)
        self.body.addWidget(self._filters)

        self.model = ExamplesModel(self)
        self.table = Table(theme, "Example by example")
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setModel(self.model)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._cells = CauseCells(theme)
        self._runs_delegate = RunsDelegate(theme, self.table)
        self._cause_delegate = CauseDelegate(theme, self._cells, self.table)
        self.table.installEventFilter(self)
        self.table.chosen.connect(self._open_row)
        self.table.verticalScrollBar().valueChanged.connect(self._look)
        self.body.addWidget(self.table, 1)
        self.empty = TextLabel(theme, "No example is like that.", tone=Tone.MUTED)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.hide()
        self.body.addWidget(self.empty, 1)

        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self.read_seen)
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(SETTLE_MS)
        self._typed.timeout.connect(self.apply)
        self._boxes = (self.show_box, self.cause_box, self.label_box, self.pair_box)
        for box in self._boxes:
            box.currentIndexChanged.connect(self._filter_changed)
        self.search.textChanged.connect(self._search_changed)
        theme.changed.connect(self._space)
        self._space()

    def show_result(self, result: ResultData) -> None:
        """Another run. The first filter is the most telling one that lets anything through.

        The same run in another judgement keeps the filters and the chosen example where they still fit.
        """
        self.close_reader()
        same = self._result is not None and self._result.run_id == result.run_id
        kept = [box.currentData() for box in self._boxes] if same else []
        message = self.search.text() if same else ""
        current = self.table.currentIndex()
        self._return_to = self.model.row(current.row()).example if same and current.isValid() else ""
        self._result, self._asked = result, [result]
        self._only_wrong = self._only_wrong if same else None
        self._fill_boxes(result, kept, message)
        self.apply()

    def clear(self) -> None:
        """Show nothing and hold on to nothing of the result that was shown."""
        if self._filtering is not None:
            self._filtering.cancel()
            self._filtering = None
        self.close_reader()
        self._result = None
        self._asked.clear()
        self.model.set_result((), (), ())

    def close_reader(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
        reader, self._reader = self._reader, None
        if reader is not None:
            self._tasks.start(lambda _cancel: reader.close(), _ignore, _ignore)

    def current_filter(self) -> Filter:
        pair = self.pair_box.currentData()
        cause = self.cause_box.currentData()
        return Filter(
            show=self.show_box.currentData() or Show.ALL,
            # Qt hands back a plain text for what was a Cause.
            cause=None if cause is None else Cause(cause),
            expected=self.label_box.currentData(),
            wrong_in=pair[0] if pair else self._only_wrong,
            right_in=pair[1] if pair else None,
            text=self.search.text(),
        )

    def neighbours(self, example: str) -> tuple[str | None, str | None]:
        """The examples before and after this one among those shown."""
        shown = [row.example for row in self.model.rows]
        if example not in shown:
            return None, None
        place = shown.index(example)
        return (shown[place - 1] if place else None, shown[place + 1] if place + 1 < len(shown) else None)

    def row_of(self, example: str) -> ExampleOutcomes | None:
        if self._result is None:
            return None
        return next((row for row in self._result.rows if row.example == example), None)

    def choose_cause(self, cause: object) -> None:
        """Show only examples with this cause."""
        place = self.cause_box.findData(cause)
        if place >= 0:
            self.cause_box.setCurrentIndex(place)

    def show_wrong_of(self, candidate: int) -> None:
        """Only examples that this candidate did not get right."""
        self._only_wrong = candidate
        self.apply()

    def show_near_misses(self) -> None:
        place = self.show_box.findData(Show.NEAR_MISS)
        if place >= 0:
            self.show_box.setCurrentIndex(place)

    @Slot()
    def _filter_changed(self) -> None:
        self._only_wrong = None
        self.apply()

    @Slot()
    def apply(self) -> None:
        result = self._result
        if result is None:
            return
        wanted = self.current_filter()
        if len(result.rows) <= AT_ONCE:
            self._show_rows(result, matching(result.rows, wanted))
            return
        if self._filtering is not None:
            self._filtering.cancel()
        self._filtering = self._tasks.start(
            partial(_matching, self._asked, wanted), partial(self._filtered, self._asked, wanted), _ignore
        )

    def _filtered(self, asked: list[ResultData], wanted: Filter, rows: list[ExampleOutcomes]) -> None:
        if asked and asked is self._asked and wanted == self.current_filter():
            self._show_rows(asked[0], rows)

    def _show_rows(self, result: ResultData, rows: list[ExampleOutcomes]) -> None:
        self.model.set_result(rows, result.names, result.order)
        example, self._return_to = self._return_to, ""
        place = next((place for place, row in enumerate(rows) if example and row.example == example), None)
        if place is not None:
            self.table.setCurrentIndex(self.model.index(place, 0))
        self._dress_columns(len(result.order))
        self.table.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        self._look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.table and event.type() is QEvent.Type.Resize:
            self._look()
        if (
            watched is self.table
            and isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_E
            and not event.modifiers()
            and self.table.currentIndex().isValid()
        ):
            self.edit_asked.emit(self.model.row(self.table.currentIndex().row()).example)
            return True
        return super().eventFilter(watched, event)

    def _combo(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        # Names of models can be long; the open list shows them whole.
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(12)
        return box

    def _fill_boxes(self, result: ResultData, kept: Sequence[object], message: str) -> None:
        """kept: what the boxes are to show if they still offer it; empty for the first of each."""
        for box in self._boxes:
            box.blockSignals(True)
        for box in self._boxes:
            box.clear()
        found = dict(result.offers.shows)
        for show in (Show.DIFFERS, Show.FAILING, Show.FLIPPED, Show.NEAR_MISS, Show.ALL):
            if found.get(show) or show is Show.ALL:
                self.show_box.addItem(f"{show.value} ({found.get(show, 0):,})", show)
        self.cause_box.addItem("All causes", None)
        for cause in result.offers.causes:
            self.cause_box.addItem(cause.message[:1].upper() + cause.message[1:], cause)
        self.label_box.addItem("Any expected value", None)
        labels = result.offers.labels
        for label in labels:
            self.label_box.addItem(f"Expected: {label}", label)
        self.label_box.setVisible(bool(labels))
        self.pair_box.addItem("Any pair of models", None)
        pairs = _pairs(result)
        for wrong, right in pairs:
            self.pair_box.addItem(
                f"Wrong in {result.names[wrong]}, right in {result.names[right]}", (wrong, right)
            )
        self.pair_box.setVisible(bool(pairs))
        for box, data in zip(self._boxes, kept, strict=False):
            # `findData` does not find a pair.
            place = next((at for at in range(box.count()) if box.itemData(at) == data), 0)
            box.setCurrentIndex(place)
        for box in self._boxes:
            box.blockSignals(False)
        # Not blocked: the field's own cross would stay beside nothing.
        self.search.setText(message)
        self._typed.stop()

    def _dress_columns(self, candidates: int) -> None:
        self.table.setItemDelegateForColumn(columns.NUMBER, self._runs_delegate)
        self.table.setItemDelegateForColumn(columns.EXPECTED, self._runs_delegate)
        for place in range(candidates):
            self.table.setItemDelegateForColumn(columns.FIRST_CANDIDATE + place, self._cause_delegate)
        wide = 20 if candidates <= 3 else 16
        self.table.set_widths((8, None if candidates <= 4 else 36, 16, *[wide] * candidates))
        self.table.horizontalHeader().setStretchLastSection(candidates > 4)

    @Slot()
    def _search_changed(self) -> None:
        self._typed.start()

    @Slot()
    def _look(self) -> None:
        self._settle.start()

    @Slot()
    def read_seen(self) -> None:
        result = self._result
        if result is None or not self.model.rowCount() or not self.table.isVisible():
            return
        height = self.table.viewport().height()
        first = self.table.rowAt(0)
        last = self.table.rowAt(height - 1)
        keys = self.model.lacking(first, last if last >= 0 else self.model.rowCount() - 1)
        if not keys:
            return
        if self._reading is not None:
            self._reading.cancel()
        if self._reader is None:
            self._reader = self._service.reader()
        self._reading = self._tasks.start(
            partial(_short_answers, self._reader, self._asked, keys), self._read, _ignore
        )

    def _read(self, answers: dict[tuple[int, str], ShortAnswer]) -> None:
        self.model.add_answers(answers)

    @Slot(int)
    def _open_row(self, row: int) -> None:
        self.opened.emit(self.model.row(row).example)

    @Slot()
    def _space(self) -> None:
        px = self._theme.px
        self._flow.setContentsMargins(px(12), px(8), px(12), px(8))
        self._flow.set_gaps(px(8), px(6))
        self.search.setMinimumWidth(self._theme.chars(18))


def _pairs(result: ResultData) -> list[tuple[int, int]]:
    """(wrong in, right in): all pairs of few candidates, else those with the recommended one."""
    places = [place for place in result.order if result.report.candidates[place].quality is not None]
    if len(places) > MAX_PAIRS:
        chosen = [place for place in places if result.report.candidates[place].recommended][:1]
        chosen = chosen or places[:1]
        return [
            pair for one in chosen for other in places if other != one for pair in ((one, other), (other, one))
        ]
    return [(wrong, right) for wrong in places for right in places if wrong != right]


def _matching(asked: list[ResultData], wanted: Filter, cancel: CancelToken) -> list[ExampleOutcomes]:
    found: list[ExampleOutcomes] = []
    for result in asked:
        for first in range(0, len(result.rows), AT_ONCE):
            cancel.raise_if_cancelled()
            found += matching(result.rows[first : first + AT_ONCE], wanted)
    return found


def _short_answers(
    reader: JournalReader, asked: list[ResultData], keys: list[UnitKey], cancel: CancelToken
) -> dict[tuple[int, str], ShortAnswer]:
    for result in asked:
        return read_short_answers(reader, result, keys, cancel)
    return {}


def _ignore(_outcome: object) -> None:
    """A cell without its text still shows its cause."""
