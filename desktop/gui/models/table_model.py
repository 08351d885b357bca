"""The models table: one row a model, its bar, verdict, speed, largest context and what was measured."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSortFilterProxyModel, Qt

from desktop.application import model_wording
from desktop.application.model_entries import ModelRow
from desktop.gui.theme import Tone, Type
from desktop.gui.widgets.chip import VERDICT_CHIPS, Chips, chip
from desktop.gui.widgets.memory_bar import MemoryValue
from desktop.gui.widgets.roles import CHIPS_ROLE, MEMORY_ROLE, RUNS_ROLE
from desktop.gui.widgets.rows_model import ROW_ROLE, SORT_ROLE, Column, Index, RowsModel
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.inference.machine.budget import MemoryBudget
from desktop.inference.memory_fit.verdict import FitVerdict

NAME, MEMORY, GIB, VERDICT, SPEED, LARGEST, MEASURED = range(7)
_RANK = {
    FitVerdict.COMFORTABLE: 0,
    FitVerdict.FITS: 1,
    FitVerdict.TIGHT: 2,
    FitVerdict.NO: 3,
    FitVerdict.UNKNOWN: 4,
}


class ModelsTableModel(RowsModel[ModelRow]):
    """`set_budget` before rows are shown: the bars are drawn against it."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._budget: MemoryBudget | None = None
        super().__init__(
            [
                Column(
                    "Model",
                    lambda row: row.entry.name,
                    tooltip=_where,
                    sort=lambda row: row.entry.name.casefold(),
                    spoken=lambda row: f"{row.entry.name}, {'here' if row.entry.is_here else 'catalogue'}",
                    roles={RUNS_ROLE: _name_runs},
                ),
                Column(
                    "Memory",
                    lambda row: "",
                    sort=lambda row: row.need_mib,
                    tooltip=self._memory_text,
                    spoken=self._memory_text,
                    roles={MEMORY_ROLE: self.memory_value},
                ),
                Column(
                    "GiB",
                    lambda row: model_wording.gib(row.need_mib),
                    right=True,
                    sort=lambda row: row.need_mib,
                    tooltip=lambda row: row.entry.problem or "Needed while it runs, predicted.",
                ),
                Column(
                    "Verdict",
                    lambda row: (
                        "" if row.entry.problem else VERDICT_CHIPS[model_wording.CHIP_KEYS[row.verdict]].text
                    ),
                    sort=lambda row: _RANK[row.verdict],
                    tooltip=lambda row: model_wording.reason(row, self._free_mib),
                    spoken=_verdict_text,
                    roles={CHIPS_ROLE: _verdict_chip},
                ),
                Column(
                    "Speed, predicted",
                    lambda row: " ".join(model_wording.speed_cell(row)).strip(),
                    sort=_speed_key,
                    tooltip=model_wording.speed_reason,
                    roles={RUNS_ROLE: _speed_runs},
                ),
                Column(
                    "Largest context",
                    model_wording.largest_text,
                    right=True,
                    sort=lambda row: row.largest,
                    tooltip=lambda row: "The longest that still fits, all slots together.",
                ),
                Column(
                    "Measured",
                    model_wording.measured_text,
                    right=True,
                    sort=lambda row: row.measured.peak_mib if row.measured else None,
                    tooltip=model_wording.measured_reason,
                ),
            ],
            parent,
        )

    @property
    def _free_mib(self) -> float | None:
        return self._budget.available if self._budget else None

    def set_budget(self, budget: MemoryBudget | None) -> None:
        self._budget = budget

    def memory_value(self, row: ModelRow) -> MemoryValue | None:
        if row.estimate is None or self._budget is None:
            return None
        found, budget = row.estimate.prediction, self._budget
        return MemoryValue(
            weights=found.weights / 1024,
            chat=found.chat_memory / 1024,
            working=found.working_memory / 1024,
            program=found.program / 1024,
            total=budget.total / 1024,
            free=budget.available / 1024,
            reserve=min(budget.reserve, budget.available) / 1024,
            peak=found.peak / 1024,
        )

    def _memory_text(self, row: ModelRow) -> str:
        value = self.memory_value(row)
        return value.plain if value else row.entry.problem or "not known"


def _where(row: ModelRow) -> str:
    if row.entry.found is None:
        return "In the catalogue; not on this computer."
    return "\n".join(f"{place.owner}: {place.path}" for place in row.entry.found.places)


def _name_runs(row: ModelRow) -> Runs:
    entry = row.entry
    name_tone = Tone.NEUTRAL if row.first_of_family else Tone.MUTED
    parts = [Run(entry.family, tone=name_tone, bold=row.first_of_family)]
    if entry.quantization:
        parts.append(
            Run(f" {entry.quantization}", tone=Tone.NEUTRAL if not row.first_of_family else Tone.MUTED)
        )
    if not entry.is_here:
        parts.append(Run("  not here", tone=Tone.MUTED, kind=Type.SMALL))
    return Runs(tuple(parts))


def _verdict_chip(row: ModelRow) -> Chips:
    if row.entry.problem:
        return Chips((chip("Cannot run", Tone.MUTED, sign="dash", outlined=True),))
    parts = [VERDICT_CHIPS[model_wording.CHIP_KEYS[row.verdict]]]
    if row.estimate is not None and row.estimate.prediction.is_estimate:
        parts.append(chip("estimate", Tone.MUTED, outlined=True))
    return Chips(tuple(parts))


def _verdict_text(row: ModelRow) -> str:
    if row.entry.problem:
        return f"cannot run. {row.entry.problem}"
    return _verdict_chip(row).plain


def _speed_runs(row: ModelRow) -> Runs:
    word, figures = model_wording.speed_cell(row)
    parts = [Run(word)]
    if figures:
        parts.append(Run(f" {figures}", tone=Tone.MUTED, kind=Type.SMALL))
    return Runs(tuple(parts))


def _speed_key(row: ModelRow) -> float | None:
    if row.measured and row.measured.tokens_per_second:
        return row.measured.tokens_per_second
    if row.estimate is None or row.estimate.speed is None or row.verdict is FitVerdict.NO:
        return None
    return row.estimate.speed.low


class ModelsFilter(QSortFilterProxyModel):
    """Which rows are shown; sorting is the source model's own."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = ""
        self.verdicts: frozenset[FitVerdict] | None = None
        self.place = "all"
        self.family: str | None = None
        self.quantization: str | None = None
        self.setSortRole(SORT_ROLE)

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        source = self.sourceModel()
        row = source.index(source_row, 0).data(ROW_ROLE)
        if not isinstance(row, ModelRow):
            return False
        entry = row.entry
        if self.place == "here" and not entry.is_here:
            return False
        if self.place == "catalogue" and entry.is_here:
            return False
        if self.family not in (None, entry.family) or self.quantization not in (None, entry.quantization):
            return False
        if self.verdicts is not None and (entry.problem or row.verdict not in self.verdicts):
            return False
        wanted = self.text.casefold().split()
        if not wanted:
            return True
        architecture = (
            entry.found.card.architecture if entry.found else entry.model and entry.model.facts.architecture
        )
        places = " ".join(place.name for place in entry.found.places) if entry.found else ""
        haystack = f"{entry.name} {places} {architecture or ''}".casefold()
        return all(word in haystack for word in wanted)

    def set_filters(
        self,
        *,
        text: str,
        verdicts: frozenset[FitVerdict] | None,
        place: str,
        family: str | None = None,
        quantization: str | None = None,
    ) -> None:
        """None: all."""
        self.beginFilterChange()
        self.text, self.verdicts, self.place = text, verdicts, place
        self.family, self.quantization = family, quantization
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sourceModel().sort(column, order)
