"""What differs between the expected and the given text, as marked runs. Pure but for the style names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from desktop.gui.theme import Type
from desktop.gui.widgets.text_runs import Mark, Run, Runs

MAX_CHARACTERS = 4_000
"""Longer texts are shown without marks: comparing takes time that grows with the square."""

_NAMES = {
    "\u00a0": "NBSP",
    "\u200b": "ZWSP",
    "\u200c": "ZWNJ",
    "\u200d": "ZWJ",
    "\u200e": "LRM",
    "\u200f": "RLM",
    "\u2060": "WJ",
    "\ufeff": "BOM",
    "\u00ad": "SHY",
    "\t": "TAB",
    "\r": "CR",
}


def visible_runs(text: str, mark: Mark | None = None) -> list[Run]:
    """Runs of mono text in which invisible characters became named boxes; line breaks stay."""
    runs: list[Run] = []
    plain = ""
    for character in text:
        name = _NAMES.get(character)
        if name is None and character != "\n" and unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
            name = f"U+{ord(character):04X}"
        if name is None:
            plain += character
            continue
        if plain:
            runs.append(Run(plain, kind=Type.MONO, mark=mark))
            plain = ""
        runs.append(Run(name, kind=Type.MONO, mark=Mark.BOX))
    if plain:
        runs.append(Run(plain, kind=Type.MONO, mark=mark))
    return runs


def difference(expected: str, given: str) -> Runs:
    """`given` with what is wrong struck through, and what was expected there added behind it."""
    if expected == given or max(len(expected), len(given)) > MAX_CHARACTERS:
        return Runs(tuple(visible_runs(given)))
    wanted, got = _message(expected), _message(given)
    matcher = SequenceMatcher(None, wanted, got, autojunk=False)
    if matcher.ratio() < 0.3:
        # Hardly anything in common: two whole texts are easier to read than a mosaic.
        return Runs((*visible_runs(given, Mark.MISSING), *visible_runs(expected, Mark.ADDED)))
    runs: list[Run] = []
    for kind, first, last, start, end in matcher.get_opcodes():
        if kind == "equal":
            runs += visible_runs("".join(got[start:end]))
            continue
        runs += visible_runs("".join(got[start:end]), Mark.MISSING)
        runs += visible_runs("".join(wanted[first:last]), Mark.ADDED)
    return Runs(tuple(runs))


def near_misses(given: str, places: Iterable[tuple[int, int]]) -> Runs:
    """`given` with the places (start, end in code points) of near misses marked."""
    runs: list[Run] = []
    at = 0
    for start, end in sorted(places):
        start, end = max(start, at), min(end, len(given))
        if start >= end:
            continue
        runs += visible_runs(given[at:start])
        runs += visible_runs(given[start:end], Mark.NEAR)
        at = end
    runs += visible_runs(given[at:])
    return Runs(tuple(runs))


def _message(text: str) -> Sequence[str]:
    """Words, blanks and single signs, so that marks fall on whole words."""
    parts: list[str] = []
    for character in text:
        if parts and character.isalnum() and parts[-1][-1].isalnum():
            parts[-1] += character
        else:
            parts.append(character)
    return parts
