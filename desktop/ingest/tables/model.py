"""A table as it was read, with how it was read; nothing is interpreted yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

Cell = object
"""Text from CSV; text, number or boolean from XLSX; any JSON value from JSON lines; None where empty."""


@dataclass(frozen=True, slots=True)
class TableFormat:
    """How a table was read. Every field can be corrected by the person and given back to `read_table`.

    None: found from the content (when given), or without meaning for this kind of file (when returned).
    """

    encoding: str | None = None
    delimiter: str | None = None
    has_header: bool | None = None
    decimal: str | None = None
    """'.' or ',': how numbers in text cells are written."""
    sheet: str | None = None

    def with_(self, **values: object) -> TableFormat:
        return replace(self, **values)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class TableRow:
    """number: line or row in the file, from 1, as the person sees it there. cells: one per column."""

    number: int
    cells: tuple[Cell, ...]

    @property
    def is_empty(self) -> bool:
        return all(cell is None or (isinstance(cell, str) and not cell.strip()) for cell in self.cells)


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row that cannot become an example, and why, in one sentence."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class DataTable:
    """columns: distinct, non-empty names. rows: empty ones included, so that they can be counted."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    format: TableFormat
    notes: tuple[str, ...] = ()
    """What was found and how, in words, for the person to check."""
    rejected: tuple[RejectedRow, ...] = ()
    """Rows that could not even be read."""
    sheets: tuple[str, ...] = ()
    """All sheets of a workbook; empty for other files."""


def distinct_names(names: list[str]) -> tuple[str, ...]:
    """Column names without blanks around them; empty ones become 'Column 3', repeats 'total (2)'."""
    taken: set[str] = set()
    result = []
    for position, raw in enumerate(names, start=1):
        base = " ".join(raw.split()) or f"Column {position}"
        name, count = base, 1
        while name in taken:
            count += 1
            name = f"{base} ({count})"
        taken.add(name)
        result.append(name)
    return tuple(result)
