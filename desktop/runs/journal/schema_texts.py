"""The texts of the tables inside the journal's file. One flipped bit there makes every run unreadable at once.

The texts are known exactly, so that they are put back in place, in one transaction; no row of a run is touched.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from desktop.runs.journal.schema import APPLICATION_ID, CURRENT_VERSION, migrate, version_of

Texts = dict[str, tuple[str, str, str | None]]
"""Name to kind, table and statement; None for an index that SQLite makes by itself."""


def texts_are_sound(connection: sqlite3.Connection) -> bool:
    """True as well for a file of another version, which is not known here. Raises sqlite3.Error."""
    if version_of(connection) != CURRENT_VERSION:
        return True
    # As bytes: a flipped bit may leave no UTF-8.
    rows = connection.execute(
        "SELECT CAST(name AS BLOB), CAST(type AS BLOB), CAST(tbl_name AS BLOB), CAST(sql AS BLOB)"
        " FROM sqlite_schema"
    )
    expected = {
        tuple(None if text is None else text.encode() for text in (name, *rest))
        for name, rest in _expected().items()
    }
    return set(rows) == expected


def put_texts_back(path: Path, wait_s: float) -> bool:
    """False when there is nothing to mend or it cannot be mended so. Raises sqlite3.Error."""
    with closing(sqlite3.connect(path, timeout=wait_s, isolation_level=None)) as connection:
        connection.text_factory = lambda content: content.decode("utf-8", "replace")
        # With it SQLite opens a file whose texts it does not understand.
        connection.execute("PRAGMA writable_schema = ON")
        ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        if not ours or version_of(connection) != CURRENT_VERSION:
            return False
        connection.execute("BEGIN IMMEDIATE")
        try:
            mended = _put_back(connection)
            connection.execute("COMMIT" if mended else "ROLLBACK")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return mended


def _put_back(connection: sqlite3.Connection) -> bool:
    rows = connection.execute(
        "SELECT rowid, name, type, tbl_name, sql FROM sqlite_schema ORDER BY rowid"
    ).fetchall()
    expected = dict(_expected())
    nameless = [row for row in rows if row[1] not in expected]
    missing = [name for name in expected if name not in {row[1] for row in rows}]
    # One name may be damaged itself: then it is the one that is missing.
    if len(rows) != len(expected) or len(nameless) > 1 or len(nameless) != len(missing):
        return False
    changed = False
    for number, name, *found in rows:
        known = name if name in expected else missing[0]
        if (name, *found) != (known, *expected[known]):
            kind, table, text = expected[known]
            connection.execute(
                "UPDATE sqlite_schema SET name = ?, type = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
                (known, kind, table, text, number),
            )
            changed = True
    return changed


@lru_cache(maxsize=1)
def _expected() -> Texts:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        migrate(connection)
        rows = connection.execute("SELECT name, type, tbl_name, sql FROM sqlite_schema").fetchall()
    return {row[0]: tuple(row[1:]) for row in rows}
