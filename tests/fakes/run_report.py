"""A report over a scripted run: right figures of its units, made-up words. For tests of the window alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from statistics import median

from desktop.reports.data import AnswerTone, CandidateView, ReportData, RunAnswer, RunnerUp, Spread
from desktop.reports.rejudged import JudgedToday
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import CandidateRecord, CandidateStatus, UnitRecord
from packs.statistics.wilson import wilson_interval
from packs.task.model import Example
from packs.task.outcome import Cause, CauseKind
from tests.fakes.reported_run import reported_run


def report_of(reader: JournalReader, run_id: str) -> ReportData:
    base = reported_run()
    run = reader.run(run_id)
    units = tuple(reader.whole_units(run_id))
    views = [
        _view(record, [unit for unit in units if unit.candidate == record.index])
        for record in reader.candidates(run_id)
    ]
    views, answer = _weighed(views)
    examples = run.pack_snapshot["examples"]
    assert isinstance(examples, list)
    return replace(
        base,
        run=run,
        state=run.status.value,
        pack=replace(base.pack, name=run.pack_name, prompt="Which desk? {{input}}"),
        answer=answer,
        candidates=tuple(views),
        examples=tuple(Example(entry["id"], entry["input"], entry["expected"]) for entry in examples),
        units=units,
        repetitions=max((unit.repetition for unit in units), default=1),
        elapsed_s=700.0,
    )


def _weighed(views: list[CandidateView]) -> tuple[list[CandidateView], RunAnswer]:
    judged = [view for view in views if view.record.status is CandidateStatus.COMPLETED and view.judged]
    best = max(judged, key=lambda view: view.right, default=None)
    if best is not None:
        views = [replace(view, recommended=view is best) for view in views]
        answer = RunAnswer(
            f"Use {best.name}: {best.right} of {best.judged} right.",
            "These examples do not show which is better.",
            tuple(f"{view.name} is not ranked." for view in views if view.record.status is CandidateStatus.OOM),
            AnswerTone.ACCENT,
            tuple(RunnerUp(view.name, "has no more right.") for view in views if not view.recommended),
            ("Margin 5 points, wanted sureness 80 %.",),
        )
    else:
        answer = RunAnswer("No model can be recommended.", "Nothing was finished.", (), AnswerTone.WARN)
    return views, answer


def judged_again_by(
    reader: JournalReader, run_id: str, expected: Mapping[str, str], fingerprint: str
) -> JudgedToday:
    """The run with other expected values for some examples: an answer is right when it is the very text."""
    report = report_of(reader, run_id)
    outcomes = {}
    changed = 0
    for unit in report.units:
        if unit.generation is not None and unit.outcome is not None:
            outcome = unit.outcome
            if unit.example in expected:
                right = unit.generation.text == expected[unit.example]
                cause = Cause.CORRECT if right else Cause.WRONG
                changed += cause is not outcome.cause
                outcome = replace(outcome, cause=cause, passed=right, score=float(right))
            outcomes[unit.key] = outcome
    units = tuple(replace(unit, outcome=outcomes.get(unit.key, unit.outcome)) for unit in report.units)
    views = [
        _view(view.record, [unit for unit in units if unit.candidate == view.record.index])
        for view in report.candidates
    ]
    views, answer = _weighed(views)
    examples = tuple(
        replace(example, expected=expected.get(example.id, example.expected)) for example in report.examples
    )
    report = replace(
        report,
        run=replace(report.run, fingerprint=fingerprint),
        answer=answer,
        candidates=tuple(views),
        examples=examples,
        units=units,
    )
    return JudgedToday(report, outcomes, changed)


def _view(record: CandidateRecord, units: list[UnitRecord]) -> CandidateView:
    judged = [
        unit
        for unit in units
        if unit.outcome is not None and unit.outcome.cause.kind in (CauseKind.ANSWERED, CauseKind.STOPPED_EARLY)
    ]
    right = sum(bool(unit.outcome and unit.outcome.passed) for unit in judged)
    return CandidateView(
        record=record,
        right=right,
        judged=len(judged),
        interval=wilson_interval(right, len(judged)) if judged else None,
        quality=right / len(judged) if judged else None,
        quality_spread=None,
        pass_rate=right / len(judged) if judged else None,
        causes=Counter(unit.outcome.cause for unit in units if unit.outcome is not None),
        ttft_cold=_spread([150.0 + 40 * record.index + 9 * (place % 5) for place in range(len(judged))]),
        tokens_per_second=_spread([94.0 / (1 + record.index) + place % 3 for place in range(len(judged))]),
    )


def _spread(figures: list[float]) -> Spread | None:
    return Spread(median(figures), min(figures), max(figures), len(figures)) if figures else None
