"""The answers that were not right, by example, so that models can be compared on the same input.

Repetitions that gave the same text and the same cause are told once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop.reports.data import CandidateView, ReportData
from desktop.runs.records import UnitRecord
from packs.task.outcome import Cause, CauseKind

if TYPE_CHECKING:
    from packs.task.model import Example


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """One answer of one model to one example, with the repetitions in which it came. cause: None while
    pending.
    """

    unit: UnitRecord
    cause: Cause | None
    repetitions: tuple[int, ...]

    @property
    def text(self) -> str:
        """The visible answer as it came; empty when none came."""
        return self.unit.generation.text if self.unit.generation else ""

    @property
    def right(self) -> bool:
        return bool(self.unit.outcome and self.unit.outcome.passed)


@dataclass(frozen=True, slots=True)
class FailedExample:
    """An example that at least one model did not get right. answers: every model that was asked, in run
    order.
    """

    example: Example
    answers: tuple[tuple[CandidateView, tuple[AnswerGroup, ...]], ...]


def failed_examples(data: ReportData) -> Iterator[FailedExample]:
    """In the pack's order. Units that never happened do not make an example a failed one."""
    by_example: dict[str, dict[int, list[UnitRecord]]] = {}
    for unit in data.units:
        by_example.setdefault(unit.example, {}).setdefault(unit.candidate, []).append(unit)
    for example in data.examples:
        of_models = by_example.get(example.id, {})
        if not any(_speaks(unit) for units in of_models.values() for unit in units):
            continue
        yield FailedExample(
            example,
            tuple(
                (view, group_answers(of_models[view.record.index]))
                for view in data.candidates
                if view.record.index in of_models
            ),
        )


def group_answers(units: Sequence[UnitRecord]) -> tuple[AnswerGroup, ...]:
    """Equal text and equal cause are one answer; in the order of their first repetition."""
    groups: dict[tuple[str, Cause | None], list[UnitRecord]] = {}
    for unit in units:
        text = unit.generation.text if unit.generation else ""
        groups.setdefault((text, unit.outcome.cause if unit.outcome else None), []).append(unit)
    return tuple(
        AnswerGroup(members[0], cause, tuple(member.repetition for member in members))
        for (_, cause), members in groups.items()
    )


def _speaks(unit: UnitRecord) -> bool:
    """Was this unit tried, and not right?"""
    if unit.outcome is None:
        return False
    return not unit.outcome.passed and unit.outcome.cause.kind is not CauseKind.DID_NOT_HAPPEN


def as_text(expected: object) -> str:
    """An expected value as a person reads it: texts bare, everything else as JSON."""
    if isinstance(expected, str):
        return expected
    flat = json.dumps(expected, ensure_ascii=False)
    return flat if len(flat) <= 60 else json.dumps(expected, ensure_ascii=False, indent=2)
