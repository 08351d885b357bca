"""Stream times become latency figures."""

from __future__ import annotations

from typing import Any

import pytest

from desktop.inference.backends.stream_clock import ChunkTimes
from tests.conformance.vectors_dir import load

CASES: list[dict[str, Any]] = load("task/timing.json") or []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_that_stream_times_give_the_stated_figures(case: dict[str, Any]) -> None:
    instants = iter([case["started_ms"], *case["chunk_ms"], case["finished_ms"]])
    times = ChunkTimes(now=lambda: next(instants) / 1000)
    for _ in case["chunk_ms"]:
        times.chunk()
    timing = times.timing()
    expected = case["result"]
    assert timing.chunks == expected["chunks"]
    for name in ("ttft_ms", "tokens_per_second", "wall_ms"):
        if expected[name] is None:
            assert getattr(timing, name) is None
        else:
            assert getattr(timing, name) == pytest.approx(expected[name], rel=1e-9, abs=1e-9)
