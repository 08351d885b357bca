"""The problem list: counts, sentence, where, and the fix; Enter and a click lead to the place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.application.opened_pack import by_weight
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.chip import Chip, chip
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.problems_table import where_text
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.sign import SIGN_ROLE, SignDelegate, SignLook
from desktop.gui.widgets.table import Table
from packs.documents.problems import Problem, Severity
from packs.task.fixes import Fix, fix_for

_LOOKS = {
    Severity.ERROR: SignLook("problem", Tone.BAD, "Problem"),
    Severity.WARNING: SignLook("warning", Tone.WARN, "Hint"),
}
_MAX_FIXES = 300
"""So many rows have their remedy worked out for the list; a row that is chosen always has."""


class ProblemsPanel(Panel):
    """Problems before hints. `asked` leads to a place; the fix column does its remedy."""

    asked = Signal(object)
    """Problem to go to."""

    def __init__(self, theme: Theme, document: PackDocument, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Problems", padding=0, ruled=True, parent=parent)
        self._document = document
        self._fixes: dict[int, Fix | None] = {}
        self._gone_to = False
        """Was the chosen problem gone to?"""
        self.errors = Chip(theme, chip(""))
        self.hints = Chip(theme, chip(""))
        self.state = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED)
        self.fix_button = Button(theme, "Fix this", icon="edit")
        self.kind_button = Button(theme, "Fix all of this kind")
        for widget in (self.errors, self.hints, self.state, self.fix_button, self.kind_button):
            self.heading.addWidget(widget)
        self.rows = RowsModel[Problem](self._columns(), self)
        self.table = Table(theme, "Problems", row_design=32, framed=False)
        self.table.setModel(self.rows)
        self.table.use_delegate(0, SignDelegate(theme, self.table))
        self.table.set_widths((2, None, 36, 34))
        self.body.addWidget(self.table, 1)
        self.table.chosen.connect(self._go)
        self.table.clicked.connect(self._clicked)
        self.table.selectionModel().currentRowChanged.connect(self._enable)
        self.fix_button.clicked.connect(self._fix_this)
        self.kind_button.clicked.connect(self._fix_kind)
        self.set_problems((), current=False)

    @property
    def problems(self) -> Sequence[Problem]:
        return self.rows.rows

    def set_problems(self, problems: tuple[Problem, ...], *, current: bool = True) -> None:
        """current: False while a newer check is at work."""
        row = max(self.table.currentIndex().row(), 0)
        before = _key(self.rows.row(row)) if row < len(self.problems) else None
        self._fixes.clear()
        self.rows.set_rows(by_weight(problems))
        same = next((at for at, entry in enumerate(self.problems) if _key(entry) == before), None)
        if same is None:
            # What was gone to is mended; the next step goes to what moved up into its place.
            self._gone_to = False
        row = min(row, max(len(problems) - 1, 0)) if same is None else same
        errors = sum(problem.severity is Severity.ERROR for problem in problems)
        hints = len(problems) - errors
        self.errors.setVisible(True)
        if errors:
            self.errors.set_look(
                chip(f"{errors:,} problem{'' if errors == 1 else 's'}", Tone.BAD, sign="problem")
            )
        elif current:
            self.errors.set_look(chip("No problems", Tone.GOOD, sign="tick"))
        else:
            self.errors.setVisible(False)
        self.hints.setVisible(hints > 0)
        self.hints.set_look(chip(f"{hints:,} hint{'' if hints == 1 else 's'}", Tone.WARN, sign="warning"))
        self.state.setText("F8 next · Shift+F8 previous · Enter goes there" if problems else "")
        if problems:
            self.table.selectRow(row)
        self.table.setVisible(bool(problems))
        self._enable()

    def height_for(self, rows: int) -> int:
        """What the panel takes with so many rows; without any its heading alone."""
        heading = self.heading.sizeHint().height() + 4
        if not rows:
            return heading
        header = self.table.horizontalHeader().height()
        return heading + header + rows * self.table.verticalHeader().defaultSectionSize() + 4

    def step(self, by: int) -> None:
        """Go to the next or the previous problem, round at the ends.

        The first step goes to the one that is chosen in the list.
        """
        count = len(self.problems)
        if not count:
            return
        row = max(self.table.currentIndex().row(), 0)
        if self._gone_to or by < 0:
            row = (row + by) % count
        self._gone_to = True
        self.table.selectRow(row)
        self.asked.emit(self.rows.row(row))

    def fix_of(self, row: int) -> Fix | None:
        if row not in self._fixes:
            self._fixes[row] = fix_for(self.rows.row(row), self._document.content)
        return self._fixes[row]

    def _columns(self) -> list[Column[Problem]]:
        return [
            Column(
                "",
                lambda problem: "",
                spoken=lambda problem: _LOOKS[problem.severity].message,
                tooltip=lambda problem: _LOOKS[problem.severity].message,
                roles={SIGN_ROLE: lambda problem: _LOOKS[problem.severity]},
            ),
            Column("What is wrong", lambda problem: problem.message, tooltip=lambda problem: problem.message),
            Column("Where", where_text, tooltip=where_text),
            Column("What to do", self._remedy, tooltip=lambda problem: problem.fix),
        ]

    def _remedy(self, problem: Problem) -> str:
        rows = self.rows.rows
        place = next((at for at, entry in enumerate(rows[:_MAX_FIXES]) if entry is problem), None)
        fix = self.fix_of(place) if place is not None else None
        return f"{fix.message} ▸" if fix is not None else problem.fix

    @Slot(int)
    def _go(self, row: int) -> None:
        self._gone_to = True
        self.asked.emit(self.rows.row(row))

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        if index.column() == 3 and self.fix_of(index.row()) is not None:
            self._fix(index.row())
        else:
            self._go(index.row())

    def _fix(self, row: int) -> None:
        """Worked out on the document as it is now: what the list shows may be from before the last edit."""
        fix = fix_for(self.rows.row(row), self._document.content)
        if fix is not None:
            self._document.push(fix.change)

    @Slot()
    def _enable(self) -> None:
        row = self.table.currentIndex().row()
        fix = self.fix_of(row) if 0 <= row < len(self.problems) else None
        self.fix_button.setVisible(fix is not None)
        self.kind_button.setVisible(fix is not None and len(self._of_kind(row)) > 1)
        if fix is not None:
            self.fix_button.setText(fix.message)

    def _of_kind(self, row: int) -> list[Problem]:
        code = self.rows.row(row).code
        return [problem for problem in self.problems if problem.code == code]

    @Slot()
    def _fix_this(self) -> None:
        row = self.table.currentIndex().row()
        if 0 <= row < len(self.problems):
            self._fix(row)

    @Slot()
    def _fix_kind(self) -> None:
        """All remedies of one kind as one step; each is worked out on what the one before left."""
        row = self.table.currentIndex().row()
        if not 0 <= row < len(self.problems):
            return
        problems = self._of_kind(row)
        self._document.undo.beginMacro(f"Fix {len(problems)} problems of one kind")
        try:
            # From the end, so that the places of earlier entries of a list stay.
            for problem in sorted(
                problems, key=lambda entry: [str(part).zfill(9) for part in entry.path], reverse=True
            ):
                fix = fix_for(problem, self._document.content)
                if fix is not None:
                    self._document.push(fix.change)
        finally:
            self._document.undo.endMacro()


def _key(problem: Problem) -> tuple[object, ...]:
    """The same problem found once more."""
    return (problem.file, problem.path, problem.code)
