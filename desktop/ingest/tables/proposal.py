"""What a table probably means: which column is the input, which the answer, and how an answer is scored.

Only a proposal: every part is shown with its reason and can be changed before anything is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from desktop.ingest.tables.model import Cell, DataTable
from desktop.ingest.tables.numbers import parse_number
from packs import numbers
from packs.task.scorers import SCORERS, ExpectedShape, scorer_for

INPUT_NAMES = (
    *("input", "text", "message", "question", "query", "prompt", "body", "content", "description", "email"),
    *("letter", "request", "eingabe", "nachricht", "frage", "entrée", "texte", "entrada", "texto", "pregunta"),
)
EXPECTED_NAMES = (
    *("expected", "label", "answer", "output", "category", "class", "target", "result", "gold", "truth"),
    *("intent", "team", "queue", "ausgabe", "antwort", "kategorie", "erwartet", "réponse", "catégorie"),
    *("respuesta", "categoría"),
)
ID_NAMES = ("id", "no", "nr", "no.", "nr.", "#", "number", "nummer", "row", "index", "key")

MAX_LABELS = 50
MAX_LABEL_CHARACTERS = 60


class ColumnKind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    EMPTY = "empty"
    OTHER = "other"
    """Lists or objects, from JSON lines."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """Which columns are used, and how. Names of columns as in `Table.columns`.

    input: one column. expected: one, or several that become an object. kinds: for each expected
    column TEXT, NUMBER or BOOLEAN. scorer_params: as written into the pack.
    """

    input: str
    expected: tuple[str, ...]
    scorer: str
    scorer_params: dict[str, object] = field(default_factory=dict)
    kinds: dict[str, ColumnKind] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proposal:
    """mapping: None when the table has no column for it. reasons: whole sentences, in order."""

    mapping: Mapping | None
    reasons: tuple[str, ...]


def propose(
    table: DataTable,
    *,
    input_column: str | None = None,
    expected_columns: Sequence[str] | None = None,
    scorer: str | None = None,
) -> Proposal:
    """A mapping with the reason of each choice; what is given is taken, the rest is found.

    Unknown column names raise KeyError: the caller offers only names of the table.
    """
    for name in [input_column, *(expected_columns or ())]:
        if name is not None and name not in table.columns:
            raise KeyError(name)
    reasons: list[str] = []
    values = {name: _filled(table, position) for position, name in enumerate(table.columns)}
    kinds = {name: _kind(cells, table.format.decimal or ".") for name, cells in values.items()}
    usable = [name for name in table.columns if kinds[name] is not ColumnKind.EMPTY]

    if input_column is None:
        input_column = _input(usable, values, kinds, set(expected_columns or ()), reasons)
    if input_column is None:
        return Proposal(None, (*reasons, "No column holds text that could be the input."))
    if expected_columns is None:
        expected_columns = _expected(usable, values, input_column, reasons)
    if not expected_columns:
        return Proposal(None, (*reasons, "There is no second column that could be the expected answer."))

    expected = tuple(expected_columns)
    decimal = table.format.decimal or "."
    if scorer is None:
        scorer = _scorer(expected, values, kinds, reasons)
    params, used = _params(scorer, expected, values, kinds, decimal, reasons)
    return Proposal(Mapping(input_column, expected, scorer, params, used), tuple(reasons))


def _filled(table: DataTable, position: int) -> list[Cell]:
    cells = (row.cells[position] for row in table.rows)
    return [cell for cell in cells if cell is not None and not (isinstance(cell, str) and not cell.strip())]


def _kind(cells: Sequence[Cell], decimal: str) -> ColumnKind:
    if not cells:
        return ColumnKind.EMPTY
    if all(isinstance(cell, bool) or str(cell).strip().casefold() in ("true", "false") for cell in cells):
        return ColumnKind.BOOLEAN
    if all(_is_number(cell, decimal) for cell in cells):
        return ColumnKind.NUMBER
    if any(isinstance(cell, list | dict) for cell in cells):
        return ColumnKind.OTHER
    return ColumnKind.TEXT


def _is_number(cell: Cell, decimal: str) -> bool:
    if isinstance(cell, bool):
        return False
    if isinstance(cell, int | float):
        return True
    return isinstance(cell, str) and parse_number(cell, decimal) is not None


def _named(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    folded = {name.casefold(): name for name in reversed(names)}
    return next((folded[word] for word in wanted if word in folded), None)


def _input(
    usable: Sequence[str],
    values: dict[str, list[Cell]],
    kinds: dict[str, ColumnKind],
    taken: set[str],
    reasons: list[str],
) -> str | None:
    names = [name for name in usable if name not in taken]
    found = _named(names, INPUT_NAMES)
    if found:
        reasons.append(f"Input is the column '{found}': its name says so.")
        return found
    texts = [name for name in names if kinds[name] is ColumnKind.TEXT]
    if not texts:
        return None
    longest = max(texts, key=lambda name: sum(len(str(cell)) for cell in values[name]) / len(values[name]))
    reasons.append(f"Input is the column '{longest}': its texts are the longest.")
    return longest


def _expected(
    usable: Sequence[str], values: dict[str, list[Cell]], input_column: str, reasons: list[str]
) -> tuple[str, ...]:
    rest = [name for name in usable if name != input_column]
    found = _named(rest, EXPECTED_NAMES)
    if found:
        reasons.append(f"The expected answer is the column '{found}': its name says so.")
        return (found,)
    without_ids = [name for name in rest if not _is_id(name, values[name])]
    if without_ids:
        left = [name for name in rest if name not in without_ids]
        if left:
            reasons.append(f"Left out, since they only number the rows: {', '.join(left)}.")
        rest = without_ids
    if len(rest) == 1:
        reasons.append(f"The expected answer is the column '{rest[0]}', the only other one.")
    elif rest:
        reasons.append(f"The expected answer is an object of the other columns: {', '.join(rest)}.")
    return tuple(rest)


def _is_id(name: str, cells: Sequence[Cell]) -> bool:
    return name.casefold() in ID_NAMES and len({str(cell) for cell in cells}) == len(cells)


def _scorer(
    expected: tuple[str, ...],
    values: dict[str, list[Cell]],
    kinds: dict[str, ColumnKind],
    reasons: list[str],
) -> str:
    name = expected[0]
    cells = values[name]
    if len(expected) > 1:
        shape, reason = ExpectedShape.FIELDS, "field by field ({}), since the answer has several columns."
    elif kinds[name] is ColumnKind.NUMBER:
        shape, reason = ExpectedShape.NUMBER, "as a number ({}), since every answer is one."
    elif cells and all(isinstance(cell, dict) for cell in cells):
        shape, reason = ExpectedShape.FIELDS, "field by field ({}), since every answer is an object."
    elif kinds[name] is ColumnKind.OTHER:
        shape, reason = ExpectedShape.JSON, "as JSON ({}), since the answers are lists or mixed."
    else:
        labels = Counter(str(cell).strip() for cell in cells)
        shape = ExpectedShape.LABEL
        reason = (
            f"as a label ({{}}): {numbers.count(len(labels), 'different answer')} in "
            f"{numbers.count(len(cells), 'row')}."
        )
        if not _are_labels(labels):
            reason += " They do not look like labels; check whether one exact text is due."
    scorer = scorer_for(shape).name
    reasons.append("Scored " + reason.format(scorer))
    return scorer


def _are_labels(labels: Counter[str]) -> bool:
    short = all(len(label) <= MAX_LABEL_CHARACTERS for label in labels)
    return short and len(labels) <= MAX_LABELS and len(labels) <= max(2, sum(labels.values()) * 0.6)


def _params(
    scorer: str,
    expected: tuple[str, ...],
    values: dict[str, list[Cell]],
    kinds: dict[str, ColumnKind],
    decimal: str,
    reasons: list[str],
) -> tuple[dict[str, object], dict[str, ColumnKind]]:
    chosen = SCORERS[scorer]
    used = {name: kinds[name] for name in expected}
    read: list[object] = list(values[expected[0]])
    if chosen.shape is ExpectedShape.NUMBER:
        read = [_number(cell, decimal) for cell in values[expected[0]] if _is_number(cell, decimal)]
    params = chosen.params_from_table(expected, read)
    if chosen.shape is ExpectedShape.LABEL:
        used = {expected[0]: ColumnKind.TEXT}
    elif chosen.shape is ExpectedShape.NUMBER:
        whole = all(isinstance(number, int | float) and float(number).is_integer() for number in read)
        reasons.append(
            "Only the exact number counts, since all are whole; widen the tolerance if near is good enough."
            if whole
            else "A difference of 0.01 is allowed; widen the tolerance if near is good enough."
        )
    elif chosen.shape is ExpectedShape.FIELDS and (
        numeric := [name for name in expected if kinds[name] is ColumnKind.NUMBER]
    ):
        reasons.append(f"Numbers in: {', '.join(numeric)}.")
    return params, used


def _number(cell: Cell, decimal: str) -> float:
    if isinstance(cell, int | float):
        return cell
    number = parse_number(str(cell), decimal)
    return 0.0 if number is None else number
