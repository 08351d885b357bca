"""What keeps a text from being a label that it nearly is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from packs.task.outcome import NearMiss
from packs.task.scorers.look_alikes import denies, folded, look_alike_misses
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


@dataclass(frozen=True, slots=True)
class NearLabel:
    """misses: what keeps the text from being `label`. note: why it is near none although it names some."""

    misses: tuple[NearMiss, ...] = ()
    label: str | None = None
    note: str = ""


def label_misses(resolve: Resolve, spellings: Sequence[str], text: str) -> NearLabel:
    """Why a text is no label, and the label it nearly is.

    resolve: the label that a text is, or None. spellings: all that it knows.
    """
    table = {folded(spelling): spelling for spelling in spellings}
    misses: list[NearMiss] = []
    rest = trim(text)
    for _ in range(6):
        if (spelling := table.get(folded(rest))) is not None:
            if denies(text.replace(rest, " ", 1)):
                break
            alike = look_alike_misses(rest, spelling)
            at = text.find(rest)
            misses[:0] = [
                replace(m, start=m.start + at, end=m.end + at)
                if m.start is not None and m.end is not None
                else m
                for m in alike
            ]
            return NearLabel(tuple(misses), resolve(spelling))
        for code, message, shape in _WRAPS:
            shorter = trim(shape.sub("", rest))
            if shorter == rest or not shorter:
                continue
            if all(miss.code != code for miss in misses):
                misses.append(NearMiss(code, message))
            rest = shorter
            if folded(rest) in table:
                break
    named = _labels_named(resolve, spellings, text)
    if len(named) == 1:
        start, end, label = named[0]
        if denies(f"{text[:start]} {text[end:]}"):
            return NearLabel(note=f"It names '{label}' and denies something.")
        return NearLabel((NearMiss("prose_around", f"More text stands around '{label}'.", start, end),), label)
    if len(named) > 1:
        names = ", ".join(f"'{label}'" for _, _, label in named[:4])
        return NearLabel(note=f"It names several labels: {names}.")
    return NearLabel()


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
