"""What the HTML report shows of every example that somebody got wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.reports.data import CandidateView, ReportData
from desktop.reports.differences import MAX_PARSED, FieldShown, MarkedPiece, fields_shown, marked_answer
from desktop.reports.failures import AnswerGroup, FailedExample, as_text, failed_examples
from packs.task.extract import extract_json
from packs.task.outcome import Cause, CauseKind, NearMiss

SHOWN = 1_500
"""Characters of a long text that stand open; the rest is folded by the template."""


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """One answer. fields: field by field, if it is a JSON object; else `nothing` says why there is no text, or
    marked: its pieces; empty for a text that is folded."""

    text: str
    fields: Sequence[FieldShown]
    show_whole: bool
    nothing: str
    marked: Sequence[MarkedPiece]
    near_misses: Sequence[NearMiss]
    strict_score: float | None
    """What the whole text would score, where that differs."""
    reasoning: str


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """name: of the model, once for all its answers, over `span` rows. cause: None while pending."""

    name: str
    span: int
    cause: Cause | None
    why: str
    times: str
    answer: ShownAnswer | None


@dataclass(frozen=True, slots=True)
class ShownExample:
    """others: models with one answer that was right or never came, by cause."""

    id: str
    input: str
    expected: str
    rows: Sequence[AnswerRow]
    others: Sequence[tuple[Cause | None, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class ExamplesShown:
    """alone: there is one model, whose name need not stand beside every answer. none: said without failures."""

    failed: Sequence[ShownExample]
    summary: str
    none: str
    alone: bool


def examples_shown(data: ReportData) -> ExamplesShown:
    """Every example that at least one model did not get right, with the answers of all models."""
    alone = len(data.candidates) == 1
    failed = [_example(entry, data.repetitions, alone) for entry in failed_examples(data)]
    total, right = len(data.examples), len(data.examples) - len(failed)
    other = "The other one was" if right == 1 else f"The other {right} were"
    rest = f" {other} right wherever they were answered." if right else ""
    models = "the model" if alone else "at least one model"
    summary = f"{len(failed)} of {total} examples were not answered rightly by {models}.{rest}"
    judged = any(view.judged for view in data.candidates)
    none = "Every answer that came was right." if judged else "No answer was judged in this run."
    return ExamplesShown(failed, summary, none, alone)


def _example(entry: FailedExample, repetitions: int, alone: bool) -> ShownExample:
    rows: list[AnswerRow] = []
    others: dict[Cause | None, list[str]] = {}
    for view, groups in entry.answers:
        if len(groups) == 1 and (groups[0].right or not _tried(groups[0])):
            others.setdefault(groups[0].cause, []).append(view.name)
            continue
        rows.extend(_rows(view, groups, entry, repetitions, alone))
    example = entry.example
    return ShownExample(example.id, example.input, as_text(example.expected), rows, list(others.items()))


def _tried(group: AnswerGroup) -> bool:
    return group.cause is not None and group.cause.kind is not CauseKind.DID_NOT_HAPPEN


def _rows(
    view: CandidateView, groups: Sequence[AnswerGroup], entry: FailedExample, repetitions: int, alone: bool
) -> list[AnswerRow]:
    rows = []
    for index, group in enumerate(groups):
        outcome = group.unit.outcome
        times = ""
        if repetitions > 1 and len(groups) > 1:
            times = f"repetition {', '.join(map(str, group.repetitions))}"
        rows.append(
            AnswerRow(
                "" if alone or index else view.name,
                len(groups),
                group.cause,
                "" if outcome is None or group.right else outcome.reason,
                times,
                _answer(group, entry),
            )
        )
    return rows


def _answer(group: AnswerGroup, entry: FailedExample) -> ShownAnswer | None:
    """None for what never happened."""
    outcome, shown, expected = group.unit.outcome, group.text, entry.example.expected
    if outcome is None or outcome.cause.kind is CauseKind.DID_NOT_HAPPEN:
        return None
    fields: Sequence[FieldShown] = ()
    if not group.right and len(outcome.scored_text) <= MAX_PARSED and "fields" in outcome.detail:
        answered = extract_json(outcome.scored_text).value
        if isinstance(answered, dict):
            fields = fields_shown(outcome, expected, answered)
    nothing = ""
    if not shown.strip():
        nothing = "nothing came" if group.unit.generation is None else "no visible text"
    strict = outcome.strict_score
    return ShownAnswer(
        shown,
        fields,
        bool(outcome.near_misses) or not shown.lstrip().startswith("{"),
        nothing,
        () if fields or nothing or len(shown) > SHOWN else marked_answer(outcome, expected, shown),
        outcome.near_misses,
        strict if strict != outcome.score else None,
        outcome.reasoning or (group.unit.generation.reasoning if group.unit.generation else ""),
    )
