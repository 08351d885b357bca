"""An old run's answers judged by its pack as it is today, beside what they were judged to be.

Only how answers are judged is taken from today's pack: scorer, gates and expected values. The prompt, the
inputs and the limits stay those of the run, since the answers were given to them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from desktop.foundation.cancel import CancelToken
from desktop.reports.data import ReportData
from desktop.reports.gather import compose
from desktop.runs.journal.reader import JournalReader
from desktop.runs.records import RunRecord, UnitKey
from desktop.runs.rescore import SAME, judged_again
from desktop.runs.task_work import TaskWork
from packs import numbers
from packs.task.outcome import Outcome


@dataclass(frozen=True, slots=True)
class JudgedToday:
    """report: by today's pack. outcomes: of every answer that was judged again.

    changed: how many of them have another score or cause now.
    """

    report: ReportData
    outcomes: Mapping[UnitKey, Outcome]
    changed: int


def judge_today(
    reader: JournalReader, run: RunRecord, today: TaskWork, *, created_at: str, cancel: CancelToken
) -> JudgedToday | None:
    """None when the pack judges every answer of the run as it did then. Nothing is stored.

    today: the pack as it is now. Examples that it lacks, or asks something else by now, keep their outcomes.
    Raises AppError when the stored pack cannot be read, Cancelled.
    """
    work = _with_judging_of_today(run, today)
    if work is None:
        return None
    same_question = _same_questions(run, today)
    outcomes = {}
    changed = 0
    for answer, outcome in judged_again(reader, run.id, work):
        cancel.raise_if_cancelled()
        if outcome is None or answer.key.example not in same_question:
            continue
        outcomes[answer.key] = outcome
        changed += outcome.cause is not answer.cause or not _same(outcome.score, answer.score)
    units = tuple(
        replace(unit, outcome=outcomes[unit.key]) if unit.key in outcomes else unit
        for unit in reader.whole_units(run.id)
    )
    note = (
        f"Judged by the pack as it was on {created_at[:10]}, not as it was when the run was made: "
        f"{numbers.count(changed, 'answer')} of {len(outcomes):,} {'has' if changed == 1 else 'have'} another "
        "score or cause. The run itself is kept as it was."
    )
    run = replace(
        run,
        pack_snapshot=work.snapshot(work.example_ids),
        fingerprint=today.fingerprint,
        scorer=today.scorer,
        pack_type=today.kind,
    )
    report = compose(run, reader.candidates(run.id), units, created_at=created_at)
    return JudgedToday(replace(report, notes=(note, *report.notes)), outcomes, changed)


def _with_judging_of_today(run: RunRecord, today: TaskWork) -> TaskWork | None:
    """The pack of the run with scorer, gates and expected values of today; None when they are the same."""
    then = TaskWork.from_snapshot(run.pack_snapshot, run.pack_folder).pack
    now = {example.id: example for example in today.pack.examples}
    examples = tuple(
        replace(example, expected=now[example.id].expected)
        if example.id in now and now[example.id].input == example.input
        else example
        for example in then.examples
    )
    if _plain(then.scoring.as_json()) == _plain(today.pack.scoring.as_json()) and all(
        _plain(old.expected) == _plain(new.expected) for old, new in zip(then.examples, examples, strict=True)
    ):
        return None
    return TaskWork(replace(then, scoring=today.pack.scoring, type=today.kind, examples=examples))


def _same_questions(run: RunRecord, today: TaskWork) -> set[str]:
    """Examples that today's pack still has, with the input that was asked."""
    now = {example.id: example.input for example in today.pack.examples}
    stored = run.pack_snapshot.get("examples")
    asked = stored if isinstance(stored, list) else []
    return {
        str(entry["id"])
        for entry in asked
        if isinstance(entry, dict) and now.get(str(entry["id"])) == entry["input"]
    }


def _plain(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _same(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return abs(old - new) <= SAME
