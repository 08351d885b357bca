"""A report without what must not leave the house: all texts, or chosen fields. Figures and causes stay."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.reports.data import ReportData
from desktop.runs.records import UnitRecord
from packs.task.extract import extract_json

if TYPE_CHECKING:
    from packs.task.model import Example

LEFT_OUT = "[left out]"

_HARMLESS = frozenset({"fields", "precision", "recall", "f1", "carved", "why"})
"""What a scorer's record may keep when fields are hidden: names of fields and figures, no values."""


def redacted(data: ReportData, *, with_texts: bool = True, hidden_fields: Sequence[str] = ()) -> ReportData:
    """with_texts False: no input, no expected value, no answer.

    hidden_fields: of objects. An input, and an answer that is no object, may hold them as well: they are left
    out whole.
    """
    hidden = frozenset(hidden_fields)
    if with_texts and not hidden:
        return data
    note = (
        "Inputs, expected values and answers are left out of this report."
        if not with_texts
        else f"Left out of this report: inputs, and the fields {', '.join(sorted(hidden))}."
    )
    return replace(
        data,
        run=replace(data.run, pack_snapshot={}),
        examples=tuple(_example(example, with_texts, hidden) for example in data.examples),
        units=tuple(_unit(unit, with_texts, hidden) for unit in data.units),
        notes=(*data.notes, note),
    )


def _example(example: Example, with_texts: bool, hidden: frozenset[str]) -> Example:
    expected: object = LEFT_OUT
    if with_texts:
        expected = (
            _without(example.expected, hidden) if isinstance(example.expected, Mapping) else example.expected
        )
    return replace(example, input=LEFT_OUT, expected=expected)


def _unit(unit: UnitRecord, with_texts: bool, hidden: frozenset[str]) -> UnitRecord:
    generation, outcome = unit.generation, unit.outcome
    if generation is not None:
        text = _answer(generation.text, hidden) if with_texts else LEFT_OUT
        generation = replace(generation, text=text, reasoning=LEFT_OUT if generation.reasoning else "")
    if outcome is not None:
        outcome = replace(
            outcome,
            # A reason quotes what it speaks of.
            reason=f"{outcome.cause.message[:1].upper()}{outcome.cause.message[1:]}.",
            scored_text=generation.text if generation is not None else "",
            reasoning=LEFT_OUT if outcome.reasoning else "",
            near_misses=tuple(replace(miss, start=None, end=None) for miss in outcome.near_misses),
            detail={name: value for name, value in outcome.detail.items() if name in _HARMLESS},
        )
    return replace(unit, generation=generation, outcome=outcome, failure=LEFT_OUT if unit.failure else "")


def _answer(text: str, hidden: frozenset[str]) -> str:
    found = extract_json(text)
    if not found.ok or not isinstance(found.value, Mapping):
        return LEFT_OUT
    return json.dumps(_without(found.value, hidden), ensure_ascii=False)


def _without(value: object, hidden: frozenset[str]) -> object:
    """Hidden names at any depth."""
    if isinstance(value, Mapping):
        return {name: LEFT_OUT if name in hidden else _without(entry, hidden) for name, entry in value.items()}
    if isinstance(value, list):
        return [_without(entry, hidden) for entry in value]
    return value
