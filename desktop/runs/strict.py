"""The format's own strict reading, for a run that wants it: reasoning text is part of the answer."""

from __future__ import annotations

from dataclasses import replace

from packs.task.outcome import Cause, CauseKind, Outcome


def strictly(outcome: Outcome) -> Outcome:
    """The outcome with the strict score in the place of ours, and a cause that goes with it.

    Nothing changes where both agree, nor for a unit without a score.
    """
    same = outcome.strict_score == outcome.score and outcome.strict_passed == outcome.passed
    if same or outcome.strict_score is None or outcome.cause.kind is CauseKind.NOT_THE_MODEL:
        return outcome
    if outcome.strict_passed:
        cause = Cause.CORRECT
    else:
        cause = Cause.PARTLY_CORRECT if outcome.strict_score > 0 else Cause.UNREADABLE
    return replace(
        outcome,
        cause=cause,
        score=outcome.strict_score,
        passed=outcome.strict_passed,
        reason="Scored strictly: the reasoning before the answer counts as part of it, and the scorer reads the"
        f" whole. Without the reasoning: {outcome.reason}",
    )
