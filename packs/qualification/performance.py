"""Figures of the capture: descriptive only. Qualification-pack format, section 11."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from packs.canonical import JsonValue
from packs.qualification.captures import Capture
from packs.qualification.replies import empty_content, read_reply, usage_of

TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens")


def performance_record(
    captures: Sequence[Capture], wall_seconds: float, concurrency: int
) -> dict[str, JsonValue]:
    """wall_seconds: of the whole capture, pauses of a resumed run left out."""
    durations = [capture.duration_seconds for capture in captures]
    usages = [usage_of(capture.response) for capture in captures]
    record: dict[str, JsonValue] = {
        "cases": len(captures),
        "capture_wall_clock_seconds": round(wall_seconds, 6),
        "configured_concurrency": concurrency,
        "effective_concurrency": round(sum(durations) / wall_seconds, 6) if wall_seconds > 0 else None,
        "case_duration_seconds": {**_spread(durations), **_percentiles(durations)},
        "truncated_cases": sum(read_reply(c.response, c.error).truncated for c in captures),
        "empty_content_cases": sum(empty_content(c.response) for c in captures),
    }
    for name in TOKENS:
        record[name] = _spread([usage[name] for usage in usages if name in usage])
    return record


def _spread(values: Sequence[float]) -> dict[str, JsonValue]:
    if not values:
        return {"n": 0, "sum": 0, "median": None, "max": None}
    total = sum(values)
    return {
        "n": len(values),
        "sum": round(total, 6) if isinstance(total, float) else total,
        "median": float(statistics.median(values)),
        "max": max(values),
    }


def _percentiles(values: Sequence[float]) -> dict[str, JsonValue]:
    """90th and 99th, nearest rank (section 28, W25: median and maximum say little of the slow ones)."""
    ordered = sorted(values)

    def rank(share: float) -> float | None:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None

    return {"p90": rank(0.9), "p99": rank(0.99)}
