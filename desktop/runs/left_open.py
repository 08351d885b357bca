"""Which run is to be offered for completion at the next start: one that was cut off, or left when closing."""

from __future__ import annotations

import logging
from pathlib import Path

from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunStatus, RunSummary
from packs.documents.atomic import write_atomically
from packs.documents.regular_file import read_regular

log = logging.getLogger(__name__)

FILE_NAME = "left-open"
_MAX_BYTES = 1_000


def remember(data_folder: Path, run_id: str) -> None:
    """Never raises: a run that is not offered can still be found in the history."""
    try:
        write_atomically(data_folder / FILE_NAME, run_id.encode(), private=True)
    except OSError as error:
        log.warning("that a run was left open was not kept: %s", error)


def take(data_folder: Path, reader: JournalReader) -> RunSummary | None:
    """The newest run when its process ended without a word, or when it was stopped by closing (told once).

    A run that the person stopped is not offered: that was meant.
    """
    newest = max(reader.runs(), key=lambda run: run.started_at, default=None)
    if newest is None or not newest.resumable:
        return None
    if newest.status is RunStatus.INTERRUPTED:
        return newest
    marker = data_folder / FILE_NAME
    try:
        left = read_regular(marker, _MAX_BYTES)
        marker.unlink()
    except OSError:
        return None
    return newest if left == newest.id.encode() else None
