"""From rows to examples, every row accounted for: used, empty, repeated or rejected with a reason."""

from __future__ import annotations

import json
from dataclasses import dataclass

from desktop.ingest.tables.model import Cell, DataTable, RejectedRow, TableRow
from desktop.ingest.tables.numbers import parse_number
from desktop.ingest.tables.proposal import ColumnKind, Mapping
from packs import numbers
from packs.task.scorers import SCORERS, ExpectedShape

_TRUE = ("true", "yes", "1", "wahr", "ja", "oui", "sí", "vrai")
_FALSE = ("false", "no", "0", "falsch", "nein", "non", "faux")


@dataclass(frozen=True, slots=True)
class ImportedExample:
    """row: where it came from. expected: a JSON value in the shape that the scorer needs."""

    row: int
    input: str
    expected: object


@dataclass(frozen=True, slots=True)
class ImportedExamples:
    """empty + repeated + rejected + examples = all rows of the table, each counted once."""

    examples: tuple[ImportedExample, ...]
    empty: tuple[int, ...]
    repeated: tuple[RejectedRow, ...]
    rejected: tuple[RejectedRow, ...]

    def summary(self) -> str:
        """'42 rows used, 1 empty, 2 repeated, 3 rejected.'"""
        parts = [f"{numbers.count(len(self.examples), 'row')} used"]
        parts += [f"{len(self.empty)} empty"] if self.empty else []
        parts += [f"{len(self.repeated)} repeated"] if self.repeated else []
        parts += [f"{len(self.rejected)} rejected"] if self.rejected else []
        return ", ".join(parts) + "."


def build_examples(table: DataTable, mapping: Mapping) -> ImportedExamples:
    """Apply a mapping to every row. Never raises for what a row holds."""
    places = {name: position for position, name in enumerate(table.columns)}
    input_place = places[mapping.input]
    expected_places = {name: places[name] for name in mapping.expected}
    examples: list[ImportedExample] = []
    empty: list[int] = []
    repeated: list[RejectedRow] = []
    rejected = list(table.rejected)
    seen: dict[str, ImportedExample] = {}
    for row in table.rows:
        if row.is_empty:
            empty.append(row.number)
            continue
        made = _example(row, input_place, expected_places, mapping, table.format.decimal or ".")
        if isinstance(made, RejectedRow):
            rejected.append(made)
            continue
        earlier = seen.setdefault(made.input, made)
        if earlier is made:
            examples.append(made)
        elif _same(earlier.expected, made.expected):
            repeated.append(RejectedRow(row.number, f"The same as row {earlier.row}."))
        else:
            rejected.append(
                RejectedRow(row.number, f"The same input as row {earlier.row}, but another expected answer.")
            )
    rejected.sort(key=lambda entry: entry.number)
    return ImportedExamples(tuple(examples), tuple(empty), tuple(repeated), tuple(rejected))


def _same(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _example(
    row: TableRow, input_place: int, expected_places: dict[str, int], mapping: Mapping, decimal: str
) -> ImportedExample | RejectedRow:
    raw = row.cells[input_place]
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return RejectedRow(row.number, f"The column '{mapping.input}' is empty, so there is no input.")
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    values: dict[str, object] = {}
    for name, place in expected_places.items():
        kind = mapping.kinds.get(name, ColumnKind.TEXT)
        value, fault = _value(row.cells[place], kind, decimal)
        if fault:
            return RejectedRow(row.number, f"The column '{name}' {fault}.")
        values[name] = value
    fields = SCORERS[mapping.scorer].shape is ExpectedShape.FIELDS
    if len(values) > 1 or (fields and not isinstance(next(iter(values.values())), dict)):
        return ImportedExample(row.number, text, values)
    name, value = next(iter(values.items()))
    if value is None:
        return RejectedRow(row.number, f"The column '{name}' is empty, so there is no expected answer.")
    return ImportedExample(row.number, text, value)


def _value(cell: Cell, kind: ColumnKind, decimal: str) -> tuple[object, str | None]:
    """(JSON value, None) or (None, what is wrong). An empty cell is null."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None, None
    if kind is ColumnKind.NUMBER:
        if isinstance(cell, int | float) and not isinstance(cell, bool):
            return cell, None
        number = parse_number(str(cell), decimal)
        return (None, f"holds '{_short(cell)}', which is not a number") if number is None else (number, None)
    if kind is ColumnKind.BOOLEAN:
        word = str(cell).strip().casefold()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE, None
        return None, f"holds '{_short(cell)}', which is neither true nor false"
    if kind is ColumnKind.OTHER or isinstance(cell, list | dict):
        return cell, None
    return (cell.strip() if isinstance(cell, str) else str(cell)), None


def _short(cell: Cell) -> str:
    text = str(cell)
    return text if len(text) <= 40 else text[:39] + "…"
