"""How long one answer took here: the best guess for how long it will take again. Read from the journal."""

from __future__ import annotations

import statistics
from pathlib import Path

from desktop.runs.estimate import TimeRange
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import UnitStatus
from packs.errors import AppError

RUNS_LOOKED_AT = 40
"""So many of the newest runs are asked."""
SPREAD = (0.8, 1.4)
"""What the next run may take of the time measured: other programs, warm or cold disk."""
LOAD_S = (2.0, 30.0)


def median_seconds(reader: JournalReader, folder: Path) -> dict[str, float]:
    """Median seconds of a completed answer by model, from the newest run of the same pack that has one."""
    found: dict[str, float] = {}
    runs = [run for run in reader.runs(limit=RUNS_LOOKED_AT) if Path(run.pack_folder) == folder.absolute()]
    for run in sorted(runs, key=lambda run: run.started_at, reverse=True):
        for place, name in enumerate(run.candidates):
            if name in found:
                continue
            try:
                units = reader.units(run.id, place)
            except AppError:
                continue  # one damaged run: an older one may know
            walls = [
                unit.wall_ms / 1000
                for unit in units
                if unit.status is UnitStatus.COMPLETED and unit.wall_ms is not None
            ]
            if walls:
                found[name] = statistics.median(walls)
    return found


def measured_range(units: int, seconds: float) -> TimeRange:
    """Of one model, loading included."""
    return TimeRange(units * seconds * SPREAD[0] + LOAD_S[0], units * seconds * SPREAD[1] + LOAD_S[1])
