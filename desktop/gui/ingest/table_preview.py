"""The first rows of a table as they would be used: which column is what, and which rows are not taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.state_delegate import STATE_ROLE, StateDelegate, StateLook
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import one_line
from desktop.ingest.table_import import TableImport
from desktop.ingest.tables.model import TableRow

PREVIEW_ROWS = 200
_MAX_IN_CELL = 300
_MAX_IN_TOOLTIP = 2_000
_NAMED_CHARACTERS = 24.0


class TablePreview(Table):
    """Bounded: however long the table is, `PREVIEW_ROWS` rows are shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Rows of the table")
        self.rows = RowsModel[TableRow]([], self)
        self.setModel(self.rows)
        self.use_delegate(0, StateDelegate(theme, self))

    def show_table(self, found: TableImport) -> None:
        left_out = _left_out(found)
        roles = _roles(found)
        columns = [_number_column(left_out)]
        columns += [_column(place, name, roles.get(name, "")) for place, name in enumerate(found.table.columns)]
        self.rows.set_columns(columns, found.table.rows[:PREVIEW_ROWS])
        self.set_widths((7, *[_NAMED_CHARACTERS] * (len(columns) - 2), None))

    def clear(self) -> None:
        self.rows.set_columns([], [])


def _roles(found: TableImport) -> Mapping[str, str]:
    mapping = found.mapping
    if mapping is None:
        return {}
    return {**dict.fromkeys(mapping.expected, "expected"), mapping.input: "input"}


def _left_out(found: TableImport) -> Mapping[int, str]:
    """Reason by row number for every row that becomes no example."""
    examples = found.examples
    if examples is None:
        return {}
    reasons = dict.fromkeys(examples.empty, "The row is empty.")
    reasons |= {row.number: row.reason for row in (*examples.repeated, *examples.rejected)}
    return reasons


def _number_column(left_out: Mapping[int, str]) -> Column[TableRow]:
    def look(row: TableRow) -> StateLook:
        if row.number in left_out:
            return StateLook(str(row.number), Tone.WARN, "cross")
        return StateLook(str(row.number), Tone.NEUTRAL)

    def spoken(row: TableRow) -> str:
        reason = left_out.get(row.number)
        return f"{row.number}, not used: {reason}" if reason else str(row.number)

    return Column(
        "Row",
        lambda row: str(row.number),
        tooltip=lambda row: left_out.get(row.number, ""),
        spoken=spoken,
        roles={STATE_ROLE: look},
    )


def _column(place: int, name: str, role: str) -> Column[TableRow]:
    def text(row: TableRow, maximum: int = _MAX_IN_CELL) -> str:
        cell = row.cells[place]
        return "" if cell is None else one_line(str(cell)[:maximum])

    header = f"{name} → {role}" if role else name
    return Column(header, text, tooltip=lambda row: text(row, _MAX_IN_TOOLTIP))


def shown_columns(names: Sequence[str], maximum: int) -> list[str]:
    """Names short enough for a line, cut in the middle."""
    half = (maximum - 1) // 2
    return [name if len(name) <= maximum else f"{name[:half]}…{name[-half:]}" for name in names]
