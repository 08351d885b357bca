"""What a backend's fault means for a run: its cause, whether to ask again, whether the candidate is over."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.foundation.logs import scrub
from desktop.inference.backends.base import BackendFault, FaultKind
from desktop.inference.backends.retry import Refusal
from packs.task.outcome import Cause, Outcome

MAX_MESSAGE = 200
"""Characters of a server's own words beside ours; all of them are kept with each unit."""

IN_A_ROW = {Cause.SERVER_ERROR: 5, Cause.TIMED_OUT: 3, Cause.CRASHED: 3}
"""So many units failing one after the other end the candidate: a silent server costs minutes, not hours."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """cause: of the unit. transient: asking again may help. ends_candidate: nothing more will come of it.
    server_works: however many follow each other, the next unit may be answered."""

    cause: Cause
    transient: bool = False
    ends_candidate: bool = False
    server_works: bool = False


_MEANINGS = {
    FaultKind.NOT_REACHABLE: Meaning(Cause.SERVER_ERROR, transient=True),
    FaultKind.BUSY: Meaning(Cause.SERVER_ERROR, transient=True),
    FaultKind.SERVER_ERROR: Meaning(Cause.SERVER_ERROR),
    FaultKind.TIMED_OUT: Meaning(Cause.TIMED_OUT),
    FaultKind.OUT_OF_MEMORY: Meaning(Cause.OUT_OF_MEMORY, ends_candidate=True),
    FaultKind.CRASHED: Meaning(Cause.CRASHED),
    FaultKind.FILTERED: Meaning(Cause.SERVER_ERROR, server_works=True),
    FaultKind.INPUT_TOO_LONG: Meaning(Cause.INPUT_CUT),
    FaultKind.NO_SUCH_MODEL: Meaning(Cause.SERVER_ERROR, ends_candidate=True),
    FaultKind.BAD_MODEL_FILE: Meaning(Cause.SERVER_ERROR, ends_candidate=True),
    FaultKind.NOT_SUPPORTED: Meaning(Cause.SERVER_ERROR, ends_candidate=True),
}


def meaning(fault: BackendFault) -> Meaning:
    """Adapters have told memory faults by the server's words already (task-pack format, section 14)."""
    return _MEANINGS[fault.kind]


def failed(fault: BackendFault) -> Outcome:
    """The outcome of a unit that got no answer: no score, our translation as the reason."""
    return Outcome(meaning(fault).cause, None, None, str(fault))


def own_text(fault: BackendFault) -> str:
    """The server's own, or ours where it said nothing. Adapters take their key out; this is the second look."""
    return scrub(fault.detail or fault.message)


def reason_of(fault: BackendFault) -> str:
    """Why a candidate ended: our sentence, and for an error of the server the beginning of its own words."""
    message = " ".join(scrub(fault.detail).split())
    if fault.kind is not FaultKind.SERVER_ERROR or not message:
        return str(fault)
    shown = message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE - 1]}…"
    return f"{fault} It said: {shown}"


def refusal_of(result: object) -> Refusal | None:
    """Of an answer or fault: a fault of the transport or a busy server is worth another attempt."""
    if not isinstance(result, BackendFault) or not meaning(result).transient:
        return None
    return Refusal(result.message, result.retry_after_s)
