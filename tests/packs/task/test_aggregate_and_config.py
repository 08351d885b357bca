"""The figures of one candidate beyond the vectors, and run configurations beyond them."""

from __future__ import annotations

import pytest

from packs.statistics.wilson import wilson_interval
from packs.task.aggregate import UnitResult, memory_delta_percent, summarise
from packs.task.model import Provenance
from packs.task.outcome import Cause, CauseKind
from packs.task.run_config import BadRunConfig, parse_run_config


def unit(example: str, repetition: int, score: float | None, **more: object) -> UnitResult:
    values: dict[str, object] = {
        "status": "completed",
        "passed": None if score is None else score == 1,
        "output": "x",
        "finish_reason": "stop",
        "ttft_ms": 100.0,
        "tokens_per_second": 20.0,
        "wall_ms": 500.0,
        **more,
    }
    return UnitResult(example, repetition, score=score, **values)  # type: ignore[arg-type]


def test_that_failures_are_counted_and_lower_nothing() -> None:
    units = [
        unit("a", 1, 1.0, cause=Cause.CORRECT),
        unit("b", 1, None, status="failed", cause=Cause.TIMED_OUT),
        unit("c", 1, 0.0, cause=Cause.WRONG),
        unit("d", 1, None, status="skipped", cause=Cause.NOT_RUN),
    ]
    summary = summarise(units)
    assert (summary.quality, summary.completed, summary.failed, summary.skipped) == (0.5, 2, 1, 1)
    assert summary.count_of(CauseKind.NOT_THE_MODEL) == 1
    assert summary.count_of(CauseKind.ANSWERED) == 2
    assert summary.units == 4


def test_that_intervals_count_examples_and_not_repetitions() -> None:
    units = [unit(f"e{n}", repetition, float(n < 8)) for n in range(10) for repetition in (1, 2, 3)]
    summary = summarise(units)
    assert summary.pass_interval == wilson_interval(8, 10)
    assert summary.deterministic is True
    assert not summary.spread_is_shown


def test_that_a_unit_without_a_score_is_left_out_of_quality() -> None:
    summary = summarise([unit("a", 1, 1.0), unit("b", 1, None, cause=Cause.TIMED_OUT)])
    assert (summary.quality, summary.completed) == (1.0, 2)
    assert dict(summary.example_scores) == {"a": 1.0}


def test_that_retried_units_are_left_out_of_latency() -> None:
    summary = summarise([unit("a", 1, 1.0), unit("b", 1, 1.0, ttft_ms=9000.0, retried=True)])
    assert summary.ttft is not None
    assert summary.ttft.largest == 100


def test_that_near_misses_are_counted_once_for_each_unit() -> None:
    summary = summarise([unit("a", 1, 0.0, near_misses=("quotes", "quotes", "final_stop"))])
    assert summary.near_misses == {"quotes": 1, "final_stop": 1}


def test_that_nothing_measured_is_unknown_and_not_zero() -> None:
    summary = summarise([])
    assert (summary.quality, summary.pass_rate, summary.ttft, summary.gates_passed) == (None, None, None, None)
    assert summary.quality_interval is None
    assert memory_delta_percent(None, 900) is None
    assert memory_delta_percent(0, 900) is None


def test_that_a_draft_is_labelled_until_it_is_reviewed() -> None:
    draft = Provenance("notes.md", "ab", "smol (embedded 1)", "2026-11-30", reviewed=False)
    assert draft.label is not None
    assert "agreement with that model" in draft.label
    assert Provenance("notes.md", "ab", "smol", "2026-11-30", reviewed=True).label is None


def test_that_backends_beyond_the_format_may_be_named() -> None:
    more = {"engine": True, "far": False}
    assert parse_run_config(b"backend: engine\n", backends=more).use_local_models
    with pytest.raises(BadRunConfig) as error:
        parse_run_config(b"backend: far\n", backends=more)
    assert error.value.code == "api_needs_candidates"
    with pytest.raises(BadRunConfig, match="engine"):
        parse_run_config(b"backend: engine\n")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (b"candidates: [a\n", "yaml", 2),
        (b"a: 1\na: 2\n", "yaml", 2),
        (b"candidates: [a]\nbackends: ollama\n", "unknown_key", 2),
        (b"\xff\xfea\x00", "yaml", None),
        (b"backend: anthropic\nuse_local_models: true\n", "api_local_models", 2),
    ],
)
def test_that_a_fault_of_a_configuration_has_its_line(text: bytes, code: str, line: int | None) -> None:
    with pytest.raises(BadRunConfig) as error:
        parse_run_config(text, "run.yaml")
    assert (error.value.code, error.value.line) == (code, line)
    assert error.value.message.startswith("run.yaml" if line is None else f"run.yaml, line {line}: ")
    assert error.value.fix
