"""Is the first row the names of the columns?"""

from __future__ import annotations

from collections.abc import Sequence

from desktop.ingest.tables.model import Cell
from desktop.ingest.tables.numbers import parse_number

_SAMPLE_ROWS = 200


def looks_like_header(rows: Sequence[Sequence[Cell]]) -> tuple[bool, str]:
    """(yes or no, the reason in words) from the first row and up to 200 below it."""
    if len(rows) < 2:
        return False, "there is only one row"
    first, below = rows[0], rows[1 : _SAMPLE_ROWS + 1]
    texts = [cell.strip() if isinstance(cell, str) else cell for cell in first]
    if any(not isinstance(cell, str) or not cell for cell in texts):
        return False, "the first row has empty cells or numbers"
    names = [str(cell) for cell in texts]
    if any(_is_number(name) for name in names):
        return False, "the first row has numbers"
    if len({name.casefold() for name in names}) < len(names):
        return False, "the first row repeats a word"
    if any(_column_has(below, position, name) for position, name in enumerate(names)):
        return False, "a word of the first row appears again below it"
    if any(len(name) > 60 or name.endswith((".", "?", "!")) for name in names):
        return False, "the first row reads like content"
    return True, "the first row is short words that do not appear again below"


def _is_number(text: str) -> bool:
    return parse_number(text, ".") is not None or parse_number(text, ",") is not None


def _column_has(rows: Sequence[Sequence[Cell]], position: int, name: str) -> bool:
    folded = name.casefold()
    cells = (row[position] for row in rows if position < len(row))
    return any(isinstance(cell, str) and cell.strip().casefold() == folded for cell in cells)
