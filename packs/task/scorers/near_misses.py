"""Small things that keep an answer from being read. They are named and counted, and never change a score."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from packs.task.extract import Extraction, extract_json
from packs.task.outcome import NearMiss
from packs.task.scorers.parts import Explanation, lower_first
from packs.task.text import BLANK_CLASS, as_double, first_number, is_number, normalise, same_value, trim

_SPACED_GROUPS = r"[0-9]{1,3}(?:[\u0020\u00a0\u2009\u202f'’][0-9]{3})+(?:[.,][0-9]+)?"
_MINUS = "[-−–]?"
_READ_FOR_NUMBERS = 4000
"""Characters of an answer searched for other readings; a person would not look further, and time is bounded."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Another way to read a number in a text, and what would be needed for it. start, end: as `NearMiss`."""

    code: str
    value: float
    start: int | None
    end: int | None
    message: str


def invisible_marks(text: str) -> list[int]:
    """Places of characters that cannot be seen and are no blanks: direction marks, zero-width signs."""
    return [at for at, char in enumerate(text) if unicodedata.category(char) == "Cf" and char != "\ufeff"]


def without_invisible(text: str) -> str:
    return "".join(char for char in text if unicodedata.category(char) != "Cf" or char == "\ufeff")


def number_readings(text: str) -> list[Reading]:
    """Numbers as people write them and the format does not read them (section 22.10)."""
    text = text[:_READ_FOR_NUMBERS]
    readings: list[Reading] = []

    def collect(code: str, message: str, shape: str, value: Callable[[str], float]) -> None:
        matches = re.finditer(shape, text)
        readings.extend(Reading(code, value(one[0]), one.start(), one.end(), message) for one in matches)

    collect(
        "european_number",
        "The number is written with a decimal comma.",
        rf"{_MINUS}(?:[0-9]{{1,3}}(?:\.[0-9]{{3}})+(?:,[0-9]+)?|[0-9]+,[0-9]+)(?![.,]?[0-9])",
        lambda token: _value(token.replace(".", "").replace(",", ".")),
    )
    collect(
        "spaced_groups",
        "The digits of the number are grouped by spaces or apostrophes.",
        f"{_MINUS}{_SPACED_GROUPS}",
        lambda token: _value(re.sub(r"[^0-9.,\-−–]", "", token).replace(",", ".")),
    )
    collect("typographic_minus", "A typographic minus stands before it.", r"[−–][0-9]+(?:\.[0-9]+)?", _value)
    collect("leading_dot", "The number begins with its decimal point.", r"(?<![0-9])-?\.[0-9]+", _value)
    collect(
        "exponent",
        "The number is written with an exponent.",
        r"-?[0-9]+(?:\.[0-9]+)?[eE][-+]?[0-9]{1,3}",
        _value,
    )
    collect(
        "parentheses",
        "Parentheses stand for a minus.",
        r"\([$€£¥]?[0-9][0-9,]*(?:\.[0-9]+)?\)",
        lambda token: -_value(re.sub(r"[^0-9.]", "", token)),
    )
    collect(
        "list_mark",
        "A dash before the number is read as a minus.",
        rf"(?:^|\n)-[{BLANK_CLASS}][$€£¥]?[0-9]+(?:\.[0-9]+)?",
        lambda token: _value(re.sub(r"[^0-9.]", "", token)),
    )
    readings.extend(_later_numbers(text))
    return readings


def _later_numbers(text: str) -> list[Reading]:
    """Every number after the first, by the format's own reading."""
    folded = unicodedata.normalize("NFKC", text)
    readings: list[Reading] = []
    at = 0
    while len(readings) < 50 and (number := first_number(folded[at:])) is not None:
        if at:
            readings.append(
                Reading(
                    "later_number",
                    number.value,
                    at + number.start if folded == text else None,
                    at + number.end if folded == text else None,
                    f"Another number comes first; '{trim(number.token)}' comes later.",
                )
            )
        at += number.end
    return readings


def _value(token: str) -> float:
    try:
        return float(token.replace("−", "-").replace("–", "-"))
    except ValueError:
        return float("nan")


def json_miss(text: str, found: Extraction) -> NearMiss | None:
    """What is wrong with the JSON of an answer, with its place in `text`; None when there is none at all."""
    if found.ok or found.error == "none" or found.fault is None:
        return None
    lead = len(text) - len(text.lstrip()) if trim(text) else 0
    at = min(lead + found.start + found.fault.offset, max(len(text) - 1, 0))
    return NearMiss(found.fault.code, found.fault.reason, at, at + 1)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def dates_meant(text: str) -> set[str]:
    """ISO dates that a text may mean; day and month are tried both ways."""
    meant: set[str] = set()
    for one, two, year in re.findall(r"\b(\d{1,2})[./-](\d{1,2})[./-](\d{4})\b", text):
        meant |= {f"{year}-{int(two):02}-{int(one):02}", f"{year}-{int(one):02}-{int(two):02}"}
    for year, month, day in re.findall(r"\b(\d{4})[./](\d{1,2})[./](\d{1,2})\b", text):
        meant.add(f"{year}-{int(month):02}-{int(day):02}")
    for day, month, year in re.findall(
        r"\b(\d{1,2})(?:st|nd|rd|th|\.)? ([A-Za-z]{3})[a-z]*\.?,? (\d{4})\b", text
    ):
        if month.lower() in _MONTHS:
            meant.add(f"{year}-{_MONTHS.index(month.lower()) + 1:02}-{int(day):02}")
    for month, day, year in re.findall(r"\b([A-Za-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b", text):
        if month.lower() in _MONTHS:
            meant.add(f"{year}-{_MONTHS.index(month.lower()) + 1:02}-{int(day):02}")
    return meant


def field_miss(name: str, answer: Any, expected: Any) -> NearMiss | None:
    """Why the value of one field is not equal although it nearly is."""
    if isinstance(answer, str):
        if invisible_marks(answer) and same_value(without_invisible(answer), expected):
            return NearMiss("invisible_mark", f"{name} holds a character that cannot be seen.")
        if is_number(expected):
            for reading in number_readings(answer):
                if reading.value == as_double(expected):
                    return NearMiss(reading.code, f"{name}: {lower_first(reading.message)}")
        if isinstance(expected, str) and expected in dates_meant(answer):
            return NearMiss("date_form", f"{name} is the right date in another form.")
        if isinstance(expected, str) and normalise(expected) and normalise(expected) in normalise(answer):
            return NearMiss("extra_words", f"{name} holds the right text and more.")
    elif isinstance(answer, list) and len(answer) == 1 and same_value(answer[0], expected):
        return NearMiss("wrapped_in_list", f"{name} is right but stands in a list.")
    return None


def key_miss(name: str, answer: dict[str, Any]) -> NearMiss | None:
    """A key that is missing and stands there in another spelling."""
    folded = _letters(name)
    other = next((key for key in answer if key != name and _letters(key) == folded), None)
    return NearMiss("key_spelling", f"'{name}' is spelled '{other}'.") if other is not None else None


def _letters(key: str) -> str:
    return re.sub(r"[\W_]", "", normalise(key))


def no_json(text: str) -> Explanation:
    """Of an answer without JSON that can be read."""
    miss = json_miss(text, extract_json(text))
    if miss is None:
        return Explanation(False, "There is no JSON in the answer.")
    return Explanation(False, f"The JSON in the answer cannot be read: {lower_first(miss.message)}", (miss,))
