"""What another model answers to many examples, beside their expected values: differences first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractItemView, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.application.example_rows import row_of
from desktop.application.try_examples import TriedAnswer, TryModel
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.try_out.model_box import ModelBox
from desktop.gui.editor.try_out.try_panel import use_answers
from desktop.gui.editor.try_out.trying import Trying, waiting_text
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import one_line
from packs.task.outcome import Cause

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


@dataclass(frozen=True, slots=True)
class Opinion:
    """verdict: 'same', 'differs' or 'unknown' when there is nothing to compare with."""

    file: str
    id: str
    expected: str
    answer: str
    verdict: str
    reason: str


_ORDER = {"differs": 0, "unknown": 1, "same": 2}


class OpinionDialog(QDialog):
    """The answers come one by one; an example that is chosen is shown in the editor."""

    asked = Signal(str)
    """File of the example to go to."""

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        document: PackDocument,
        files: Sequence[str],
        title: str,
        others: list[TryModel] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """others: models of servers that were found before in this editor."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._document = document
        self._files = {file.rsplit("/", 1)[-1].removesuffix(".json"): file for file in files}
        self._model = ""
        self.trying = Trying(service, tasks, document, self)
        self.models = ModelBox(theme, service, tasks, document, "Model to ask", others)
        self.box = self.models.box
        self.start_button = Button(theme, "&Ask it", icon="play", primary=True)
        self.state = TextLabel(theme, f"{len(files):,} examples are asked.", tone=Tone.MUTED, wrap=True)
        self.rows = RowsModel[Opinion](
            [
                Column("No.", lambda row: row.id),
                Column("Expected", lambda row: one_line(row.expected), tooltip=lambda row: row.expected),
                Column("Answer", lambda row: one_line(row.answer), tooltip=lambda row: row.answer),
                Column("", lambda row: row.verdict, tooltip=lambda row: row.reason),
            ],
            self,
        )
        self.table = Table(theme, "Answers beside the expected values")
        self.table.setModel(self.rows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.set_widths((8, None, None, 10))
        self.go_button = Button(theme, "&Show the example")
        self.use_button = Button(theme, "&Use as expected")
        close = Button(theme, "&Close")
        px = theme.px
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(TextLabel(theme, title, kind=Type.SECTION, wrap=True))
        top = QHBoxLayout()
        top.addWidget(self.models, 1)
        for button in (self.models.other_button, self.start_button):
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        outer.addLayout(top)
        outer.addWidget(self.state)
        outer.addWidget(self.table, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        for button in (self.use_button, self.go_button, close):
            row.addWidget(button)
        outer.addLayout(row)
        self.setMinimumSize(px(680), px(460))
        self.start_button.clicked.connect(self._press)
        self.go_button.clicked.connect(self._go)
        self.use_button.clicked.connect(self._use)
        self.table.chosen.connect(self._chosen)
        close.clicked.connect(self.reject)
        self.finished.connect(self.trying.stop)
        self.models.failed.connect(self.state.setText)
        self.trying.answered.connect(self._answered)
        self.trying.began.connect(self._began)
        self.trying.ended.connect(self._ended)
        self.models.fill()
        self._enable()

    def _enable(self) -> None:
        self.start_button.setText("&Stop" if self.trying.busy else "&Ask it")
        for button in (self.go_button, self.use_button):
            button.setEnabled(self.rows.rowCount() > 0)

    @Slot()
    def _press(self) -> None:
        model = self.models.model
        if self.trying.busy:
            self.trying.stop()
        elif model is not None:
            self.rows.set_rows(())
            self._model = model.message
            self._began()
            if self.trying.start(list(self._files.values()), model) and self.trying.waiting:
                self.state.setText(waiting_text(model.message))
            self._enable()
        else:
            self.state.setText("There is no model to ask. Add one in Models.")

    @Slot()
    def _began(self) -> None:
        self.state.setText(f"{self._model} is asked …")

    @Slot(object)
    def _answered(self, answer: TriedAnswer) -> None:
        file = self._files.get(answer.example)
        if file is None:
            return
        outcome = answer.outcome
        verdict = "unknown" if outcome is None else "same" if outcome.cause is Cause.CORRECT else "differs"
        expected = row_of(self._document.content, file).expected
        reason = "" if outcome is None else outcome.reason
        self.rows.append([Opinion(file, answer.example, expected, answer.text, verdict, reason)])
        self.state.setText(f"{self.rows.rowCount():,} of {len(self._files):,} answered.")

    @Slot(str)
    def _ended(self, message: str) -> None:
        found = sorted(self.rows.rows, key=lambda row: (_ORDER[row.verdict], row.file))
        self.rows.set_rows(found)
        differ = sum(row.verdict == "differs" for row in found)
        reported = (
            f"{differ:,} of {len(found):,} answers differ. Either side may be wrong: look at the example."
        )
        self.state.setText(f"{message} {reported if found else ''}".strip())
        if found:
            self.table.selectRow(0)
        self._enable()

    def _selected(self) -> list[Opinion]:
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        return [self.rows.row(row) for row in rows]

    @Slot()
    def _go(self) -> None:
        chosen = self._selected()
        if chosen:
            self.asked.emit(chosen[0].file)

    @Slot(int)
    def _chosen(self, row: int) -> None:
        self.asked.emit(self.rows.row(row).file)

    @Slot()
    def _use(self) -> None:
        used = use_answers(self._document, {row.file: row.answer for row in self._selected()})
        self.state.setText(f"{used:,} expected values are changed. Undo takes it back as one step.")
