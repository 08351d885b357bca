"""What is counted of one candidate while a run goes on: sums and medians, never the units themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from desktop.application.strongest_cause import strongest
from desktop.runs.records import SKIPPED_BY_YOU, CandidateStatus
from packs.task.outcome import Cause, CauseKind


class CandidateSums:
    """The running sums of one candidate."""

    __slots__ = (
        "cells",
        "counts",
        "done",
        "judged",
        "name",
        "now_mib",
        "passed",
        "peak_mib",
        "predicted_mib",
        "quantization",
        "rates",
        "reason",
        "status",
        "ttft",
    )

    def __init__(self, name: str, examples: int) -> None:
        self.name = name
        self.quantization: str | None = None
        self.status = CandidateStatus.WAITING
        self.reason = ""
        self.done = 0
        self.counts: Counter[Cause] = Counter()
        self.judged = bytearray(examples)
        self.passed = bytearray(examples)
        self.cells: list[Cause | None] = [None] * examples
        self.ttft: list[float] = []
        self.rates: list[float] = []
        self.now_mib: float | None = None
        self.peak_mib: float | None = None
        self.predicted_mib: float | None = None

    def add(self, position: int, cause: Cause, passed: bool | None) -> None:
        self.done += cause.kind is not CauseKind.DID_NOT_HAPPEN
        self.counts[cause] += 1
        self.cells[position] = strongest(self.cells[position], cause)
        if cause.kind in (CauseKind.ANSWERED, CauseKind.STOPPED_EARLY) and self.judged[position] < 255:
            self.judged[position] += 1
            self.passed[position] += bool(passed)

    def end(self, status: CandidateStatus, reason: str, peak_mib: float | None) -> None:
        """Nothing more comes of it."""
        if status is CandidateStatus.COMPLETED and reason:
            # Given up or skipped after some answers: "finished" would not be true.
            status = CandidateStatus.SKIPPED if reason == SKIPPED_BY_YOU else CandidateStatus.FAILED
        self.status = status
        self.reason = reason
        self.now_mib = None
        if peak_mib is not None:
            self.peak_mib = peak_mib


def median(ordered: Sequence[float]) -> float | None:
    """Of values in ascending order; None without any."""
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
