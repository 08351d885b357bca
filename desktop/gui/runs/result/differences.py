"""Where an answer differs from what was expected: as a label, field by field, or in its characters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from desktop.gui.theme import Type
from desktop.gui.widgets.text_difference import difference, near_misses, visible_runs
from desktop.gui.widgets.text_runs import Mark, Run, Runs
from packs.task.outcome import NearMiss

_TEXTS = re.compile(r"\w(?:.*\w)?", re.DOTALL)
MAX_SIGNS = 12


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One key field. state: 'match', 'missing', 'mismatch', 'extra' (in the answer only; costs nothing)."""

    field: str
    expected: str
    answer: Runs
    state: str


def label_runs(answer: str, *, right: bool, misses: Sequence[NearMiss] = ()) -> Runs:
    """An answer by itself: struck through when it is another label, near misses marked in place."""
    places = [
        (miss.start, miss.end)
        for miss in misses
        if miss.start is not None and miss.end is not None and 0 <= miss.start < miss.end <= len(answer)
    ]
    if not places and misses:
        places = _signs_around(answer)
    if places:
        return near_misses(answer, places)
    return Runs(tuple(visible_runs(answer, None if right else Mark.MISSING)))


def _signs_around(answer: str) -> list[tuple[int, int]]:
    """Places of signs and blanks before and after the words: quotes, bold marks, a final stop. A near miss that
    has no place of its own is one of these, or concerns the whole."""
    message = _TEXTS.search(answer)
    if message is None:
        return []
    around = [(0, message.start()), (message.end(), len(answer))]
    return [(start, end) for start, end in around if 0 < end - start <= MAX_SIGNS]


def field_differences(
    expected: Mapping[str, object], answer: Mapping[str, object] | None, states: Mapping[str, str]
) -> tuple[FieldDifference, ...]:
    """Field by field in the order of `expected`, then what the answer has beyond it.

    answer: the object read from the output, None when none could be read. states: the scorer's word for each
    key field ('match', 'missing', 'mismatch'); fields without one are compared as they stand.
    """
    found = answer or {}
    rows: list[FieldDifference] = []
    for field in [*expected, *(name for name in states if name not in expected)]:
        wanted = value_text(expected[field]) if field in expected else ""
        if field not in found:
            missing = Runs((Run("missing", kind=Type.MONO, mark=Mark.MISSING),))
            rows.append(FieldDifference(field, wanted, missing, states.get(field, "missing")))
            continue
        given = value_text(found[field])
        state = states.get(field) or ("match" if given == wanted else "mismatch")
        # What the scorer takes as equal is not marked, though it may be written another way.
        runs = Runs(tuple(visible_runs(given))) if state == "match" else difference(wanted, given)
        rows.append(FieldDifference(field, wanted, runs, state))
    rows += [
        FieldDifference(field, "", Runs(tuple(visible_runs(value_text(value)))), "extra")
        for field, value in found.items()
        if field not in expected and field not in states
    ]
    return tuple(rows)


def value_text(value: object) -> str:
    """A JSON value as a person reads it: a text without quotes, whole numbers without a point, else JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


_SPOKEN = {
    None: "{}",
    Mark.MISSING: "[wrong: {}]",
    Mark.ADDED: "[expected: {}]",
    Mark.NEAR: "[near miss: {}]",
    Mark.BOX: "[{}]",
}


def spoken(runs: Runs) -> str:
    """The marks in words, for somebody who does not see them."""
    return "".join(_SPOKEN[run.mark].format(run.text) for run in runs.parts)
