"""A run's result as the window needs it, read on the io lane: the report and its examples turned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from desktop.application.result_examples import ExampleOutcomes, Offers, offers_of, turn
from desktop.foundation.cancel import CancelToken
from desktop.foundation.cycle_search import CycleSearch
from desktop.gui.runs.result.differences import label_runs, value_text
from desktop.gui.widgets.text_runs import Runs
from desktop.reports.data import CandidateView, ReportData
from desktop.reports.text import one_line
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunRecord, RunStatus, RunSummary, UnitKey, UnitRecord
from packs.task.outcome import CauseKind

if TYPE_CHECKING:
    from desktop.application.run_service import RunService
    from desktop.reports.rejudged import JudgedToday

MANY_UNITS = 10_000
FREED_AT_ONCE = 200
UNITS_A_LOOK = 1000
"""After so many units it is looked whether the result is still wanted."""
MAX_OTHERS = 15
OTHERS_LOOKED_AT = 60
SHORT = 80
"""Characters of an answer in the table."""


@dataclass(frozen=True, slots=True)
class ResultData:
    """report: everything that reports say. rows: cells stand by the candidate's position in the run.

    order: positions of the candidates, best quality first, those without one last.
    """

    report: ReportData
    rows: tuple[ExampleOutcomes, ...]
    order: tuple[int, ...]
    others: tuple[RunSummary, ...] = ()
    """Other runs to compare with: of the same pack first, newest first."""
    offers: Offers = field(default_factory=Offers)
    today: JudgedToday | None = None
    """Set when the report is judged by the pack as it is now instead of as it was recorded."""
    resumable: bool = False
    """Is there something left to run, and nobody running it?"""

    @property
    def names(self) -> tuple[str, ...]:
        """By position in the run."""
        return tuple(view.name for view in self.report.candidates)

    @property
    def run_id(self) -> str:
        return self.report.run.id


def load_result(service: RunService, run_id: str, cancel: CancelToken) -> ResultData:
    """Raises AppError, Cancelled."""
    with service.reader() as reader:
        large = reader.summary(run_id).units > MANY_UNITS
    with CycleSearch.paused(keep=large):
        return _load(service, run_id, cancel)


def _load(service: RunService, run_id: str, cancel: CancelToken) -> ResultData:
    report = service.report(run_id)
    cancel.raise_if_cancelled()
    with service.reader() as reader:
        others = [run for run in reader.runs(limit=OTHERS_LOOKED_AT) if run.id != run_id]
    rows = turn(_units(report, cancel), len(report.candidates), example_texts(report))
    cancel.raise_if_cancelled()
    return ResultData(
        report,
        tuple(rows),
        ranking(report.candidates),
        tuple(nearest_first(others, report.run)[:MAX_OTHERS]),
        offers_of(rows),
        resumable=_resumable(report),
    )


def frame_of(result: ResultData) -> ResultData:
    """The same without what is large in it: who holds this does not keep a result that is to be let go of."""
    return replace(result, report=replace(result.report, units=()), rows=())


def load_today(service: RunService, recorded: ResultData, known: str, cancel: CancelToken) -> ResultData | str:
    """The same run judged by its pack as it is now, or a fingerprint: see `RunService.judged_today`.

    recorded: its frame is enough. Raises AppError, Cancelled.
    """
    report = recorded.report
    with CycleSearch.paused(
        keep=len(report.examples) * len(report.candidates) * report.repetitions > MANY_UNITS
    ):
        today = service.judged_today(recorded.report.run, known, cancel)
        if isinstance(today, str):
            return today
        report = today.report
        rows = turn(_units(report, cancel), len(report.candidates), example_texts(report))
        return replace(
            recorded,
            report=report,
            rows=tuple(rows),
            order=ranking(report.candidates),
            offers=offers_of(rows),
            today=today,
        )


def nearest_first(others: Sequence[RunSummary], present: RunRecord) -> list[RunSummary]:
    """Of the same pack first, then of one with its name, newest first.

    A sample is copied anew each time it is opened: then only the name is the same.
    """
    newest = sorted(others, key=lambda run: run.started_at, reverse=True)
    return sorted(
        newest, key=lambda run: (run.pack_folder != present.pack_folder, run.pack_name != present.pack_name)
    )


def _units(report: ReportData, cancel: CancelToken) -> Iterator[UnitRecord]:
    for number, unit in enumerate(report.units):
        if number % UNITS_A_LOOK == 0:
            cancel.raise_if_cancelled()
        yield unit


def _resumable(report: ReportData) -> bool:
    return report.run.status is not RunStatus.RUNNING and any(unit.outcome is None for unit in report.units)


def let_go(held: list[ResultData]) -> None:
    """Take apart what nobody needs any more, on a lane; `held` is empty afterwards.

    The last reference to a result of 100,000 units would otherwise free a million objects in one step, with the
    interpreter's lock held: 50 to 110 ms in which the window stands still (measured).
    """
    while held:
        result = held.pop()
        rows, units = list(result.rows), list(result.report.units)
        del result
        _take_apart(rows)
        _take_apart(units)


def load_instead(held: list[ResultData], service: RunService, run_id: str, cancel: CancelToken) -> ResultData:
    """Take apart what is held, then read: two busy lanes would leave the window too little of the interpreter.

    Raises AppError, Cancelled.
    """
    let_go(held)
    return load_result(service, run_id, cancel)


def without_units(held: list[ReportData]) -> ReportData:
    """The one report in `held` without what is large in it, which is taken apart; for a lane."""
    report = held.pop()
    units = list(report.units)
    light = replace(report, units=())
    del report
    _take_apart(units)
    return light


def _take_apart(pieces: list[Any]) -> None:
    while pieces:
        del pieces[-FREED_AT_ONCE:]


def example_texts(report: ReportData) -> dict[str, tuple[str, str]]:
    """example -> (input, expected) on one line each."""
    return {
        example.id: (
            one_line(example.input, 300),
            "" if example.expected is None else one_line(value_text(example.expected), 200),
        )
        for example in report.examples
    }


def ranking(candidates: Sequence[CandidateView]) -> tuple[int, ...]:
    """Best quality first; then those that did not come to their end, and those without a figure.

    Equal ones stay in the order of the run. Two right answers of a model that then ran out of memory must not
    put it before one with 27 of 30.
    """

    def place_of(place: int) -> tuple[bool, bool, float]:
        view = candidates[place]
        return view.record.ended_early, view.quality is None, -(view.quality or 0.0)

    return tuple(sorted(range(len(candidates)), key=place_of))


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """What stands in one cell of the table."""

    runs: Runs


def read_short_answers(
    reader: JournalReader, result: ResultData, keys: Iterable[UnitKey], cancel: CancelToken
) -> dict[tuple[int, str], ShortAnswer]:
    """(candidate, example) -> answer, for the rows that are seen."""
    outcomes = result.today.outcomes if result.today is not None else {}
    found: dict[tuple[int, str], ShortAnswer] = {}
    for key in keys:
        cancel.raise_if_cancelled()
        unit = reader.unit(result.run_id, key)
        if unit is not None:
            unit = replace(unit, outcome=outcomes.get(key, unit.outcome))
            found[key.candidate, key.example] = short_answer(unit)
    return found


def short_answer(unit: UnitRecord) -> ShortAnswer:
    """The answer on one line with its marks; without one its cause, which fits where a reason does not."""
    outcome = unit.outcome
    if unit.generation is None or outcome is None:
        message = outcome.cause.message if outcome is not None else unit.failure
        return ShortAnswer(label_runs(one_line(message, SHORT), right=True))
    shown = one_line(unit.generation.text, SHORT)
    if not shown.strip():
        return ShortAnswer(label_runs(outcome.cause.message, right=True))
    if outcome.near_misses and outcome.scored_text == shown:
        return ShortAnswer(label_runs(shown, right=bool(outcome.passed), misses=outcome.near_misses))
    wrong = outcome.cause.kind is CauseKind.ANSWERED and not outcome.passed and _is_plain_label(outcome.detail)
    return ShortAnswer(label_runs(shown, right=not wrong))


def _is_plain_label(detail: Mapping[str, object]) -> bool:
    """Another label was given, so the whole of it is wrong; an answer of prose is not struck through."""
    return detail.get("resolved") is not None
