"""An old run's answers judged by its pack as it is today, beside what they were judged to be."""

from __future__ import annotations

from dataclasses import replace

from desktop.reports.data import ReportData
from desktop.reports.gather import compose
from desktop.runs.journal_read import JournalReader
from desktop.runs.rescore import judged_again
from desktop.runs.task_work import TaskWork


def report_rejudged(reader: JournalReader, run_id: str, work: TaskWork, *, created_at: str) -> ReportData:
    """Nothing is stored. work: the pack to judge by; examples it lacks keep their outcomes. Raises AppError."""
    run = reader.run(run_id)
    today = {
        answer.key: outcome for answer, outcome in judged_again(reader, run_id, work) if outcome is not None
    }
    units = tuple(
        replace(unit, outcome=today[unit.key]) if unit.key in today else unit
        for unit in reader.whole_units(run_id)
    )
    asked = {unit.example for unit in units}
    examples = [example for example in work.example_ids if example in asked]
    run = replace(run, pack_snapshot=work.snapshot(examples), fingerprint=work.fingerprint)
    return compose(run, reader.candidates(run_id), units, created_at=created_at)
