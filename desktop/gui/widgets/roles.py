"""Item roles that the painting delegates read. A model gives the value class named here, or None."""

from __future__ import annotations

from PySide6.QtCore import Qt

_FIRST = int(Qt.ItemDataRole.UserRole) + 1

RUNS_ROLE = _FIRST
"""`text_runs.Runs`: pieces of text in several styles."""
CHIPS_ROLE = _FIRST + 1
"""`chip.Chips`."""
INTERVAL_ROLE = _FIRST + 2
"""`interval.IntervalValue`."""
CAUSE_ROLE = _FIRST + 3
"""`packs.task.outcome.Cause`: painted as a cell before the text."""
MEMORY_ROLE = _FIRST + 4
"""`memory_bar.MemoryValue`."""
CAUSE_COUNTS_ROLE = _FIRST + 5
"""`cause_counts.CauseCounts`."""
