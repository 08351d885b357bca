"""Going on with a run that was stopped, interrupted or partly failed: only what is missing is run.

What the run began with must still be there: same pack, same configuration, same models, same engine. Anything
else is drift, and refused with what changed, since answers of both kinds in one result would mislead.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from desktop.inference.backends.base import ModelRef
from desktop.runs.engine import RunEnd, Session
from desktop.runs.journal import run_lock
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.new_records import models_of
from desktop.runs.pack_drift import changed_parts
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord, RunStatus, UnitKey, UnitStatus
from desktop.runs.settings import MAX_CONFIG_BYTES, RunSettings
from desktop.runs.setup import RunSetup
from desktop.runs.work import Work
from packs.documents.regular_file import read_regular
from packs.errors import AppError


@dataclass(frozen=True, slots=True)
class Resumable:
    """A run that can go on. to_run: units per candidate, those that failed included where asked for."""

    run: RunRecord
    candidates: tuple[CandidateRecord, ...]
    settings: RunSettings
    to_run: tuple[tuple[UnitKey, ...], ...]
    again: tuple[UnitKey, ...]
    """Units that were run before and failed or were skipped."""

    @property
    def units(self) -> int:
        return sum(len(keys) for keys in self.to_run)


def newest_resumable(reader: JournalReader) -> str | None:
    """Id of the newest run with pending units that nobody runs now; None when there is none."""
    found = [summary for summary in reader.runs() if summary.resumable or _unfinished(summary.status)]
    return max(found, key=lambda summary: summary.started_at).id if found else None


def _unfinished(status: RunStatus) -> bool:
    # All units done, but ended before the outcome was written: going on finishes it.
    return status is RunStatus.INTERRUPTED


def look_at(reader: JournalReader, run_id: str, *, retry_failed: bool = False) -> Resumable:
    """What resuming this run would do.

    retry_failed: units that failed, were skipped or not run are asked again, also of candidates that ran out of
    memory. Without it these are left as they are. Raises AppError for an unknown run and one that is going on.
    """
    record = reader.run(run_id)
    if record.status is RunStatus.RUNNING:
        raise AppError("This run is going on now.", "Wait for it, or stop it.", code="run_in_progress")
    candidates = tuple(reader.candidates(run_id))
    to_run: list[tuple[UnitKey, ...]] = []
    again: list[UnitKey] = []
    for candidate in candidates:
        keys: list[UnitKey] = []
        for row in reader.units(run_id, candidate.index):
            if row.status is UnitStatus.PENDING and (
                retry_failed or candidate.status is not CandidateStatus.OOM
            ):
                keys.append(row.key)
            elif retry_failed and row.status in (UnitStatus.FAILED, UnitStatus.SKIPPED):
                keys.append(row.key)
                again.append(row.key)
        to_run.append(tuple(keys))
    return Resumable(record, candidates, RunSettings.from_json(record.settings), tuple(to_run), tuple(again))


def refuse_drift(
    found: Resumable, work: Work | None, backend: str, version: str, models: Sequence[ModelRef] = ()
) -> None:
    """Raises AppError naming everything that changed since the run began.

    work: the pack as it is now; None when its folder is gone or it cannot be loaded. models: as the backend
    lists them now; what it does not list is not compared here but when it is loaded.
    """
    run, changed = found.run, []
    if work is None:
        changed.append(f"the pack cannot be read any more: {run.pack_folder}")
    elif work.fingerprint != run.fingerprint:
        # Examples that the run does not use are passed over by the comparison.
        parts = changed_parts(run.pack_snapshot, work.snapshot(work.example_ids))
        named = f" ({parts})" if parts else ""
        changed.append(f"the pack's files have changed{named}: {run.pack_folder}")
    changed += _configuration_drift(found.settings)
    if backend != run.backend:
        changed.append(f"it ran on {run.backend}, not on {backend}")
    elif version != run.backend_version:
        changed.append(f"it ran on {run.backend_version}, now there is {version}")
    by_name = {model.name: model for model in models}
    for candidate, keys in zip(found.candidates, found.to_run, strict=True):
        present = by_name.get(candidate.name)
        if keys and present is not None:
            changed += _model_drift(candidate, present)
        elif keys:
            changed += _model_gone(candidate, listed=bool(models))
    if changed:
        raise AppError(
            f"This run cannot go on as it began: {'; '.join(changed)}.",
            "Put it back as it was, or start a new run. Reports of this run can still be made.",
            code="drift",
        )


def _configuration_drift(settings: RunSettings) -> list[str]:
    if settings.config_path is None:
        return []
    try:
        present = hashlib.sha256(read_regular(Path(settings.config_path), MAX_CONFIG_BYTES)).hexdigest()
    except OSError:
        return [f"the run configuration is gone: {settings.config_path}"]
    return (
        []
        if present == settings.config_sha256
        else [f"the run configuration has changed: {settings.config_path}"]
    )


def _model_gone(candidate: CandidateRecord, *, listed: bool) -> list[str]:
    """A file that was named by the person is in no list; a server may list nothing at all."""
    if candidate.path is not None:
        return [] if Path(candidate.path).is_file() else [f"{candidate.name} is gone: {candidate.path}"]
    return [f"{candidate.name} is not there any more"] if listed else []


def _model_drift(candidate: CandidateRecord, present: ModelRef) -> list[str]:
    if candidate.digest and present.digest and candidate.digest != present.digest:
        return [f"{candidate.name} has other weights now"]
    if candidate.size_bytes and present.size_bytes and candidate.size_bytes != present.size_bytes:
        return [f"{candidate.name} has another size now"]
    return []


def resume_run(
    run_id: str, work_of: Callable[[RunRecord], Work | None], setup: RunSetup, *, retry_failed: bool = False
) -> RunEnd:
    """Go on with a run to its end. Blocks; for the run lane. Raises AppError as `go_on` does."""
    return asyncio.run(go_on(run_id, work_of, setup, retry_failed=retry_failed))


async def go_on(
    run_id: str, work_of: Callable[[RunRecord], Work | None], setup: RunSetup, *, retry_failed: bool = False
) -> RunEnd:
    """The same on a loop that runs already.

    work_of: loads the run's pack as it is now, None when it cannot be loaded. Raises AppError when the run is
    unknown or going on, when anything drifted, and as a run does.
    """
    with JournalReader(setup.journal) as reader:
        found = look_at(reader, run_id, retry_failed=retry_failed)
    version = setup.info.version if setup.info else await setup.backend.version()
    work = work_of(found.run)
    refuse_drift(found, work, setup.backend.name, version, await setup.backend.list_models())
    assert work is not None
    with JournalWriter(setup.journal, now=setup.now) as writer:
        run_lock.acquire(writer.connection, writer.path, command=setup.command, run_id=run_id, now=setup.now)
        try:
            writer.make_pending(run_id, found.again)
            for index in sorted({key.candidate for key in found.again}):
                writer.update_candidate(run_id, index, status=CandidateStatus.WAITING)
            models = models_of(found.candidates, setup.backend.name)
            return await Session(run_id, work, found.settings, setup, writer, models).run()
        finally:
            run_lock.release(writer.connection, writer.path)
