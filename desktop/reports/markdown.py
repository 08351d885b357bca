"""The report as Markdown, in plain words (task-pack format, section 17.7).

Names are escaped, so a model called `a|b` breaks no table; footnotes are numbered and never run out.
"""

from __future__ import annotations

from collections.abc import Iterable

from desktop.reports.data import CandidateView, ReportData, Spread
from desktop.reports.drawings import causes_in_text, remarks_on
from desktop.reports.failures import AnswerGroup, FailedExample, as_text, failed_examples
from desktop.reports.text import markdown as escaped
from desktop.reports.text import markdown_block, short_digest
from packs import numbers
from packs.task.outcome import CauseKind

MAX_TEXT = 20_000
"""Characters of one input or answer; the bundle has every text whole."""


def render_markdown(data: ReportData) -> bytes:
    """UTF-8, line feeds, CommonMark with tables."""
    notes = _Footnotes()
    parts = [
        *_opening(data),
        *_results(data, notes),
        *_recommendation(data),
        *_frontier(data),
        *_failures(data),
        *_environment(data),
        "## How it was measured",
        _bullets(data.methodology),
        "## Do it again",
        markdown_block("\n".join(data.repeat)),
        "---",
        f"{escaped(data.local)} Run {escaped(data.run.id)}. {escaped(data.program)}, report of "
        f"{escaped(numbers.moment(data.created_at))}.",
    ]
    return ("\n\n".join(part for part in parts if part) + "\n").encode("utf-8", "replace")


class _Footnotes:
    """Numbers for remarks on a table; the same remark keeps its number."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def mark(self, texts: Iterable[str]) -> str:
        marks = []
        for text in texts:
            if text not in self._texts:
                self._texts.append(text)
            marks.append(str(self._texts.index(text) + 1))
        return f" <sup>{', '.join(marks)}</sup>" if marks else ""

    def listed(self) -> str:
        return "\n".join(f"{number}. {escaped(text)}" for number, text in enumerate(self._texts, start=1))


def _opening(data: ReportData) -> list[str]:
    answer = data.answer
    repetitions = f", {data.repetitions} times each" if data.repetitions > 1 else ""
    answered = "answered" if any(view.judged for view in data.candidates) else "to answer"
    what = (
        f"{numbers.count(len(data.candidates), 'model')} {answered} "
        f"{numbers.count(len(data.examples), 'example')}{repetitions}; the run started "
        f"{escaped(numbers.moment(data.run.started_at))} and is {escaped(data.state)}."
    )
    label = f"> **Not reviewed.** {escaped(data.label.removeprefix('Not reviewed. '))}" if data.label else ""
    limits = _bullets((*answer.limits, *data.notes))
    return [
        f"# {escaped(data.title)}",
        label,
        f"**{escaped(answer.headline)}**",
        escaped(answer.reason),
        limits,
        what,
    ]


def _results(data: ReportData, notes: _Footnotes) -> list[str]:
    if not data.candidates:
        return ["## Results", "No model was run."]
    header = (
        "| Model | Quantization | Right | 95 % interval | Quality | First token | Speed | Peak memory "
        "| Predicted |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|",
    )
    rows = [_row(view, notes) for view in data.candidates]
    what = _bullets(f"{view.name}: {causes_in_text(view)}" for view in data.candidates if view.causes)
    return ["## Results", "\n".join((*header, *rows)), notes.listed(), "What became of the answers:", what]


def _row(view: CandidateView, notes: _Footnotes) -> str:
    record = view.record
    remarks = [*([f"Not ranked: {view.why_not}."] if view.why_not else []), *remarks_on(view)]
    name = f"**{escaped(view.name)}** (recommended)" if view.recommended else escaped(view.name)
    cells = (
        name + notes.mark(remarks),
        escaped(record.quantization or numbers.UNKNOWN),
        f"{view.right} of {view.judged}" if view.judged else numbers.UNKNOWN,
        numbers.interval(view.interval.lower, view.interval.upper) if view.interval else numbers.UNKNOWN,
        _quality(view),
        _spread(view.ttft_warm or view.ttft_cold, numbers.milliseconds),
        _spread(view.tokens_per_second, numbers.rate),
        numbers.gibibytes(record.peak_mib),
        _predicted(view),
    )
    return f"| {' | '.join(cells)} |"


def _quality(view: CandidateView) -> str:
    shown = numbers.quality(view.quality)
    if view.quality_spread is None:
        return shown
    low, high = view.quality_spread
    return f"{shown} ({numbers.quality(low)} – {numbers.quality(high)})"


def _spread(spread: Spread | None, write: numbers.Writer) -> str:
    if spread is None:
        return numbers.UNKNOWN
    if spread.count < 2 or write(spread.low) == write(spread.high):
        return write(spread.median)
    return f"{write(spread.median)} ({write(spread.low)} – {write(spread.high)})"


def _predicted(view: CandidateView) -> str:
    shown = numbers.gibibytes(view.record.predicted_mib)
    if view.record.predicted_mib is None or view.memory_delta_percent is None:
        return shown
    return f"{shown} ({numbers.signed_percent(view.memory_delta_percent)})"


def _recommendation(data: ReportData) -> list[str]:
    answer = data.answer
    if not answer.runners_up and not answer.arithmetic:
        return []
    others = "\n".join(f"- **{escaped(entry.name)}**: {escaped(entry.sentence)}" for entry in answer.runners_up)
    return ["## Why this one", others, _bullets(answer.arithmetic)]


def _frontier(data: ReportData) -> list[str]:
    front = [escaped(view.name) for view in data.candidates if view.on_frontier]
    if len(data.candidates) < 2 or not front:
        return []
    beaten = [escaped(view.name) for view in data.candidates if not view.on_frontier and not view.why_not]
    behind = f" Behind another in everything: {', '.join(beaten)}." if beaten else ""
    return [
        "## Nothing better in everything",
        f"No other model is at least as good, as small and as fast as one of these: {', '.join(front)}."
        f"{behind}",
    ]


def _failures(data: ReportData) -> list[str]:
    failed = list(failed_examples(data))
    if not failed:
        return []
    parts = ["## What went wrong", f"{len(failed)} of {numbers.count(len(data.examples), 'example')}."]
    for entry in failed:
        parts.append(f"### Example {escaped(entry.example.id)}")
        parts.append("Input:\n\n" + _block(entry.example.input))
        parts.append("Expected:\n\n" + _block(as_text(entry.example.expected)))
        parts.extend(_answers(entry))
    return parts


def _answers(entry: FailedExample) -> Iterable[str]:
    for view, groups in entry.answers:
        for group in groups:
            if group.cause is None or group.cause.kind is CauseKind.DID_NOT_HAPPEN:
                continue
            repetitions = f" (repetition {', '.join(map(str, group.repetitions))})" if len(groups) > 1 else ""
            outcome = group.unit.outcome
            reason = "" if group.right or outcome is None else f" {escaped(outcome.reason)}"
            yield f"**{escaped(view.name)}**{repetitions}: {group.cause.message}.{reason}"
            if not group.right:
                yield from _text_of(group)


def _text_of(group: AnswerGroup) -> Iterable[str]:
    outcome = group.unit.outcome
    if group.text.strip():
        yield _block(group.text)
    for miss in outcome.near_misses if outcome else ():
        yield f"Near miss: {escaped(miss.message)}"
    if outcome and outcome.reasoning.strip():
        yield "Reasoning, not scored:\n\n" + _block(outcome.reasoning)


def _block(text: str) -> str:
    if len(text) <= MAX_TEXT:
        return markdown_block(text)
    return f"{markdown_block(text[:MAX_TEXT])}\n\nCut here: {len(text) - MAX_TEXT:,} more characters."


def _environment(data: ReportData) -> list[str]:
    parts = [
        "## Environment",
        "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in data.environment),
    ]
    if data.candidates:
        header = ("| Model | Quantization | Parameters | Weights | Digest |", "|---|---|---|--:|---|")
        rows = (
            f"| {escaped(view.name)} | {escaped(view.record.quantization or numbers.UNKNOWN)} "
            f"| {escaped(view.record.parameter_count or numbers.UNKNOWN)} "
            f"| {numbers.mebibytes(view.weights_mib)} "
            f"| {escaped(short_digest(view.record.digest))} |"
            for view in data.candidates
        )
        parts.append("\n".join((*header, *rows)))
    return parts


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {escaped(line)}" for line in lines)
