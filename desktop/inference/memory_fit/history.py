"""What running models here has taught: measured peaks and speeds, kept for the next prediction.

A small SQLite file in the data folder. Runs write to it, the list of models and every prediction read from it.
"""

from __future__ import annotations

import sqlite3
import statistics
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from desktop.foundation.private_files import make_private_folder

FILE_NAME = "measured.db"
_WAIT_S = 5.0
_MAX_BASE_CHANGE_MIB = 64.0
_RUNS_FOR_SPEED = 50
_RUNS_FOR_BASE = 20


@dataclass(frozen=True, slots=True)
class Measurement:
    """One model loaded and used once. Sizes MiB; None where it was not measured.

    model: `estimator.card_key`. predicted_mib: the peak as it was told before, with
    base_mib for the engine's own process. layers, fast_bytes, slow_bytes: cost of a token, for the speed
    estimate. at: UTC, ISO 8601.
    """

    model: str
    name: str
    engine: str
    context_tokens: int
    slots: int
    cache_type: str
    threads: int
    predicted_mib: float | None
    base_mib: float | None
    peak_mib: float | None
    tokens_per_second: float | None
    layers: int
    fast_bytes: float
    slow_bytes: float
    at: str
    origin: str
    """Which load it was: 'run:candidate', or the time of a measurement by hand. Kept once."""


_TABLE = """
CREATE TABLE IF NOT EXISTS measured (
  id INTEGER PRIMARY KEY, model TEXT NOT NULL, name TEXT NOT NULL, engine TEXT NOT NULL,
  context_tokens INTEGER NOT NULL, slots INTEGER NOT NULL, cache_type TEXT NOT NULL, threads INTEGER NOT NULL,
  predicted_mib REAL, base_mib REAL, peak_mib REAL, tokens_per_second REAL,
  layers INTEGER NOT NULL, fast_bytes REAL NOT NULL, slow_bytes REAL NOT NULL, at TEXT NOT NULL,
  origin TEXT NOT NULL UNIQUE
)
"""
_COLUMNS = tuple(entry.name for entry in fields(Measurement))


class History:
    """Opens the file for each call, so that it may be used from any thread and by several programs at once.

    Reading from a file that is missing or damaged gives nothing; writing raises sqlite3.Error or OSError.
    """

    def __init__(self, data_folder: Path) -> None:
        self._file = data_folder / FILE_NAME

    def add(self, measurement: Measurement) -> None:
        make_private_folder(self._file.parent)
        with self._open() as connection, connection:
            connection.execute(_TABLE)
            marks = ", ".join("?" * len(_COLUMNS))
            connection.execute(
                f"INSERT OR REPLACE INTO measured ({', '.join(_COLUMNS)}) VALUES ({marks})",
                tuple(asdict(measurement)[name] for name in _COLUMNS),
            )

    def origins(self) -> frozenset[str]:
        """All loads that are known."""
        return frozenset(entry.origin for entry in self._read("ORDER BY id DESC LIMIT 5000", ()))

    def latest(self) -> dict[str, tuple[Measurement, ...]]:
        """All that is known, newest first, by model: one read for a whole list."""
        found: dict[str, list[Measurement]] = {}
        for entry in self._read("ORDER BY id DESC LIMIT 5000", ()):
            found.setdefault(entry.model, []).append(entry)
        return {model: tuple(entries) for model, entries in found.items()}

    def speeds(self, threads: int) -> tuple[Measurement, ...]:
        """The newest runs with a measured speed and this thread count."""
        return self._read(
            f"WHERE threads = ? AND tokens_per_second > 0 ORDER BY id DESC LIMIT {_RUNS_FOR_SPEED}", (threads,)
        )

    def base_mib(self, default: float, engine: str | None = None) -> float:
        """What the engine's own process takes here: the median of what measured peaks leave for it.

        Peaks that lie more than 64 MiB off are not the process's own doing and are left out. `default` without
        measurements.
        """
        where = "WHERE peak_mib > 0 AND predicted_mib > 0 AND base_mib > 0"
        where += " AND engine = ?" if engine else ""
        rows = self._read(f"{where} ORDER BY id DESC LIMIT {_RUNS_FOR_BASE}", (engine,) if engine else ())
        found = [
            row.peak_mib - row.predicted_mib + row.base_mib
            for row in rows
            if row.peak_mib is not None and row.predicted_mib is not None and row.base_mib is not None
        ]
        near = [base for base in found if base > 0 and abs(base - default) <= _MAX_BASE_CHANGE_MIB]
        return statistics.median(near) if near else default

    def _read(self, rest: str, values: Sequence[object]) -> tuple[Measurement, ...]:
        if not self._file.is_file():
            return ()
        try:
            with self._open() as connection:
                rows = connection.execute(
                    f"SELECT {', '.join(_COLUMNS)} FROM measured {rest}", values
                ).fetchall()
        except sqlite3.Error:
            return ()
        return tuple(Measurement(*row) for row in rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=_WAIT_S)) as connection:
            yield connection
