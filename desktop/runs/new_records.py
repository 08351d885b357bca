"""The first records of a run, made from its plan, and what is read back from them to go on."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from desktop.inference.backends.base import ModelRef
from desktop.runs.addresses import without_secrets
from desktop.runs.offload import OffloadFacts
from desktop.runs.plan import PlannedCandidate, RunPlan
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord, UnitRow
from desktop.runs.resolve_settings import reported_beforehand
from desktop.runs.settings import RunSettings
from desktop.runs.setup import RunSetup
from desktop.runs.work import Work


def run_record(
    run_id: str, work: Work, plan: RunPlan, settings: RunSettings, setup: RunSetup, version: str
) -> RunRecord:
    info = setup.info
    address: dict[str, object] = {}
    if info is not None:
        place = None if info.address is None else without_secrets(info.address)
        address = {"address": place, "local": info.local, **info.extra}
    return RunRecord(
        id=run_id,
        started_at=setup.now(),
        finished_at=None,
        pack_name=work.name,
        pack_folder=work.folder,
        pack_type=work.kind,
        scorer=work.scorer,
        fingerprint=work.fingerprint,
        pack_snapshot=work.snapshot(plan.examples),
        backend=setup.backend.name,
        backend_version=version,
        machine=setup.machine,
        memory_method=None,
        memory_unknown_because=_memory_unknown(setup),
        settings={
            **settings.as_json(),
            "command": without_secrets(setup.command),
            "server": address,
            "remote_models": [entry.model.name for entry in plan.candidates if entry.model.remote],
            "left_out": [[entry.name, entry.code, entry.reason] for entry in plan.left_out],
        },
        notices=(*plan.notices, *reported_beforehand(settings)),
    )


def _memory_unknown(setup: RunSetup) -> str | None:
    if setup.memory_unknown_because:
        return setup.memory_unknown_because
    able = setup.backend.capabilities
    if able.memory:
        return None
    if not able.local:
        return "The model runs on another computer."
    return able.memory_unknown_because or f"{setup.backend.name} does not tell how much memory it uses."


def candidate_record(run_id: str, index: int, entry: PlannedCandidate) -> CandidateRecord:
    model, assessment = entry.model, entry.assessment
    return CandidateRecord(
        run_id=run_id,
        index=index,
        name=model.name,
        digest=model.digest,
        quantization=model.quantization,
        parameter_count=model.parameter_count,
        size_bytes=model.size_bytes,
        path=None if model.path is None else str(model.path),
        status=CandidateStatus.WAITING,
        reason="",
        verdict=assessment.verdict,
        predicted_mib=assessment.predicted_mib,
        prediction=assessment.arithmetic,
        peak_mib=None,
        memory_method=None,
        load_ms=None,
        engine=None,
    )


def models_of(records: Sequence[CandidateRecord], backend: str) -> dict[int, ModelRef]:
    """The models as they were planned, for a run that goes on."""
    return {
        record.index: ModelRef(
            backend,
            record.name,
            Path(record.path) if record.path else None,
            record.digest,
            record.size_bytes,
            record.quantization,
            record.parameter_count,
        )
        for record in records
    }


def offload_facts(record: CandidateRecord, units: Sequence[UnitRow]) -> OffloadFacts:
    """Of a completed candidate; its speed is the median over units that were not asked twice."""
    speeds = [row.tokens_per_second for row in units if row.tokens_per_second is not None and not row.retried]
    return OffloadFacts(
        record.name,
        record.size_bytes or 0,
        record.predicted_mib,
        record.peak_mib,
        statistics.median(speeds) if speeds else None,
    )
