"""Names of files that are good on every platform. Free of Qt."""

from __future__ import annotations

_ILLEGAL = '<>:"/\\|?*'
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))}
)
_LONGEST = 100


def name_fault(name: str) -> str:
    """Why a file name is not good on every platform, in one sentence; '' when it is. name: without `.json`."""
    if not name.strip():
        return "A name is needed."
    if any(sign in _ILLEGAL or ord(sign) < 32 for sign in name):
        return f"A name may not hold any of {_ILLEGAL}"
    if name != name.strip() or name.endswith("."):
        return "A name may not begin or end with a blank, nor end with a full stop."
    if name.casefold().split(".")[0] in _RESERVED:
        return f"“{name}” is reserved on Windows."
    if len(name.encode()) > _LONGEST:
        return "The name is too long."
    return ""
