"""The problems of a pack as a table: sign, sentence, where, and what to do."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from desktop.application.opened_pack import by_weight
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.sign import SIGN_ROLE, SignDelegate, SignLook
from desktop.gui.widgets.table import Table
from packs.documents.problems import Problem, Severity

__all__ = ["ProblemsModel", "ProblemsTable", "where_text"]

_LOOKS = {
    Severity.ERROR: SignLook("problem", Tone.BAD, "Problem"),
    Severity.WARNING: SignLook("warning", Tone.WARN, "Hint"),
}


def where_text(problem: Problem) -> str:
    """'task.yaml, line 12 · gates[1].scorer'."""
    message = problem.file
    if problem.line is not None:
        message += f", line {problem.line}"
    return f"{message} · {problem.subject}" if problem.subject else message


def _columns() -> list[Column[Problem]]:
    return [
        Column(
            "",
            lambda problem: "",
            spoken=lambda problem: _LOOKS[problem.severity].message,
            tooltip=lambda problem: _LOOKS[problem.severity].message,
            sort=lambda problem: problem.severity is not Severity.ERROR,
            roles={SIGN_ROLE: lambda problem: _LOOKS[problem.severity]},
        ),
        Column("What is wrong", lambda problem: problem.message, tooltip=lambda problem: problem.message),
        Column("Where", where_text, tooltip=where_text),
        Column("What to do", lambda problem: problem.fix, tooltip=lambda problem: problem.fix),
    ]


class ProblemsModel(RowsModel[Problem]):
    """Problems before hints."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_columns(), parent)

    def set_problems(self, problems: tuple[Problem, ...]) -> None:
        self.set_rows(by_weight(problems))


class ProblemsTable(Table):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Problems", row_design=44, framed=False, parent=parent)
        self.problems = ProblemsModel(self)
        self.setModel(self.problems)
        self.use_delegate(0, SignDelegate(theme, self))
        self.set_widths((2, None, 34, 44))
        # Two lines: a problem that is cut cannot be mended.
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def wanted_height(self, max_rows: int = 6) -> int:
        """Heading and rows, without frame."""
        rows = min(self.problems.rowCount(), max_rows)
        return self.horizontalHeader().height() + rows * self.verticalHeader().defaultSectionSize()
