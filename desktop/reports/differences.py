"""Marks in an answer: what differs from the expected value, and what small thing kept it from being read.

Missing or wrong is struck through, near misses are underlined; both also have their reason in words beside
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from desktop.reports import text
from packs.task.outcome import Cause, Outcome

MAX_PARSED = 100_000
"""Characters of an answer that is taken apart into fields for showing."""
MAX_FIELDS = 60

MarkedPiece = tuple[str, str]
"""How a piece of an answer is marked, '', 'wrong' or 'near', and the piece."""


@dataclass(frozen=True, slots=True)
class FieldShown:
    """One field of an answer that is a JSON object. given: None where it is missing."""

    name: str
    given: str | None
    wanted: str
    right: bool


def marked_answer(outcome: Outcome, expected: object, shown: str) -> Sequence[MarkedPiece]:
    """The pieces of `shown`, the answer as it came, with marks where they are known.

    A wrong label or number is struck through; the place of a near miss is underlined when the scored text is
    what is shown.
    """
    spans = [
        (miss.start, miss.end)
        for miss in outcome.near_misses
        if miss.start is not None and miss.end is not None and 0 <= miss.start < miss.end <= len(shown)
    ]
    if spans and outcome.scored_text == shown:
        return _underlined(shown, sorted(spans))
    if outcome.cause is Cause.WRONG:
        token = outcome.detail.get("token")
        if isinstance(token, str) and token.strip() and shown.count(token.strip()) == 1:
            before, _, after = shown.partition(token.strip())
            return [("", before), ("wrong", token.strip()), ("", after)]
        if isinstance(expected, str | int | float) and len(shown) <= 200:
            return [("wrong", shown)]
    return [("", shown)]


def _underlined(shown: str, spans: list[tuple[int, int]]) -> list[MarkedPiece]:
    parts = []
    at = 0
    for start, end in spans:
        if start < at:
            continue
        parts.append(("", shown[at:start]))
        parts.append(("near", shown[start:end]))
        at = end
    parts.append(("", shown[at:]))
    return parts


def fields_shown(outcome: Outcome, expected: object, answered: Mapping[str, object]) -> Sequence[FieldShown]:
    """Field by field for answers that are JSON objects: expected, answered, and whether they agree.

    Empty when the scorer's record has no fields. `answered` is the value that the scorer read.
    """
    fields = outcome.detail.get("fields")
    if not isinstance(fields, Mapping) or not isinstance(expected, Mapping):
        return ()
    shown = []
    for name, verdict in list(fields.items())[:MAX_FIELDS]:
        right = verdict == "match"
        given = _value(answered[name]) if name in answered else "" if right else None
        shown.append(FieldShown(str(name), given, _value(expected[name]) if name in expected else "", right))
    return shown


def _value(value: object) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.one_line(shown, 200) if len(shown) > 200 else shown
