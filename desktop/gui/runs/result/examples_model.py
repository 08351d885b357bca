"""Example by example: number, input, expected value, and a cell a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject

from desktop.application.result_examples import ExampleOutcomes
from desktop.application.wording import UNKNOWN
from desktop.gui.runs.result.differences import spoken
from desktop.gui.runs.result.result_data import ShortAnswer
from desktop.gui.theme import Type
from desktop.gui.widgets.roles import CAUSE_ROLE, RUNS_ROLE
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.runs.records import UnitKey
from packs.task.outcome import Cause

NUMBER, INPUT, EXPECTED, FIRST_CANDIDATE = range(4)


class ExamplesModel(RowsModel[ExampleOutcomes]):
    """Answers are read only for rows that are seen; until then a cell shows its cause in words."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent)
        self._order: tuple[int, ...] = ()
        self.answers: dict[tuple[int, str], ShortAnswer] = {}

    @property
    def order(self) -> tuple[int, ...]:
        """Positions of the candidates in the order of the columns."""
        return self._order

    def set_result(self, rows: Sequence[ExampleOutcomes], names: Sequence[str], order: Sequence[int]) -> None:
        """names: by position in the run. order: positions in the order of the columns."""
        self._order = tuple(order)
        self.answers.clear()
        columns: list[Column[ExampleOutcomes]] = [
            Column(
                "No.",
                lambda row: row.example,
                roles={RUNS_ROLE: lambda row: Runs((Run(row.example, kind=Type.MONO),))},
            ),
            Column("Input", lambda row: row.input, tooltip=lambda row: row.input),
            Column(
                "Expected",
                lambda row: row.expected,
                tooltip=lambda row: row.expected,
                roles={RUNS_ROLE: lambda row: Runs((Run(row.expected, kind=Type.MONO),))},
            ),
        ]
        columns += [
            Column(
                names[place],
                partial(self._message, place),
                tooltip=partial(self._spoken, place),
                spoken=partial(self._spoken, place),
                sort=partial(_rank, place),
                roles={CAUSE_ROLE: partial(_cause, place), RUNS_ROLE: partial(self._runs, place)},
            )
            for place in order
        ]
        self.set_columns(columns, rows)

    def lacking(self, first: int, last: int) -> list[UnitKey]:
        """Units of the rows first to last whose answers have not been read yet."""
        keys = []
        for row in self.rows[max(first, 0) : last + 1]:
            for place in self._order:
                cell = row.cells[place]
                if cell is not None and (place, row.example) not in self.answers:
                    keys.append(UnitKey(place, row.example, cell.repetition))
        return keys

    def add_answers(self, answers: Mapping[tuple[int, str], ShortAnswer]) -> None:
        self.answers.update(answers)
        examples = {example for _, example in answers}
        places = [number for number, row in enumerate(self.rows) if row.example in examples]
        if places and self._order:
            self.dataChanged.emit(
                self.index(min(places), FIRST_CANDIDATE), self.index(max(places), self.columnCount() - 1)
            )

    def _message(self, place: int, row: ExampleOutcomes) -> str:
        cell = row.cells[place]
        return UNKNOWN if cell is None else cell.cause.message

    def _spoken(self, place: int, row: ExampleOutcomes) -> str:
        cell = row.cells[place]
        if cell is None:
            return "not run yet"
        answer = self.answers.get((place, row.example))
        message = cell.cause.message if answer is None else f"{cell.cause.message}: {spoken(answer.runs)}"
        return f"{message}, repetitions differ" if cell.flipped else message

    def _runs(self, place: int, row: ExampleOutcomes) -> Runs | None:
        answer = self.answers.get((place, row.example))
        if answer is None:
            return None
        return answer.runs


def _cause(place: int, row: ExampleOutcomes) -> Cause | None:
    cell = row.cells[place]
    return None if cell is None else cell.cause


def _rank(place: int, row: ExampleOutcomes) -> int | None:
    """Right first, then by the list of causes."""
    cell = row.cells[place]
    return None if cell is None else list(Cause).index(cell.cause)
