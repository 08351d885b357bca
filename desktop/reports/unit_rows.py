"""Every unit as one row of typed values: what the tables for spreadsheets have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from desktop.reports.data import CandidateView, ReportData
from desktop.reports.failures import as_text
from desktop.runs.records import UnitRecord

if TYPE_CHECKING:
    from packs.task.model import Example

Value = str | int | float | bool | None
"""A cell. Text is as it came, and unknown is None: the kind of file says how both are written."""

COLUMNS = (
    "run",
    "pack",
    "model",
    "quantization",
    "example",
    "repetition",
    "status",
    "cause",
    "score",
    "passed",
    "strict_score",
    "reason",
    "near_misses",
    "answer",
    "reasoning",
    "expected",
    "input",
    "finish_reason",
    "ttft_ms",
    "tokens_per_second",
    "wall_ms",
    "prompt_tokens",
    "output_tokens",
    "cold",
)
MAX_CELL = 32_000
"""Characters; spreadsheets cut a cell at 32,767."""


def unit_rows(data: ReportData) -> Iterator[tuple[Value, ...]]:
    """One row for each unit, in the run's order, with as many values as `COLUMNS` has names."""
    examples = {example.id: example for example in data.examples}
    views = {view.record.index: view for view in data.candidates}
    for unit in data.units:
        yield tuple(_row(data, unit, views[unit.candidate], examples.get(unit.example)))


def _row(data: ReportData, unit: UnitRecord, view: CandidateView, example: Example | None) -> Iterator[Value]:
    outcome, generation = unit.outcome, unit.generation
    timing = generation.timing if generation else None
    yield data.run.id
    yield data.pack.name
    yield view.name
    yield view.record.quantization or ""
    yield unit.example
    yield unit.repetition
    yield unit.status.value
    yield outcome.cause.value if outcome else ""
    yield outcome.score if outcome else None
    yield outcome.passed if outcome else None
    yield outcome.strict_score if outcome else None
    yield (outcome.reason if outcome else "") or unit.failure
    yield "; ".join(miss.message for miss in outcome.near_misses) if outcome else ""
    yield generation.text if generation else ""
    yield (outcome.reasoning if outcome else "") or (generation.reasoning if generation else "")
    yield as_text(example.expected) if example else ""
    yield example.input if example else ""
    yield generation.finish_reason if generation else ""
    yield timing.ttft_ms if timing else None
    yield timing.tokens_per_second if timing else None
    yield timing.wall_ms if timing else None
    yield timing.prompt_tokens if timing else None
    yield timing.output_tokens if timing else None
    yield unit.cold


def cut(text: str) -> str:
    """Not longer than a cell may be; what is cut ends in an ellipsis."""
    return text if len(text) <= MAX_CELL else text[:MAX_CELL] + "…"
