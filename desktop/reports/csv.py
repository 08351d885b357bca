"""Every unit as one row of a table, for spreadsheets: no cell can be taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from desktop.reports.data import CandidateView, ExampleView, ReportData
from desktop.reports.failures import as_text
from desktop.reports.text import csv_cell
from desktop.runs.records import UnitRecord

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


def render_csv(data: ReportData) -> bytes:
    """UTF-8 with a byte-order mark (spreadsheets need it), line ends of RFC 4180; unknown is empty."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    examples = {example.id: example for example in data.examples}
    views = {view.record.index: view for view in data.candidates}
    for unit in data.units:
        writer.writerow(_row(data, unit, views[unit.candidate], examples.get(unit.example)))
    return b"\xef\xbb\xbf" + buffer.getvalue().encode("utf-8", "replace")


def _row(data: ReportData, unit: UnitRecord, view: CandidateView, example: ExampleView | None) -> Iterator[str]:
    outcome, generation = unit.outcome, unit.generation
    timing = generation.timing if generation else None
    yield _text(data.run.id)
    yield _text(data.pack.name)
    yield _text(view.name)
    yield _text(view.record.quantization or "")
    yield _text(unit.example)
    yield str(unit.repetition)
    yield unit.status.value
    yield outcome.cause.value if outcome else ""
    yield _number(outcome.score if outcome else None)
    yield _truth(outcome.passed if outcome else None)
    yield _number(outcome.strict_score if outcome else None)
    yield _text((outcome.reason if outcome else "") or unit.failure)
    yield _text("; ".join(miss.message for miss in outcome.near_misses) if outcome else "")
    yield _text(generation.text if generation else "")
    yield _text((outcome.reasoning if outcome else "") or (generation.reasoning if generation else ""))
    yield _text(as_text(example.expected) if example else "")
    yield _text(example.input if example else "")
    yield _text(generation.finish_reason if generation else "")
    yield _number(timing.ttft_ms if timing else None)
    yield _number(timing.tokens_per_second if timing else None)
    yield _number(timing.wall_ms if timing else None)
    yield _number(timing.prompt_tokens if timing else None)
    yield _number(timing.output_tokens if timing else None)
    yield _truth(unit.cold)


def _text(value: str) -> str:
    return csv_cell(value if len(value) <= MAX_CELL else value[:MAX_CELL] + "…")


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _truth(value: bool | None) -> str:
    return "" if value is None else "true" if value else "false"
