"""Is a row of the journal what its table allows? A damaged file can hold anything, whatever the tables say.

Which types a column may hold is taken from the tables themselves. Types of rows that were sound are remembered,
so that a hundred thousand units cost one look-up each.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any

from desktop.runs.journal.schema import migrate
from packs.errors import AppError

_TYPES: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int)}


class UnsoundRow(ValueError):
    """The text names the column."""


class RowCheck:
    """For rows of one statement. tables: those it reads from; joined ones after the first may lack a row.

    Columns that are no table's own, such as counts, are not checked.
    """

    def __init__(self, *tables: str) -> None:
        self._tables = tables
        self._sound: set[tuple[type, ...]] = set()
        self._columns: list[tuple[str, tuple[type, ...]]] = []

    def __call__(self, names: Sequence[str], row: Sequence[Any]) -> None:
        """Raises UnsoundRow."""
        shape = tuple(map(type, row))
        if shape in self._sound:
            return
        if not self._columns:
            self._columns = [(name, self._allowed(name)) for name in names]
        for (name, allowed), found in zip(self._columns, shape, strict=True):
            if allowed and found not in allowed:
                raise UnsoundRow(f"column {name}")
        self._sound.add(shape)

    def _allowed(self, name: str) -> tuple[type, ...]:
        for place, table in enumerate(self._tables):
            known = _columns_of(table).get(name)
            if known is not None:
                return known if place == 0 else (*known, type(None))
        return ()


@lru_cache(maxsize=16)
def _columns_of(table: str) -> dict[str, tuple[type, ...]]:
    """Column to the Python types that it may hold."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {
        name: _TYPES[kind] if required or key else (*_TYPES[kind], type(None))
        for _, name, kind, required, _, key in rows
    }


@contextmanager
def reading_run(run_id: str) -> Iterator[None]:
    """Whatever a damaged row makes its reader stumble over becomes an AppError that names the run."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise damaged_run(run_id, error) from None


def damaged_run(run_id: str, error: Exception) -> AppError:
    what = str(error) if isinstance(error, UnsoundRow) else "a value that cannot be read"
    return AppError(
        f"The journal's record of the run {run_id[:8]} is damaged ({what}).",
        "Other runs are not affected. Run the pack again, and delete this run when nothing of it is needed.",
        code="run_damaged",
    )
