"""A run of the journal as report data, in one call."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from desktop.reports.answer import RecommendationOptions
from desktop.reports.data import ReportData
from desktop.reports.gather import DEFAULT, gather
from desktop.runs.journal.reader import JournalReader


def report_data(journal: Path, name: str, now: datetime, choice: RecommendationOptions = DEFAULT) -> ReportData:
    """name: a run's id, a unique beginning of one, 'last', or a bundle's file. now: UTC. Raises AppError."""
    created_at = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    if name.lower().endswith(".zip") and Path(name).expanduser().is_file():
        from desktop.reports.from_bundle import report_of_bundle

        return report_of_bundle(Path(name).expanduser(), created_at=created_at, choice=choice)
    with JournalReader(journal) as reader:
        return gather(reader, reader.resolve(name), created_at=created_at, choice=choice)
