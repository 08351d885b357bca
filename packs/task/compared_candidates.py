"""How candidates of a run are compared by quality, size and speed, whatever the rule that picks one of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from packs.task.recommendation import Candidate, NotPicked


def why_not_finished(candidate: Candidate) -> NotPicked | None:
    """Why a candidate cannot be considered whatever its answers are; None when it finished with a score."""
    name = candidate.name
    if candidate.status == "oom":
        return NotPicked(name, "oom", f"{name} ran out of memory.")
    if candidate.status == "running":
        return NotPicked(name, "interrupted", f"{name} was interrupted.")
    if candidate.status != "completed":
        return NotPicked(name, "failed", f"{name} did not complete.")
    if candidate.quality is None:
        return NotPicked(name, "no_score", f"{name} has no scored answer.")
    return None


def frontier(candidates: Sequence[Candidate]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names not dominated and dominated, in input order (section 17.3).

    Axes: quality, measured peak, tokens per second. On an axis where either is unknown the two are equal.
    """
    kept: list[str] = []
    lost: list[str] = []
    for one in candidates:
        (lost if any(_dominates(other, one) for other in candidates) else kept).append(one.name)
    return tuple(kept), tuple(lost)


def _dominates(one: Candidate, other: Candidate) -> bool:
    gains = []
    for mine, theirs, larger_is_better in (
        (one.quality, other.quality, True),
        (one.peak_mib, other.peak_mib, False),
        (one.tokens_per_second, other.tokens_per_second, True),
    ):
        if mine is not None and theirs is not None:
            gains.append(mine - theirs if larger_is_better else theirs - mine)
    return all(gain >= 0 for gain in gains) and any(gain > 0 for gain in gains)


def footprint_of(candidates: Sequence[Candidate]) -> str:
    """What sizes are compared by: 'memory', 'weights', or 'none' for models behind an API."""
    if candidates and all(candidate.peak_mib is not None for candidate in candidates):
        return "memory"
    return "none" if all(not candidate.weights_mib for candidate in candidates) else "weights"


def size_of(candidate: Candidate, footprint: str) -> float:
    """MiB by the given footprint; 0 with 'none'."""
    if footprint == "memory":
        return candidate.peak_mib or 0.0
    return (candidate.weights_mib or 0.0) if footprint == "weights" else 0.0


def name_key(name: str) -> tuple[str, str, str]:
    """Alphabetical as people sort: accents and case last, small letters before capitals."""
    decomposed = unicodedata.normalize("NFD", name.casefold())
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return bare, name.casefold(), name.swapcase()
