"""Rows of the journal as plain records. Observed facts and what was computed from them are kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from desktop.backends.base import Generation, JsonValue
from packs.task.outcome import Outcome


class UnitStatus(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


class CandidateStatus(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    OOM = "oom"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. Times are UTC, ISO 8601 with seconds. `settings` and `machine` are plain JSON."""

    id: str
    started_at: str
    finished_at: str | None
    pack_name: str
    pack_folder: str
    pack_type: str
    scorer: str
    fingerprint: str
    pack_snapshot: Mapping[str, JsonValue]
    """What re-scoring and reporting need when the folder is gone: prompt, examples, scorer, gates, generation,
    provenance."""
    backend: str
    backend_version: str
    machine: Mapping[str, JsonValue]
    memory_method: str | None
    memory_unknown_because: str | None
    settings: Mapping[str, JsonValue]
    """How it was asked for: models, endpoint, limit, repetitions, force, configuration path and hash, …"""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    run_id: str
    index: int
    """Order of running, from 0."""
    name: str
    digest: str | None
    quantization: str | None
    parameter_count: str | None
    size_bytes: int | None
    path: str | None
    status: CandidateStatus
    reason: str
    verdict: str
    """'fits', 'does-not-fit', 'unknown', 'not-applicable'."""
    predicted_mib: float | None
    prediction: Mapping[str, JsonValue]
    """The arithmetic behind it."""
    peak_mib: float | None
    memory_method: str | None
    load_ms: float | None
    engine: str | None
    load_options: Mapping[str, JsonValue] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """generation: None unless an answer came (a cut one counts). outcome: None while pending."""

    run_id: str
    candidate: int
    example: str
    repetition: int
    status: UnitStatus
    attempts: int
    failure: str
    generation: Generation | None
    outcome: Outcome | None
    cold: bool | None = None
    retried: bool = False
    """Left out of latency medians."""
