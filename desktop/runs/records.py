"""Rows of the journal as plain records. Observed facts and what was computed from them are kept apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from desktop.inference.backends.base import Generation, JsonValue
from packs.task.outcome import Cause, Outcome

SKIPPED_BY_YOU = "Skipped by you."
"""The reason of a candidate whose rest the person skipped."""
DELETED_KEPT_DAYS = 30
"""So long a deleted run can be restored; after that the next run removes it for good."""


class RunStatus(StrEnum):
    RUNNING = "running"
    """Being run now, by a living process."""
    INTERRUPTED = "interrupted"
    """Its process ended without a word; `resume` completes it. Never stored: it is what a reader finds."""
    FINISHED = "finished"
    """Every candidate came to an end, whatever end."""
    STOPPED = "stopped"
    """By the person; can be resumed."""
    FAILED = "failed"
    """Could not go on: disk full, a fault of ours. Can be resumed."""


class UnitStatus(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    """An answer came and was judged."""
    FAILED = "failed"
    SKIPPED = "skipped"


class CandidateStatus(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    COMPLETED = "completed"
    """At least one unit was completed."""
    FAILED = "failed"
    OOM = "oom"
    SKIPPED = "skipped"
    """The person skipped it before any unit was completed."""


@dataclass(frozen=True, slots=True, order=True)
class UnitKey:
    """Names one unit within its run."""

    candidate: int
    """Position in the run, from 0."""
    example: str
    repetition: int
    """From 1."""


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
    """Whole sentences, as told during the run."""
    status: RunStatus = RunStatus.RUNNING
    message: str = ""
    """How it ended, a sentence."""
    note: str = ""
    """The person's own."""
    pinned: bool = False
    deleted_at: str | None = None
    """Set while the deletion can still be undone."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of the history. Counts are of units."""

    id: str
    started_at: str
    finished_at: str | None
    status: RunStatus
    message: str
    pack_name: str
    pack_folder: str
    scorer: str
    backend: str
    candidates: tuple[str, ...]
    """Names in order of running."""
    examples: int
    repetitions: int
    completed: int
    failed: int
    skipped: int
    pending: int
    note: str
    pinned: bool
    deleted_at: str | None
    damaged: bool = False
    """Its row cannot be read; `message` says so."""

    @property
    def units(self) -> int:
        return self.completed + self.failed + self.skipped + self.pending

    @property
    def resumable(self) -> bool:
        """Is there something left to run, and nobody running it?"""
        return self.status is not RunStatus.RUNNING and self.pending > 0


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """One model of a run. `peak_mib` is the highest of all sessions of the run."""

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
    prefix: Mapping[str, JsonValue] = field(default_factory=dict)
    """The shared beginning that was read once: tokens, prompt_ms, method; empty when there was none."""
    cold_ttft_ms: tuple[float, ...] = ()
    """Of a few whole prompts read from nothing, measured apart when the units start from a prefix."""
    offload_suspicion: str | None = None
    """A sentence with its numbers, when the figures look like a split between processor and graphics."""
    repetitions_stopped: str | None = None
    """Why fewer repetitions were run than planned, a sentence (adaptive repetition)."""

    @property
    def ended_early(self) -> bool:
        """Was the rest of it left out? With some answers it is `COMPLETED` then, but with a reason."""
        return self.status is not CandidateStatus.COMPLETED or bool(self.reason)


class MemoryPoint(NamedTuple):
    """One sample of a candidate's memory. seconds: since its load began."""

    seconds: float
    used_mib: float


class UnitRow(NamedTuple):
    """One unit without its texts: what tables, plots and figures need. Read by the hundred thousand.

    position: of the example in the run, from 0. near_misses: their codes. wall_ms: request to end of answer.
    """

    candidate: int
    position: int
    example: str
    repetition: int
    status: UnitStatus
    cause: Cause | None
    """None while pending."""
    score: float | None
    passed: bool | None
    strict_score: float | None
    strict_passed: bool | None
    failed_gate: str | None
    near_misses: tuple[str, ...]
    finish_reason: str | None
    ttft_ms: float | None
    wall_ms: float | None
    tokens_per_second: float | None
    prompt_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cold: bool | None
    retried: bool

    @property
    def key(self) -> UnitKey:
        return UnitKey(self.candidate, self.example, self.repetition)


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """One unit whole. generation: None unless an answer came (a cut one counts). outcome: None if pending."""

    run_id: str
    candidate: int
    example: str
    repetition: int
    status: UnitStatus
    attempts: int
    failure: str
    """The server's own words of the last fault; empty without one."""
    generation: Generation | None
    outcome: Outcome | None
    cold: bool | None = None
    retried: bool = False
    """Left out of latency medians."""
    finished_at: str | None = None

    @property
    def key(self) -> UnitKey:
        return UnitKey(self.candidate, self.example, self.repetition)


class StoredAnswer(NamedTuple):
    """One completed unit's output with what was made of it: all that re-scoring needs."""

    key: UnitKey
    text: str
    reasoning: str
    finish_reason: str
    prompt_tokens: int | None
    output_tokens: int | None
    cause: Cause
    score: float | None
    passed: bool | None
