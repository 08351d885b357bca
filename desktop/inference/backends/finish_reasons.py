"""How answers end: which of the servers' words are the model's doing, and what is kept of a broken-off one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from desktop.inference.backends.base import BackendFault, FaultKind

UNKNOWN = "unknown"
"""The server gave no reason with the closing record of an answer."""
_KEPT_CHARACTERS = 20_000
_OF_THE_MODEL = frozenset(
    {
        *("stop", "eos", "eos_token", "stop_sequence", "end_turn", UNKNOWN),
        *("length", "max_tokens"),
        *("tool_calls", "tool_use", "function_call"),
    }
)
_FILTERED = frozenset({"content_filter", "refusal", "safety", "sensitive"})
_ONLY_LOADED = frozenset({"load", "unload"})


@contextmanager
def kept_text(pieces: Sequence[str]) -> Iterator[None]:
    """Around reading an answer: a fault tells how much text had come before it, and keeps it in its detail.

    pieces: of visible text, as they are gathered. Inside the session's guard, which takes keys out.
    """
    try:
        yield
    except BackendFault as fault:
        came = [piece for piece in pieces if piece]
        if not came:
            raise
        after = f"{len(came)} piece{'' if len(came) == 1 else 's'} of text had come by then."
        text = "".join(came)[:_KEPT_CHARACTERS]
        raise BackendFault(
            fault.kind,
            f"{fault.message} {after}",
            fault.fix,
            detail=f"{fault.detail}\nText until then: {text}".lstrip(),
            retry_after_s=fault.retry_after_s,
        ) from fault


def fault_of_finish(reason: str, server: str) -> BackendFault | None:
    """None for an answer that the model ended itself, or that reached the limit of tokens."""
    word = reason.casefold()
    if word in _OF_THE_MODEL:
        return None
    detail = f"finish reason: {reason[:200]}"
    if word in _FILTERED:
        return BackendFault(
            FaultKind.FILTERED,
            f"{server}: a content filter stopped the answer; it is not the model's.",
            "Use a server or a model without that filter for this example.",
            detail=detail,
        )
    if word in _ONLY_LOADED:
        return BackendFault(
            FaultKind.SERVER_ERROR,
            f"{server} loaded the model and wrote no answer.",
            "Run it again; a prompt that is empty after the server's template has this effect.",
            detail=detail,
        )
    return BackendFault(
        FaultKind.SERVER_ERROR,
        f"{server} broke the answer off ({reason[:60]}).",
        "See the server's own log.",
        detail=detail,
    )
