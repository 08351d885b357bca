"""Signs that look alike or cannot be seen, and keep a text from being equal to another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from packs.task.outcome import NearMiss
from packs.task.text import normalise


@dataclass(frozen=True, slots=True)
class _Kind:
    """Signs of one kind, and what stands for each of them ('' for nothing)."""

    code: str
    what: str
    signs: re.Pattern[str]
    plain: str = ""


_KINDS: Sequence[_Kind] = (
    _Kind("variation_selector", "a variation selector", re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")),
    _Kind("skin_tone", "a skin tone", re.compile("[\U0001f3fb-\U0001f3ff]")),
    _Kind("hyphen_form", "another hyphen", re.compile("[\u00ad‐‑‒–−]"), "-"),
    _Kind("apostrophe", "a typographic apostrophe", re.compile("[‘’ʼ‛′]"), "'"),
)
_DECIMAL_SIGNS = str.maketrans({"٫": ".", "٬": ","})


def invisible_marks(text: str) -> list[int]:
    """Places of characters that cannot be seen and are no blanks: direction marks, zero-width signs."""
    if text.isascii():
        return []
    return [at for at, char in enumerate(text) if unicodedata.category(char) == "Cf" and char != "\ufeff"]


def without_invisible(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) != "Cf" or char == "\ufeff")


def sign_name(char: str) -> str:
    """'left-to-right mark (U+200E)'."""
    return f"{unicodedata.name(char, 'sign without a name').lower()} (U+{ord(char):04X})"


def invisible_miss(text: str, subject: str = "It") -> NearMiss | None:
    """The first sign of a text that cannot be seen, by name."""
    marks = invisible_marks(text)
    if not marks:
        return None
    name = sign_name(text[marks[0]])
    return NearMiss(
        "invisible_mark", f"{subject} holds a {name}, which cannot be seen.", marks[0], marks[0] + 1
    )


def as_seen(text: str) -> str:
    """A text without the signs that cannot be seen, case and blanks around aside."""
    return normalise(_KINDS[0].signs.sub("", without_invisible(text)))


def unseen_names(text: str) -> list[str]:
    """The names of the signs that cannot be seen, each once, in order."""
    unseen = [char for char in text if without_invisible(char) == "" or _KINDS[0].signs.match(char)]
    return [sign_name(char) for char in dict.fromkeys(unseen)]


def folded(text: str) -> str:
    """A text as it looks, case and blanks around aside: equal for texts that only such signs tell apart."""
    if not text.isascii():
        for kind in _KINDS:
            text = kind.signs.sub(kind.plain, text)
        text = without_invisible(text)
    return normalise(text)


def look_alike_misses(text: str, other: str, subject: str = "It") -> tuple[NearMiss, ...]:
    """The signs that keep `text` from being `other`; () when they differ in more, or not at all."""
    if normalise(text) == normalise(other) or folded(text) != folded(other):
        return ()
    invisible = invisible_miss(text, subject)
    misses = [] if invisible is None else [invisible]
    for kind in _KINDS:
        here, there = list(kind.signs.finditer(text)), kind.signs.findall(other)
        if [match[0] for match in here] == there:
            continue
        if here:
            message = f"{subject} holds {kind.what}: {sign_name(here[0][0])}."
            misses.append(NearMiss(kind.code, message, here[0].start(), here[0].end()))
        else:
            misses.append(NearMiss(kind.code, f"{subject} lacks {kind.what}: {sign_name(there[0])}."))
    return tuple(misses) or (NearMiss("invisible_mark", f"{subject} lacks a sign that cannot be seen."),)


def western_digits(text: str) -> str:
    """A text with the digits of every script as 0 to 9, and the decimal signs of Arabic; as long as it was."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text.translate(_DECIMAL_SIGNS)
    )


_DENIAL = re.compile(
    r"(?<!\w)(?:not|no|never|neither|nor|none|cannot|without|except|excluding|excluded|rather than|instead of|"
    r"other than|nicht|kein\w*|weder|noch|ohne|ne|pas|non|ni|sin|nunca|não|geen|niet)(?!\w)|\wn['’]t(?!\w)",
    re.IGNORECASE,
)

_DENIED_NEXT = re.compile(rf"(?:{_DENIAL.pattern})\W{{0,3}}(?:the )?\Z", re.IGNORECASE)


def denies(text: str) -> bool:
    """Does a text deny something: 'not', 'isn't', 'kein', 'rather than'?"""
    return _DENIAL.search(text) is not None


def denies_next(before: str) -> bool:
    """Is what follows after `before` denied by its last words?"""
    return _DENIED_NEXT.search(before) is not None
