"""A finished run for the self-check: a sample, and a made-up model that gives the expected answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from desktop.application.run_tasks import load_work
from desktop.cli.packs import PackKind, find_pack, sample_names
from desktop.inference.backends.base import Generation, Timing
from desktop.reports.data import ReportData
from desktop.reports.failures import as_text
from desktop.reports.loading import report_data
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord, RunStatus, UnitKey, UnitStatus
from packs.errors import AppError

_RUN = "0000000000000000"
_MODEL = CandidateRecord(
    run_id=_RUN,
    index=0,
    name="expected answers",
    digest=None,
    quantization=None,
    parameter_count=None,
    size_bytes=None,
    path=None,
    status=CandidateStatus.COMPLETED,
    reason="",
    verdict="unknown",
    predicted_mib=None,
    prediction={},
    peak_mib=None,
    memory_method=None,
    load_ms=None,
    engine="none: the expected answers themselves",
)


def run_with_own_answers(journal: Path, now: datetime) -> ReportData:
    """Writes a journal of its own and reads the report back from it. One answer in three is made wrong."""
    sample = next((name for name in sample_names() if find_pack(name).kind is PackKind.TASK), None)
    if sample is None:
        raise AppError("There are no samples.", "Install the program again.", code="incomplete")
    work, _ = load_work(find_pack(sample).folder)
    stamp = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    run = RunRecord(
        _RUN,
        stamp,
        stamp,
        work.name,
        work.folder,
        work.kind,
        work.scorer,
        work.fingerprint,
        work.snapshot(work.example_ids),
        "self-check",
        "none",
        {},
        None,
        "Nothing was run.",
        {},
        status=RunStatus.FINISHED,
    )
    keys = [(place, UnitKey(0, example, 1)) for place, example in enumerate(work.example_ids)]
    with JournalWriter(journal) as writer:
        writer.add_run(run, [_MODEL], keys, examples=len(keys), repetitions=1)
        for place, key in keys:
            text = as_text(work.pack.examples[place].expected) if place % 3 else "I do not know"
            generation = Generation(text, "", "stop", Timing(None, 1.0, None, None, None, None), {})
            outcome = work.judge(key.example, generation)
            writer.finish_unit(_RUN, key, status=UnitStatus.COMPLETED, outcome=outcome, generation=generation)
    return replace(report_data(journal, _RUN, now), elapsed_s=None)
