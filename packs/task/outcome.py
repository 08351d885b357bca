"""What became of one unit: its score, and the one cause that explains it.

The closed list of causes is part of the product: a score of zero always carries one of them, and only the
causes that are the model's own doing speak against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class CauseKind(StrEnum):
    ANSWERED = "answered"
    """The model answered; the score is its own doing."""
    STOPPED_EARLY = "stopped_early"
    """There is no whole answer; shown apart."""
    NOT_THE_MODEL = "not_the_model"
    """Server, machine or set-up; never speaks against the model."""
    DID_NOT_HAPPEN = "did_not_happen"


class Cause(StrEnum):
    CORRECT = "correct"
    PARTLY_CORRECT = "partly_correct"
    WRONG = "wrong"
    GATE_FAILED = "gate_failed"
    UNREADABLE = "unreadable"
    ANSWER_CUT = "answer_cut"
    REASONING_USED_IT_UP = "reasoning_used_it_up"
    EMPTY = "empty"
    INPUT_CUT = "input_cut"
    SERVER_ERROR = "server_error"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    TEMPLATE_SUSPECTED = "template_suspected"
    CANCELLED = "cancelled"
    NOT_RUN = "not_run"

    @property
    def kind(self) -> CauseKind:
        return _KINDS[self]

    @property
    def message(self) -> str:
        """As shown to a person: 'out of memory'."""
        return self.value.replace("_", " ")


_KINDS: Mapping[Cause, CauseKind] = {
    Cause.CORRECT: CauseKind.ANSWERED,
    Cause.PARTLY_CORRECT: CauseKind.ANSWERED,
    Cause.WRONG: CauseKind.ANSWERED,
    Cause.GATE_FAILED: CauseKind.ANSWERED,
    Cause.UNREADABLE: CauseKind.ANSWERED,
    Cause.ANSWER_CUT: CauseKind.STOPPED_EARLY,
    Cause.REASONING_USED_IT_UP: CauseKind.STOPPED_EARLY,
    Cause.EMPTY: CauseKind.STOPPED_EARLY,
    Cause.INPUT_CUT: CauseKind.NOT_THE_MODEL,
    Cause.SERVER_ERROR: CauseKind.NOT_THE_MODEL,
    Cause.TIMED_OUT: CauseKind.NOT_THE_MODEL,
    Cause.OUT_OF_MEMORY: CauseKind.NOT_THE_MODEL,
    Cause.CRASHED: CauseKind.NOT_THE_MODEL,
    Cause.TEMPLATE_SUSPECTED: CauseKind.NOT_THE_MODEL,
    Cause.CANCELLED: CauseKind.DID_NOT_HAPPEN,
    Cause.NOT_RUN: CauseKind.DID_NOT_HAPPEN,
}


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A small thing that kept an answer from being read: bold marks, a final stop, an invisible mark.

    code: stable word (`bold_marks`). message: in words, one sentence. start, end: the place in the scored
    text, in code points, end excluded; None when it has no single place.
    """

    code: str
    message: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The judgement of one unit.

    score: 0 to 1 and passed: as reported; None when the unit has no score (it was not run, or failed).
    strict_score, strict_passed: by the format's own strict reading of the raw text; equal to the former
        unless reasoning text was set aside.
    reason: one sentence for a person. scored_text: what the scorer read; reasoning: what was set aside.
    failed_gate: name of the first failing gate's scorer or None.
    detail: the scorer's own record, and under "gates" those of all gates; plain JSON values only.
    """

    cause: Cause
    score: float | None
    passed: bool | None
    reason: str
    strict_score: float | None = None
    strict_passed: bool | None = None
    near_misses: tuple[NearMiss, ...] = ()
    scored_text: str = ""
    reasoning: str = ""
    failed_gate: str | None = None
    detail: Mapping[str, object] = field(default_factory=dict)
