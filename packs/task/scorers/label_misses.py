"""What keeps a text from being a label that it nearly is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from packs.task.outcome import NearMiss
from packs.task.scorers.near_misses import invisible_marks, without_invisible
from packs.task.text import trim

_WRAPS = (
    ("bold_marks", "Bold or italic marks stand around it.", re.compile(r"^[*_]+|[*_]+$")),
    ("code_marks", "Code marks stand around it.", re.compile(r"^`+(?:[a-z]+\n)?|`+$")),
    ("quotes", "Quotes stand around it.", re.compile(r"^[\"'“”„‟‘’«»]+|[\"'“”„‟‘’«»]+$")),
    ("final_stop", "A full stop or another sign stands at its end.", re.compile(r"[.,;:!]+$")),
    ("list_mark", "A list or heading mark stands before it.", re.compile(r"^(?:[-•>#]+|\d+[.)])[ \t]+")),
    (
        "lead_in",
        "A word and a colon stand before it.",
        re.compile(r"^[^\W\d]\w*(?: \w+){0,2}[ \t]*:[ \t\n]*(?=\S)"),
    ),
)


Resolve = Callable[[str], str | None]


def label_misses(
    resolve: Resolve, spellings: Sequence[str], text: str
) -> tuple[tuple[NearMiss, ...], str | None]:
    """Why a text is no label, and the label it nearly is; ((), None) when it is not near any.

    resolve: the label that a text is, or None. spellings: all that it knows.
    """
    misses: list[NearMiss] = []
    marks = invisible_marks(text)
    rest = text
    if marks:
        rest = without_invisible(text)
        misses.append(
            NearMiss("invisible_mark", "It holds a character that cannot be seen.", marks[0], marks[0] + 1)
        )
        if resolve(rest) is not None:
            return tuple(misses), resolve(rest)
    rest = trim(rest)
    for _ in range(6):
        for code, message, shape in _WRAPS:
            shorter = trim(shape.sub("", rest))
            if shorter == rest or not shorter:
                continue
            if all(miss.code != code for miss in misses):
                misses.append(NearMiss(code, message))
            rest = shorter
            if resolve(rest) is not None:
                return tuple(misses), resolve(rest)
    named = _labels_named(resolve, spellings, text)
    if len(named) == 1:
        start, end, label = named[0]
        return (NearMiss("prose_around", f"More text stands around '{label}'.", start, end),), label
    if len(named) > 1:
        names = ", ".join(f"'{label}'" for _, _, label in named[:4])
        return (NearMiss("several_labels", f"It names several labels: {names}."),), None
    return (), None


def _labels_named(resolve: Resolve, spellings: Sequence[str], text: str) -> list[tuple[int, int, str]]:
    """Labels that occur as whole words, each once, in the order of the text; a longer one hides one in it."""
    found: list[tuple[int, int, str]] = []
    for spelling in spellings:
        label = resolve(spelling)
        if not spelling or label is None:
            continue
        match = re.search(rf"(?<!\w){re.escape(spelling)}(?!\w)", text, re.IGNORECASE)
        if match is not None:
            found.append((match.start(), match.end(), label))
    found = [
        one
        for one in found
        if not any(
            two is not one and two[0] <= one[0] and one[1] <= two[1] and two[:2] != one[:2] for two in found
        )
    ]
    by_label: dict[str, tuple[int, int, str]] = {}
    for entry in sorted(found):
        by_label.setdefault(entry[2], entry)
    return list(by_label.values())
