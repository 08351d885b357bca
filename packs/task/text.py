"""Rules for blanks, letters and numbers that all scorers share (task-pack format, section 6)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

BLANKS = (
    "\t\n\v\f\r \u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The set W of the format. Python's own idea of a blank differs on U+0085, U+001C to U+001F and U+FEFF."""

BLANK_CLASS = "".join(f"\\u{ord(char):04x}" for char in BLANKS)
"""W as the inside of a character class, in an escape that both `re` and `regex` read."""

_BLANK_RUN = re.compile(f"[{BLANK_CLASS}]+")
_NUMBER = re.compile(
    f"-?[$€£¥]?[{BLANK_CLASS}]?-?(?P<digits>[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\\.[0-9]+)?|[0-9]+(?:\\.[0-9]+)?)%?"
)


def trim(text: str) -> str:
    """`text` without blanks of W at both ends."""
    return text.strip(BLANKS)


def is_blank(text: str) -> bool:
    return not trim(text)


def normalise(text: str) -> str:
    """N(t): NFKC, lower case (not case folding), runs of W as one space, trimmed (section 6.2)."""
    return trim(_BLANK_RUN.sub(" ", unicodedata.normalize("NFKC", text).lower()))


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """value may be infinity. token: the exact text read, after NFKC; may begin with a blank.

    start, end: place of the token in the text after NFKC, in code points. whole: nothing stands around it.
    """

    value: float
    token: str
    start: int
    end: int
    whole: bool


def first_number(text: str) -> FoundNumber | None:
    """The leftmost number of a text by the format's own reading (section 6.3); None without any."""
    folded = unicodedata.normalize("NFKC", text)
    match = _NUMBER.search(folded)
    if match is None:
        return None
    value = float(match["digits"].replace(",", ""))
    token = match[0]
    return FoundNumber(
        -value if "-" in token else value, token, match.start(), match.end(), len(token) == len(folded)
    )


def is_number(value: object) -> bool:
    """A JSON number; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_double(value: int | float) -> float:
    """The nearest double; infinity beyond its range."""
    try:
        return float(value)
    except OverflowError:
        return float("-inf") if value < 0 else float("inf")


def comparable(value: object) -> object:
    """A scalar as section 6.4 compares it: texts normalised and read as numbers where they are nothing else."""
    if isinstance(value, str):
        folded = normalise(value)
        number = first_number(folded)
        return number.value if number is not None and number.whole else folded
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return as_double(value)
    return value


def same_value(left: object, right: object) -> bool:
    """Equality of JSON values for field-f1 (sections 6.4 and 8.1): kinds never mix, lists keep their order."""
    pending = [(left, right)]  # not recursive: an answer may be nested deeper than the stack allows
    while pending:
        one, other = pending.pop()
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pending.extend((value, other[key]) for key, value in one.items())
        else:
            mine, theirs = comparable(one), comparable(other)
            if type(mine) is not type(theirs) or mine != theirs:
                return False
    return True
