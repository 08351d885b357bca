"""The events of a run, oldest first, bounded: the newest 500 stay."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from desktop.application.live_run import EventLine
from desktop.gui.widgets.rows_model import Column, RowsModel

KEPT = 500


def event_text(line: EventLine) -> str:
    """'brook-2b: out of memory …'."""
    return f"{line.subject}: {line.message}" if line.subject else line.message


class EventsModel(RowsModel[EventLine]):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            [Column("", event_text, spoken=lambda line: f"{line.at} {event_text(line)}", tooltip=event_text)],
            parent,
        )

    def add(self, lines: Sequence[EventLine]) -> None:
        self.append(lines[-KEPT:])
        self.remove_first(self.rowCount() - KEPT)
