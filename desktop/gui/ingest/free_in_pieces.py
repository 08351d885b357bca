"""Frees a large table in pieces, off the GUI thread.

Python frees a list of 100,000 rows in one go and holds the interpreter meanwhile: 40 ms for twelve columns,
more for more (measured). On another thread that stops the window just the same.
"""

from __future__ import annotations

from desktop.foundation.cancel import CancelToken
from desktop.ingest.table_import import TableImport

_PIECE = 500


def free_by_pieces(holder: list[TableImport], _cancel: CancelToken) -> None:
    """holder: has the last reference to the table, and is empty afterwards."""
    found = holder.pop()
    parts: list[list[object]] = [list(found.table.rows)]
    if found.examples is not None:
        parts += [list(found.examples.examples), list(found.examples.repeated), list(found.examples.rejected)]
    del found
    for part in parts:
        while part:
            del part[-_PIECE:]
