"""The result as a workbook: Summary, Candidates, Examples, Units. Values have types, texts are never formulas.

The workbook is written row by row, so that 100,000 units need little memory. Its parts carry the report's own
date: the same data give the same bytes.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import Any

from desktop.reports.data import CandidateView, ReportData, Spread
from desktop.reports.failures import as_text
from desktop.reports.text import one_line, xml_safe
from desktop.reports.unit_rows import COLUMNS, Value, cut, unit_rows
from packs import numbers
from packs.task.outcome import Cause

MAX_ROWS = 1_048_575
"""Below the heading: a sheet of this kind has 1,048,576 rows."""
MAX_CANDIDATES = 8_000
"""A sheet of this kind has 16,384 columns, and a candidate takes two of the sheet Examples."""
_NARROWEST, _WIDEST = 9, 60
_LOOKED_AT = 200
"""Rows from which the width of a column is taken."""

CANDIDATE_COLUMNS = (
    "model",
    "quantization",
    "parameters",
    "state",
    "recommended",
    "why not ranked",
    "right",
    "judged",
    "share right",
    "95 % interval from",
    "95 % interval to",
    "quality",
    "first token cold ms",
    "first token warm ms",
    "tokens per second",
    "load ms",
    "all answers ms",
    "prompt tokens",
    "output tokens",
    "peak memory MiB",
    "predicted memory MiB",
    "weights MiB",
    "digest",
    "remarks",
)


def render_xlsx(data: ReportData) -> bytes:
    """Office Open XML. Unknown is an empty cell, never 0."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    book.properties.creator = data.program
    book.properties.title = xml_safe(data.title)
    book.properties.created = _moment(data.created_at)
    for name, heads, rows in _sheets(data):
        sheet = book.create_sheet(name)
        _fill(sheet, heads, rows)
    buffer = io.BytesIO()
    book.save(buffer)
    return _with_fixed_dates(buffer, data.created_at)


def preview(data: ReportData, rows_each: int = 12) -> str:
    """The beginnings of the sheets as text, cells set apart by bars; one line a row."""
    parts = []
    for name, heads, rows in _sheets(data):
        lines = [" | ".join(one_line("–" if cell is None else str(cell), 60) for cell in heads)]
        lines += [
            " | ".join(one_line("–" if cell is None else str(cell), 60) for cell in row)
            for row in islice(rows, rows_each)
        ]
        parts.append(f"Sheet {name}\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _sheets(data: ReportData) -> tuple[tuple[str, Sequence[str], Iterable[Sequence[Value]]], ...]:
    """Name, headings and rows of each."""
    in_use = [cause for cause in Cause if any(view.causes.get(cause) for view in data.candidates)]
    return (
        ("Summary", ("what", "value"), _summary(data)),
        (
            "Candidates",
            (*CANDIDATE_COLUMNS, *(f"{cause.message} (count)" for cause in in_use)),
            (_candidate(view, in_use) for view in data.candidates),
        ),
        ("Examples", *_examples(data)),
        ("Units", COLUMNS, unit_rows(data)),
    )


def _fill(sheet: Any, heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
    """Heading (fixed, with filters), then the rows; columns as wide as their first rows need.

    sheet: a write-only one; the library's own types know only half of it.
    """
    first: list[Sequence[Value]] = []
    rest = iter(rows)
    for row in rest:
        first.append(row)
        if len(first) == _LOOKED_AT:
            break
    from openpyxl.utils import get_column_letter

    for column, head in enumerate(heads):
        widest = max((_width(row[column]) for row in first), default=0)
        width = min(_WIDEST, max(_NARROWEST, len(xml_safe(head)) + 3, widest + 2))
        sheet.column_dimensions[get_column_letter(column + 1)].width = width
    sheet.freeze_panes = "A2"
    sheet.append([_cell(sheet, head, bold=True) for head in heads])
    count = 0
    for row in chain(first, rest):
        if count == MAX_ROWS:
            break
        sheet.append([_cell(sheet, value) for value in row])
        count += 1
    if count:
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(heads))}{count + 1}"


def _width(value: Value) -> int:
    """In characters; of a text its longest line."""
    if isinstance(value, str):
        return max((len(line) for line in value[:400].splitlines()), default=0)
    return len(f"{value:.6g}") if isinstance(value, int | float) else 0


def _cell(sheet: Any, value: Value, *, bold: bool = False) -> Any:
    """Numbers and truth values as they are; a text is marked as text, whatever it begins with."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if not isinstance(value, str):
        return value
    if not value:
        return None
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    cell = WriteOnlyCell(sheet, "")
    # Set apart from the value, since the library takes every text that begins with '=' for a formula.
    cell.value = cut(xml_safe(value))
    cell.data_type = "s"
    if bold:
        cell.font = Font(bold=True)
    return cell


def _summary(data: ReportData) -> Iterator[tuple[str, Value]]:
    run, answer = data.run, data.answer
    if data.label:
        yield "Not reviewed", data.label.removeprefix("Not reviewed. ")
    yield "Result", answer.headline
    yield "Reason", answer.reason
    for limit in (*answer.limits, *data.notes):
        yield "Note", limit
    yield "Pack", data.pack.name
    yield "Kind of task", data.pack.type
    yield "Scorer", data.pack.scorer
    yield "Run", run.id
    yield "State", data.state
    yield "Started (UTC)", numbers.moment(run.started_at)
    yield "Took, seconds", data.elapsed_s
    yield "Models", len(data.candidates)
    yield "Examples", len(data.examples)
    yield "Repetitions", data.repetitions
    yield "Answers", len(data.units)
    if len(data.units) > MAX_ROWS:
        yield "Left out", f"Only the first {MAX_ROWS:,} answers fit on a sheet; the CSV table has all."
    for other in answer.runners_up:
        yield f"Why not {other.name}", other.sentence
    yield from data.environment
    for line in data.methodology:
        yield "How it was measured", line
    for line in data.repeat:
        yield "To repeat it", line
    yield "Privacy", data.local
    yield "Written by", f"{data.program}, {numbers.moment(data.created_at)}"


def _candidate(view: CandidateView, causes: Sequence[Cause]) -> tuple[Value, ...]:
    record = view.record
    return (
        view.name,
        record.quantization,
        record.parameter_count,
        record.status.value,
        view.recommended,
        view.why_not,
        view.right if view.judged else None,
        view.judged,
        view.right / view.judged if view.judged else None,
        view.interval.lower if view.interval else None,
        view.interval.upper if view.interval else None,
        view.quality,
        _median(view.ttft_cold),
        _median(view.ttft_warm),
        _median(view.tokens_per_second),
        record.load_ms,
        view.wall_total_ms,
        view.prompt_tokens,
        view.output_tokens,
        record.peak_mib,
        record.predicted_mib,
        view.weights_mib,
        record.digest,
        " ".join(view.notes),
        *(view.causes.get(cause, 0) for cause in causes),
    )


def _median(spread: Spread | None) -> float | None:
    return None if spread is None else spread.median


def _examples(data: ReportData) -> tuple[Sequence[str], Iterator[tuple[Value, ...]]]:
    """Headings and rows: one example a row, each model with the share of right answers and its first answer."""
    views = data.candidates[:MAX_CANDIDATES]
    heads = ["example", "input", "expected"]
    for view in views:
        heads += [f"{view.name}: right", f"{view.name}: answer"]
    right: dict[tuple[str, int], list[bool]] = {}
    answers: dict[tuple[str, int], str] = {}
    for unit in data.units:
        key = unit.example, unit.candidate
        if unit.outcome is not None and unit.outcome.passed is not None:
            right.setdefault(key, []).append(unit.outcome.passed)
        if unit.generation is not None:
            answers.setdefault(key, unit.generation.text)

    def rows() -> Iterator[tuple[Value, ...]]:
        for example in data.examples:
            row: list[Value] = [example.id, example.input, as_text(example.expected)]
            for view in views:
                key = example.id, view.record.index
                judged = right.get(key)
                row += [sum(judged) / len(judged) if judged else None, answers.get(key)]
            yield tuple(row)

    return heads, rows()


def _moment(iso: str) -> datetime:
    return datetime.fromisoformat(iso.replace("Z", "+00:00")).replace(tzinfo=None)


_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*(<)")
"""The library puts the present there."""


def _with_fixed_dates(written: io.BytesIO, created_at: str) -> bytes:
    """The same archive with the report's date on every part and in the properties."""
    moment = _moment(created_at)
    stamp = (max(1980, moment.year), moment.month, moment.day, moment.hour, moment.minute, moment.second)
    result = io.BytesIO()
    with (
        zipfile.ZipFile(written) as source,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as target,
    ):
        for name in source.namelist():
            info = zipfile.ZipInfo(name, stamp)
            info.compress_type = zipfile.ZIP_DEFLATED
            with source.open(name) as part, target.open(info, "w", force_zip64=True) as copy:
                if name == "docProps/core.xml":
                    now = moment.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
                    copy.write(_MODIFIED.sub(rb"\g<1>" + now + rb"\g<2>", part.read()))
                    continue
                while piece := part.read(1 << 20):
                    copy.write(piece)
    return result.getvalue()
