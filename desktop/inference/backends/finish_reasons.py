"""Why an answer ended, in the servers' own words: which of them are the model's doing, and which never are."""

from __future__ import annotations

from desktop.inference.backends.base import BackendFault, FaultKind

UNKNOWN = "unknown"
"""The server gave no reason with the closing record of an answer."""
_OF_THE_MODEL = frozenset(
    {
        *("stop", "eos", "eos_token", "stop_sequence", "end_turn", UNKNOWN),
        *("length", "max_tokens"),
        *("tool_calls", "tool_use", "function_call"),
    }
)
_FILTERED = frozenset({"content_filter", "refusal", "safety", "sensitive"})
_ONLY_LOADED = frozenset({"load", "unload"})


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
