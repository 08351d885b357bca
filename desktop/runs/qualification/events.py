"""What a qualification run tells while it goes on. Frozen and small; no prompts and no whole replies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CaptureStarted:
    run_id: str
    total: int
    already_done: int
    """Taken over from the journal of an earlier start."""


@dataclass(frozen=True, slots=True)
class ReplyArrived:
    """Written to the journal already when this is told. error: short, None for a usable reply."""

    case_id: str
    corpus: str
    run_index: int
    error: str | None
    duration_seconds: float
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The endpoint asked to be left alone for a while, or failed and is tried again."""

    case_id: str
    seconds: float
    reason: str


@dataclass(frozen=True, slots=True)
class ScoringBegan:
    pass


@dataclass(frozen=True, slots=True)
class BundleWritten:
    run_id: str
    folder: str
    status: str
    failed_requests: int


QualifyEvent = CaptureStarted | ReplyArrived | JudgeProgress | Waiting | ScoringBegan | BundleWritten
OnEvent = Callable[[QualifyEvent], None]


def ignore(event: QualifyEvent) -> None:
    """For callers that want no events."""
