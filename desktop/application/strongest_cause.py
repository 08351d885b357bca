"""Which cause one cell shows when it stands for several units: the one that most wants to be looked at."""

from __future__ import annotations

from collections.abc import Mapping

from packs.task.outcome import Cause

_STRENGTH: Mapping[Cause, int] = {
    cause: place
    for place, cause in enumerate(
        (
            Cause.NOT_RUN,
            Cause.CANCELLED,
            Cause.CORRECT,
            Cause.PARTLY_CORRECT,
            Cause.EMPTY,
            Cause.REASONING_USED_IT_UP,
            Cause.ANSWER_CUT,
            Cause.INPUT_CUT,
            Cause.TEMPLATE_SUSPECTED,
            Cause.TIMED_OUT,
            Cause.SERVER_ERROR,
            Cause.OUT_OF_MEMORY,
            Cause.CRASHED,
            Cause.UNREADABLE,
            Cause.GATE_FAILED,
            Cause.WRONG,
        )
    )
}


def strongest(first: Cause | None, second: Cause) -> Cause:
    """The cause that one cell shows for several units: the one that most wants to be looked at."""
    return second if first is None or _STRENGTH[second] >= _STRENGTH[first] else first
