"""Writes a made-up report's run into a journal, so that windows and commands can read it there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from desktop.reports.data import ReportData
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import UnitKey


def write_journal(data: ReportData, path: Path, **changes: object) -> str:
    """All of `data` as a finished run; `changes` to its RunRecord. Returns the run's id."""
    snapshot = {
        "name": data.pack.name,
        "examples": [
            {"id": entry.id, "input": entry.input, "expected": entry.expected} for entry in data.examples
        ],
    }
    run = replace(data.run, pack_snapshot=snapshot, **changes)  # type: ignore[arg-type]
    places = {entry.id: place for place, entry in enumerate(data.examples)}
    with JournalWriter(path) as writer:
        writer.add_run(
            run,
            [replace(view.record, run_id=run.id) for view in data.candidates],
            [
                (places[unit.example], UnitKey(unit.candidate, unit.example, unit.repetition))
                for unit in data.units
            ],
            examples=len(data.examples),
            repetitions=data.repetitions,
        )
        for unit in data.units:
            if unit.outcome is not None:
                writer.finish_unit(
                    run.id,
                    unit.key,
                    status=unit.status,
                    outcome=unit.outcome,
                    generation=unit.generation,
                    failure=unit.failure,
                    attempts=unit.attempts,
                    cold=unit.cold,
                    retried=unit.retried,
                )
        writer.update_run(run.id, status=run.status, message=run.message, finished=True)
    return run.id
