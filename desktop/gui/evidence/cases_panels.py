"""What stands behind a decision: which answers were mixed up, and every case that failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from desktop.application.wording import counted
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.confusion_columns import MatrixRow, confusion_columns
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table

if TYPE_CHECKING:
    from desktop.application.evidence.cases import Cases, ConfusionTable, FailedCase

MAX_ROWS = 12


class ConfusionPanel(Panel):
    """Hidden for a bundle without classes. One matrix at a time: the cases that decide, or the challenge."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Which answers were mixed up", padding=0, parent=parent)
        self._theme = theme
        self._tables: tuple[ConfusionTable, ...] = ()
        self.which = QComboBox()
        self.which.setAccessibleName("Which cases")
        self.heading.addWidget(self.which)
        self.model: RowsModel[MatrixRow] = RowsModel(())
        self.table = Table(theme, "Which answers were mixed up", framed=False)
        self.table.setModel(self.model)
        self.message = TextLabel(theme, kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.body.addWidget(self.table)
        self.body.addWidget(self.message)
        self.which.currentIndexChanged.connect(self._show)
        theme.changed.connect(self._space)
        self._space()

    def show_cases(self, cases: Cases) -> None:
        self._tables = cases.confusions
        self.which.blockSignals(True)
        self.which.clear()
        for table in cases.confusions:
            self.which.addItem(f"{table.corpus.capitalize()} cases")
        self.which.blockSignals(False)
        self.which.setVisible(len(cases.confusions) > 1)
        self.setVisible(bool(cases.confusions))
        self._show()

    @Slot()
    def _show(self) -> None:
        place = self.which.currentIndex()
        if not 0 <= place < len(self._tables):
            self.model.set_columns((), ())
            return
        shown = self._tables[place]
        self.model.set_columns(confusion_columns(self._theme, shown.columns, "Reference"), shown.rows)
        wide = [min(22, max(8, len(name) + 3)) for name in shown.columns]
        self.table.set_widths((18, *wide))
        self.message.setText(
            "Rows: the reference. Columns: the answer. Right answers lie where both agree, and have a green "
            f"ground; wrong ones a red one. {shown.note}"
        )
        self.fit()

    def fit(self) -> None:
        self.table.fit_height(MAX_ROWS)

    @Slot()
    def _space(self) -> None:
        px = self._theme.px
        self.message.setContentsMargins(px(12), px(8), px(12), px(10))
        self.fit()


class FailuresPanel(Panel):
    """Every test that a case did not pass, with a search; `opened(FailedCase)` on Enter."""

    opened = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Failed cases", "Enter opens one", padding=0, parent=parent)
        self._theme = theme
        self.all_cases: tuple[FailedCase, ...] = ()
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setAccessibleName("Search in failed cases")
        self.search.setClearButtonEnabled(True)
        self.search.setMinimumWidth(theme.chars(24))
        self.heading.addWidget(self.search)
        self.model: RowsModel[FailedCase] = RowsModel(
            [
                Column("Case", lambda row: row.case, tooltip=lambda row: row.case),
                Column("Test", lambda row: row.test, tooltip=lambda row: row.test),
                Column("What is wrong", lambda row: row.kind, tooltip=lambda row: row.why),
                Column("Input", lambda row: row.input, tooltip=lambda row: row.input),
                Column("Expected", lambda row: row.expected, tooltip=lambda row: row.expected),
                Column("Answered", lambda row: row.answered, tooltip=lambda row: row.answered),
            ]
        )
        self.table = Table(theme, "Failed cases", framed=False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.table.setModel(self.model)
        self.table.set_widths((14, 18, 18, None, 18, 18))
        self.message = TextLabel(theme, kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.body.addWidget(self.table)
        self.body.addWidget(self.message)
        self.search.textChanged.connect(self._search)
        self.table.chosen.connect(self._open)
        theme.changed.connect(self._space)
        self._space()

    def show_cases(self, cases: Cases) -> None:
        self.all_cases = cases.failures
        self.title.setText("Failed cases" if cases.failures else "No case failed")
        self.note.setVisible(bool(cases.failures))
        self.search.setVisible(bool(cases.failures))
        self.search.clear()
        self._left_out = cases.left_out
        if not cases.readable:
            self.title.setText("The failed cases cannot be read")
        self._search("")

    @Slot(str)
    def _search(self, message: str) -> None:
        wanted = message.casefold().split()
        rows = [row for row in self.all_cases if all(word in _text(row) for word in wanted)]
        self.model.set_rows(rows)
        self.table.setVisible(bool(rows))
        said = (
            counted(len(rows), "failed test")
            if rows
            else ("No case holds these words." if self.all_cases else "")
        )
        if self._left_out and rows:
            said += f"; {self._left_out:,} more are in the report of the bundle"
        self.message.setText(said if not said or said.endswith(".") else f"{said}.")
        self.message.setVisible(bool(said))
        self.fit()

    def fit(self) -> None:
        self.table.fit_height(MAX_ROWS)

    @Slot(int)
    def _open(self, row: int) -> None:
        self.opened.emit(self.model.row(row))

    @Slot()
    def _space(self) -> None:
        px = self._theme.px
        self.message.setContentsMargins(px(12), px(8), px(12), px(10))
        self.fit()


def _text(row: FailedCase) -> str:
    return " ".join((row.case, row.test, row.kind, row.input, row.expected, row.answered, row.why)).casefold()
