"""Inputs that hardly differ, and expected answers that the prompt gives away.

Both are found in one pass over the examples: by a key, never by comparing in pairs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from packs.documents.problems import FieldPath
from packs.documents.strict_json import shown
from packs.task.model import Example

MIN_LETTERS = 30
"""With fewer letters beside them, the digits are what an input is about: 'room 3' is another than 'room 4'."""
MIN_ANSWER_CHARS = 16
"""Shorter answers are like labels: a prompt may well have to name them."""
MAX_SEARCHED = 200_000_000
"""Characters of prompt that are looked through in all: some tenths of a second."""

REPEATS = frozenset({"duplicate_input", "contradicting_input", "near_duplicate_input"})
"""Codes of the problems that tell of examples that repeat another one."""

_TEXTS = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Given:
    """An expected text that stands in the prompt. path: inside the example file."""

    example: str
    path: FieldPath
    text: str


def plain_key(text: str) -> str:
    """The same for texts that differ only in case, blanks and punctuation; '' for a text without letters."""
    key = " ".join(_TEXTS.findall(text.casefold()))
    return key if any(character.isalpha() for character in key) else ""


def numberless_key(text: str) -> str:
    """As `plain_key`, for texts that differ in their digits as well; '' with too few letters to tell."""
    key = _DIGITS.sub("0", plain_key(text))
    return key if sum(character.isalpha() for character in key) >= MIN_LETTERS else ""


class NearInputs:
    """Fed with one example after the other; remembers the first of each kind."""

    def __init__(self) -> None:
        self._plain: dict[str, str] = {}
        self._numberless: dict[tuple[str, str], str] = {}

    def earlier(self, example: Example, expected: str) -> str | None:
        """The id of the first example that is nearly the same; None when there is none.

        expected: its expected value as text. Other digits only count as the same with the same expected value:
        otherwise the number is what the example is about.
        """
        plain = plain_key(example.input)
        numberless = numberless_key(example.input)
        found = self._plain.setdefault(plain, example.id) if plain else example.id
        if found == example.id and numberless:
            found = self._numberless.setdefault((numberless, expected), example.id)
        elif numberless:
            self._numberless.setdefault((numberless, expected), example.id)
        return None if found == example.id else found


def groups_of(examples: Sequence[Example]) -> dict[str, str]:
    """Example id -> id of the first example that it repeats; its own where it repeats none.

    Repeated are equal inputs, near-copies (see `NearInputs`) and those to which the author gave one `group`.
    """
    near = NearInputs()
    first_of: dict[tuple[str, str], str] = {}
    places = {example.id: place for place, example in enumerate(examples)}
    above = {example.id: example.id for example in examples}

    def top(name: str) -> str:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    for example in examples:
        earlier = [
            first_of.setdefault(("input", example.input), example.id),
            near.earlier(example, shown(example.expected, 100_000)) or example.id,
        ]
        if example.group:
            earlier.append(first_of.setdefault(("group", example.group), example.id))
        tops = sorted({top(name) for name in (example.id, *earlier)}, key=places.__getitem__)
        for other in tops[1:]:
            above[other] = tops[0]
    return {name: top(name) for name in above}


def given_away(prompt: str, examples: Sequence[Example], names: frozenset[str]) -> Iterator[Given]:
    """Expected texts that stand literally in the prompt.

    names: labels and field names, which a prompt has to name. A text that several examples expect is a choice
    among few, and a prompt has to name it too.
    """
    texts = [
        (example.id, path, text)
        for example in examples
        for path, text in _texts(example.expected)
        if len(text) >= MIN_ANSWER_CHARS and text not in names
    ]
    often = Counter(text for _, _, text in texts)
    left = MAX_SEARCHED
    for name, path, text in texts:
        left -= len(prompt)
        if left < 0:
            return
        if often[text] == 1 and text in prompt:
            yield Given(name, path, text)


def _texts(expected: Any) -> Iterator[tuple[FieldPath, str]]:
    """Texts of an expected value: itself, the values of its fields and entries of their lists."""
    if isinstance(expected, str):
        yield ("expected",), expected.strip()
    elif isinstance(expected, dict):
        for name, value in expected.items():
            if isinstance(value, str):
                yield ("expected", name), value.strip()
            elif isinstance(value, list):
                for index, entry in enumerate(value):
                    if isinstance(entry, str):
                        yield ("expected", name, index), entry.strip()
