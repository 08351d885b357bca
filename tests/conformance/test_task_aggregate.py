"""The figures of one candidate against the conformance cases."""

from __future__ import annotations

from typing import Any

import pytest

from packs.task.aggregate import Figure, UnitResult, summarise
from tests.conformance.task_compare import binding, same
from tests.conformance.vectors_dir import load


def unit(entry: dict[str, Any]) -> UnitResult:
    return UnitResult(
        entry["example"],
        entry["rep"],
        entry["status"],
        entry["score"],
        entry["passed"],
        entry["output"] or "",
        entry["done"] or "",
        entry["ttft"],
        entry["tps"],
        entry["wall"],
        entry["failed_gate"],
    )


def spread(figure: Figure | None) -> list[float] | None:
    return [figure.smallest, figure.largest] if figure else None


@pytest.mark.parametrize("case", load("task/aggregate.json") or [], ids=lambda case: case["id"])
def test_that_the_summary_agrees_with_the_vector(case: dict[str, Any]) -> None:
    summary = summarise([unit(entry) for entry in case["units"]], predicted_mib=1000, peak_mib=900)
    got = {
        "completed": summary.completed,
        "failed": summary.failed,
        "pending": summary.pending,
        "skipped": summary.skipped,
        "mean_score": summary.quality,
        "pass_rate": summary.pass_rate,
        "rep_means": [list(entry) for entry in summary.repetition_means],
        "score_spread": list(summary.spread) if summary.spread else None,
        "ttft_median": summary.ttft.median if summary.ttft else None,
        "ttft_spread": spread(summary.ttft),
        "tps_median": summary.tokens_per_second.median if summary.tokens_per_second else None,
        "tps_spread": spread(summary.tokens_per_second),
        "wall_total": summary.wall_total_ms,
        "deterministic": summary.deterministic,
        "truncated_empty": summary.truncated_empty,
        "gates_passed": summary.gates_passed,
        "gate_failures": dict(summary.gate_failures),
        "memory_delta_percent": summary.memory_delta_percent,
    }
    assert not binding(case) or same(got, case["result"]), got
