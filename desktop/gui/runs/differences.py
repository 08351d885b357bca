"""Where an answer differs from what was expected, in pieces that a view can mark. Pure.

Three ways, by what is expected: a label against the answer, fields one by one, or characters. Invisible
characters become pieces of their own, so that they can be shown as named boxes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum
from typing import NamedTuple

from desktop.reports.text import invisible
from packs.task.outcome import NearMiss

COMPARED = 2_000
"""Characters up to which two texts are compared one by one; the work grows with the square."""


class Mark(Enum):
    SAME = "same"
    WRONG = "wrong"
    """Missing in the answer, or wrong: struck through."""
    ADDED = "added"
    """In the answer only: underlined."""
    NEAR = "near"
    """A small thing that kept the answer from being read."""
    HIDDEN = "hidden"
    """A character that cannot be seen; `text` is its short name."""


class Piece(NamedTuple):
    text: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One key field. state: 'match', 'missing', 'mismatch', 'extra' (in the answer only; costs nothing)."""

    field: str
    expected: str
    answer: tuple[Piece, ...]
    state: str


def label_pieces(answer: str, *, right: bool, near_misses: Sequence[NearMiss] = ()) -> tuple[Piece, ...]:
    """The answer to a label task: struck through when it is another label, near misses marked in place."""
    places = sorted(
        (miss.start, miss.end)
        for miss in near_misses
        if miss.start is not None and miss.end is not None and 0 <= miss.start < miss.end <= len(answer)
    )
    if not places:
        return tuple(_visible(answer, Mark.SAME if right else Mark.WRONG))
    pieces: list[Piece] = []
    at = 0
    for start, end in places:
        if start < at:
            continue
        pieces += _visible(answer[at:start], Mark.SAME)
        pieces += _visible(answer[start:end], Mark.NEAR)
        at = end
    pieces += _visible(answer[at:], Mark.SAME)
    return tuple(pieces)


def character_pieces(expected: str, answer: str) -> tuple[Piece, ...]:
    """The answer with what it lacks (wrong) and what it has too much (added)."""
    if expected == answer:
        return tuple(_visible(answer, Mark.SAME))
    if len(expected) > COMPARED or len(answer) > COMPARED:
        return tuple(_visible(answer, Mark.SAME))
    pieces: list[Piece] = []
    matcher = SequenceMatcher(None, expected, answer, autojunk=False)
    for kind, from_1, to_1, from_2, to_2 in matcher.get_opcodes():
        if kind == "equal":
            pieces += _visible(answer[from_2:to_2], Mark.SAME)
            continue
        pieces += _visible(expected[from_1:to_1], Mark.WRONG)
        pieces += _visible(answer[from_2:to_2], Mark.ADDED)
    return tuple(pieces)


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
            state = states.get(field, "missing")
            rows.append(FieldDifference(field, wanted, (Piece("missing", Mark.WRONG),), state))
            continue
        given = value_text(found[field])
        state = states.get(field) or ("match" if given == wanted else "mismatch")
        if state == "match":
            pieces = tuple(_visible(given, Mark.SAME))
        elif _near(wanted, given):
            pieces = character_pieces(wanted, given)
        else:
            pieces = tuple(_visible(given, Mark.WRONG))
        rows.append(FieldDifference(field, wanted, pieces, state))
    for field in found:
        if field not in expected and field not in states:
            given = value_text(found[field])
            rows.append(FieldDifference(field, "", tuple(_visible(given, Mark.SAME)), "extra"))
    return tuple(rows)


def value_text(value: object) -> str:
    """A JSON value as a person reads it: a text without quotes, whole numbers without a point, else JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def spoken(pieces: Sequence[Piece]) -> str:
    """The pieces for somebody who does not see the marks."""
    words = {
        Mark.SAME: "{}",
        Mark.WRONG: "[wrong: {}]",
        Mark.ADDED: "[added: {}]",
        Mark.NEAR: "[near miss: {}]",
        Mark.HIDDEN: "[{}]",
    }
    return "".join(words[piece.mark].format(piece.text) for piece in pieces)


def _visible(text: str, mark: Mark) -> list[Piece]:
    return [Piece(piece, mark) if name is None else Piece(name, Mark.HIDDEN) for piece, name in invisible(text)]


def _near(first: str, second: str) -> bool:
    """Alike enough that marking characters helps more than striking the whole."""
    if not first or not second or len(first) > COMPARED or len(second) > COMPARED:
        return False
    return SequenceMatcher(None, first, second, autojunk=False).quick_ratio() >= 0.6
