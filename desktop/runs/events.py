"""What a run tells while it goes on. Read with `match`; frozen, small, no prompts and no whole outputs.

Events are made on the run's own thread. Whoever shows them carries them over in batches.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.runs.records import UnitKey
from packs.task.outcome import Cause

__all__ = [
    "Activity",
    "CandidateFinished",
    "CandidateLoaded",
    "CandidateStarted",
    "MemoryMeasured",
    "Notice",
    "Paused",
    "RunEvent",
    "RunFinished",
    "RunStarted",
    "TextArrived",
    "TimeLeft",
    "UnitFinished",
    "UnitKey",
    "UnitStarted",
    "UnitsLeftOut",
]


@dataclass(frozen=True, slots=True)
class RunStarted:
    """units_done: finished in an earlier session of a resumed run."""

    run_id: str
    units_total: int
    candidates: tuple[str, ...]
    """Names in the order they will be run."""
    examples: tuple[str, ...]
    repetitions: int
    units_done: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """What is happening now, in words: 'loading gemma-3-270m', 'waiting for the server'.

    since: monotonic seconds at which it began, so that a window can count. can_skip: may be skipped.
    """

    candidate: int | None
    message: str
    since: float
    can_skip: bool = False


@dataclass(frozen=True, slots=True)
class CandidateStarted:
    candidate: int


@dataclass(frozen=True, slots=True)
class CandidateLoaded:
    candidate: int
    load_ms: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitStarted:
    key: UnitKey
    prompt_tokens: int | None


@dataclass(frozen=True, slots=True)
class TextArrived:
    """A new piece of the answer being written, or of its reasoning."""

    key: UnitKey
    text: str
    is_reasoning: bool = False


@dataclass(frozen=True, slots=True)
class UnitFinished:
    """Stored already when this is told."""

    key: UnitKey
    cause: Cause
    score: float | None
    passed: bool | None
    ttft_ms: float | None
    tokens_per_second: float | None
    cold: bool | None
    """Was the whole prompt read from nothing? None where the server does not say."""


@dataclass(frozen=True, slots=True)
class UnitsLeftOut:
    """Planned units that turned out not to be needed; they are no longer part of the run."""

    candidate: int
    count: int
    reason: str


@dataclass(frozen=True, slots=True)
class MemoryMeasured:
    candidate: int
    now_mib: float
    peak_mib: float
    free_mib: float | None


@dataclass(frozen=True, slots=True)
class CandidateFinished:
    """status: a CandidateStatus value. reason: a sentence; empty when there is nothing to say."""

    candidate: int
    status: str
    reason: str
    peak_mib: float | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know: on battery, memory not given back, machine busy."""

    code: str
    message: str
    candidate: int | None = None


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """An honest range of what remains, in seconds; None where nothing is known yet."""

    elapsed_s: float
    low_s: float | None
    high_s: float | None
    units_done: int
    units_total: int


@dataclass(frozen=True, slots=True)
class Paused:
    """paused: True once nothing is being worked on; False when the run goes on."""

    paused: bool


@dataclass(frozen=True, slots=True)
class RunFinished:
    """status: 'finished', 'stopped', 'failed'. message: how it ended, a sentence."""

    run_id: str
    status: str
    message: str


RunEvent = (
    RunStarted
    | Activity
    | CandidateStarted
    | CandidateLoaded
    | UnitStarted
    | TextArrived
    | UnitFinished
    | UnitsLeftOut
    | MemoryMeasured
    | CandidateFinished
    | Notice
    | TimeLeft
    | Paused
    | RunFinished
)
