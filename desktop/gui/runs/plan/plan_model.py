"""The models of a plan with their tick boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal

from desktop.application.run_requests import ModelChoice
from desktop.application.wording import UNKNOWN, gib
from desktop.gui.runs.live.candidates_model import name_runs
from desktop.gui.widgets.chip import VERDICT_CHIPS, Chips
from desktop.gui.widgets.roles import CHIPS_ROLE, RUNS_ROLE
from desktop.gui.widgets.rows_model import Column, Index, RowsModel

TICK, NAME, FIT, NEEDS, SPEED = range(5)


@dataclass(frozen=True, slots=True)
class PlanRow:
    choice: ModelChoice
    ticked: bool

    @property
    def can_run(self) -> bool:
        return not self.choice.why_not

    @property
    def reason(self) -> str:
        return self.choice.why_not or self.choice.reason


def _speed(row: PlanRow) -> str:
    seconds = row.choice.seconds_a_unit
    if seconds is None:
        return UNKNOWN
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def _fit_chips(row: PlanRow) -> Chips | None:
    look = VERDICT_CHIPS.get(row.choice.verdict)
    return Chips((look,)) if look is not None and row.can_run else None


def _fit_text(row: PlanRow) -> str:
    if not row.can_run:
        return "cannot be run"
    return VERDICT_CHIPS[row.choice.verdict].text if row.choice.verdict in VERDICT_CHIPS else UNKNOWN


class PlanModel(RowsModel[PlanRow]):
    """Rows with a tick box in the first column. A model that cannot be a candidate cannot be ticked."""

    ticked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            [
                Column("", lambda _row: "", spoken=lambda row: "chosen" if row.ticked else "not chosen"),
                Column(
                    "Model",
                    lambda row: row.choice.model.name,
                    tooltip=lambda row: str(row.choice.model.path or row.choice.model.name),
                    roles={
                        RUNS_ROLE: lambda row: name_runs(row.choice.model.name, row.choice.model.quantization)
                    },
                ),
                Column("Fit", _fit_text, tooltip=lambda row: row.reason, roles={CHIPS_ROLE: _fit_chips}),
                Column(
                    "Needs, GiB",
                    lambda row: gib(row.choice.predicted_mib),
                    right=True,
                    sort=lambda row: row.choice.predicted_mib,
                    tooltip=lambda row: (
                        row.reason if row.choice.predicted_mib is None else "Predicted at this pack's context."
                    ),
                ),
                Column(
                    "An example",
                    _speed,
                    right=True,
                    sort=lambda row: row.choice.seconds_a_unit,
                    tooltip=lambda row: (
                        "Not run on this computer yet."
                        if row.choice.seconds_a_unit is None
                        else "Measured on this computer."
                    ),
                ),
            ],
            parent,
        )

    def set_choices(self, choices: Iterable[ModelChoice], ticked: Sequence[str] | None) -> None:
        """ticked: names chosen the last time; None: all that fit."""
        rows = []
        for choice in choices:
            wanted = choice.verdict != "does-not-fit" if ticked is None else choice.model.name in ticked
            rows.append(PlanRow(choice, wanted and not choice.why_not))
        self.set_rows(rows)
        self.ticked.emit()

    def add_choice(self, choice: ModelChoice) -> int:
        """A model added by hand, ticked; its row. One that is there already is ticked."""
        for number, row in enumerate(self.rows):
            if row.choice.model.path == choice.model.path and row.choice.model.name == choice.model.name:
                self.change({number: replace(row, ticked=row.can_run)})
                self.ticked.emit()
                return number
        self.append([PlanRow(choice, not choice.why_not)])
        self.ticked.emit()
        return self.rowCount() - 1

    def chosen(self) -> tuple[ModelChoice, ...]:
        return tuple(row.choice for row in self.rows if row.ticked)

    def toggle(self, number: int) -> None:
        if 0 <= number < self.rowCount() and self.row(number).can_run:
            row = self.row(number)
            self.change({number: replace(row, ticked=not row.ticked)})
            self.ticked.emit()

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        if index.column() == TICK and self.row(index.row()).can_run:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.CheckStateRole and index.isValid() and index.column() == TICK:
            ticked = self.row(index.row()).ticked
            return Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid() or index.column() != TICK:
            return False
        if not self.row(index.row()).can_run:
            return False
        wanted = Qt.CheckState(value) is Qt.CheckState.Checked
        self.change({index.row(): replace(self.row(index.row()), ticked=wanted)})
        self.ticked.emit()
        return True
