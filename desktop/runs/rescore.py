"""Scoring a run again from what it stored, with the scorers of today; needs no folder, model or network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.inference.backends.base import Generation, Timing
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import RunRecord, StoredAnswer, UnitKey
from desktop.runs.strict import strictly
from desktop.runs.task_work import TaskWork
from desktop.runs.work import Work
from packs import numbers
from packs.task.outcome import Cause, CauseKind, Outcome

SAME = 1e-9
"""Scores nearer than this are the same."""

MAX_CHANGES_KEPT = 1000
"""More are counted, not listed."""


@dataclass(frozen=True, slots=True)
class ChangedUnit:
    """One unit whose score or cause is another one now."""

    key: UnitKey
    old_cause: Cause
    new_cause: Cause
    old_score: float | None
    new_score: float | None


@dataclass(frozen=True, slots=True)
class Rescored:
    """checked: completed units that were scored again. changed: the first ones; changed_count: all of them.

    left_alone: units whose stored cause is about the server, not the text; a text cannot change it.
    """

    run_id: str
    checked: int
    changed_count: int
    changed: tuple[ChangedUnit, ...]
    left_alone: int

    @property
    def message(self) -> str:
        """The note for reports."""
        if not self.checked:
            return "There was no answer to score again."
        if not self.changed_count:
            one = self.checked == 1
            same = (
                "the one answer has the score it" if one else f"all {self.checked} answers have the scores they"
            )
            return f"Scored again: {same} had."
        have = "has" if self.changed_count == 1 else "have"
        checked = numbers.count(self.checked, "answer")
        return f"Scored again: {self.changed_count} of {checked} {have} another score or cause now."


def rescore(
    reader: JournalReader,
    run_id: str,
    work: Work | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Rescored:
    """Compare only; the journal stays as it is.

    work: a corrected pack to score with; None: the pack as it was when the run was planned. Examples that the
    work does not have are left alone. on_progress: how many answers were looked at so far. Raises AppError when
    the stored pack cannot be read.
    """
    return _gather(run_id, reader, work, None, on_progress)[0]


def rescore_and_store(
    path: Path, run_id: str, work: Work | None = None, on_progress: Callable[[int], None] | None = None
) -> Rescored:
    """The same, and the journal keeps the new scores and causes. The answers stay as they came."""
    with JournalReader(path) as reader:
        found, outcomes = _gather(run_id, reader, work, [], on_progress)
    if outcomes:
        with JournalWriter(path) as writer:
            writer.judge_again(run_id, outcomes)
    return found


def _gather(
    run_id: str,
    reader: JournalReader,
    work: Work | None,
    outcomes: list[tuple[UnitKey, Outcome]] | None,
    on_progress: Callable[[int], None] | None,
) -> tuple[Rescored, list[tuple[UnitKey, Outcome]]]:
    present = work or work_of_run(reader.run(run_id))
    checked = changed_count = left_alone = 0
    changed: list[ChangedUnit] = []
    for answer, outcome in judged_again(reader, run_id, present):
        if outcome is None:
            left_alone += 1
            continue
        checked += 1
        if outcome.cause is not answer.cause or not _same(outcome.score, answer.score):
            changed_count += 1
            if len(changed) < MAX_CHANGES_KEPT:
                changed.append(
                    ChangedUnit(answer.key, answer.cause, outcome.cause, answer.score, outcome.score)
                )
            if outcomes is not None:
                outcomes.append((answer.key, outcome))
        if on_progress is not None and checked % 100 == 0:
            on_progress(checked)
    return Rescored(run_id, checked, changed_count, tuple(changed), left_alone), outcomes or []


def work_of_run(run: RunRecord) -> TaskWork:
    """The pack as the run's snapshot has it. Raises AppError when it cannot be read."""
    return TaskWork.from_snapshot(run.pack_snapshot, run.pack_folder)


def judged_again(
    reader: JournalReader, run_id: str, work: Work
) -> Iterator[tuple[StoredAnswer, Outcome | None]]:
    """Every stored answer with its outcome of today; None where the text does not decide it.

    That is so for what the server did (a cut input), and for examples that the pack does not have any more. A
    suspected template stays suspected unless the answer is right after all.
    """
    known = set(work.example_ids)
    strict = reader.run(run_id).settings.get("strict") is True
    for answer in reader.answers(run_id):
        if answer.key.example not in known or answer.cause is Cause.INPUT_CUT:
            yield answer, None
            continue
        outcome = work.judge(answer.key.example, _generation(answer))
        if strict:
            outcome = strictly(outcome)
        if answer.cause is Cause.TEMPLATE_SUSPECTED and not outcome.passed:
            outcome = replace(outcome, cause=Cause.TEMPLATE_SUSPECTED)
        elif answer.cause.kind is CauseKind.DID_NOT_HAPPEN:
            yield answer, None
            continue
        yield answer, outcome


def _generation(answer: StoredAnswer) -> Generation:
    timing = Timing(None, 0.0, None, answer.prompt_tokens, None, answer.output_tokens)
    return Generation(answer.text, answer.reasoning, answer.finish_reason, timing, {})


def _same(old: float | None, new: float | None) -> bool:
    if old is None or new is None:
        return old is new
    return abs(old - new) <= SAME
