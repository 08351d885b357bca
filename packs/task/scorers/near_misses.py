"""Small things that keep an answer from being read. They are named and counted, and never change a score."""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from packs.documents.strict_json import DuplicateKey, JsonFault, parse
from packs.task.extract import Extraction, extract_json
from packs.task.outcome import NearMiss
from packs.task.scorers.look_alikes import (
    denies,
    denies_next,
    look_alike_misses,
    western_digits,
    without_invisible,
)
from packs.task.scorers.parts import Explanation, lower_first
from packs.task.text import BLANK_CLASS, as_double, first_number, is_number, normalise, same_value, trim

_SPACED_GROUPS = r"[0-9]{1,3}(?:[\u0020\u00a0\u2009\u202f'’][0-9]{3})+(?:[.,][0-9]+)?"
_MINUS = "[-−–]?"
_FENCE = re.compile(r"```|~~~")
_BRACKET = re.compile(r"[{\[]")
_BRACKETS_TRIED = 8
"""After the first value; an answer may hold a hundred thousand brackets."""
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
    collect(
        "typographic_minus",
        "A typographic minus, which is not read as one, stands before it.",
        rf"(?:[$€£¥]?[−–‒—][$€£¥]?[{BLANK_CLASS}]?)[0-9][0-9,]*(?:\.[0-9]+)?",
        lambda token: -_value(re.sub(r"[^0-9.]", "", token)),
    )
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
    western = western_digits(text)
    if western != text and (number := first_number(western)) is not None:
        message = "Its digits are not 0 to 9 but those of another script."
        readings.append(Reading("other_digits", number.value, None, None, message))
    readings.extend(_later_numbers(text))
    return [
        reading
        for reading in readings
        if reading.start is None or not denies_next(text[max(0, reading.start - 20) : reading.start])
    ]


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
    """ISO dates that a text may mean; day and month are tried both ways where both could be."""
    meant: set[tuple[str, int, int]] = set()
    for one, two, year in re.findall(r"\b(\d{1,2})[./-](\d{1,2})[./-](\d{4})\b", text):
        meant |= {(year, int(two), int(one)), (year, int(one), int(two))}
    for year, month, day in re.findall(r"\b(\d{4})[./-](\d{1,2})[./-](\d{1,2})\b", text):
        meant.add((year, int(month), int(day)))
    for day, name, year in re.findall(
        r"\b(\d{1,2})(?:st|nd|rd|th|\.)? ([A-Za-z]{3})[a-z]*\.?,? (\d{4})\b", text
    ):
        if name.lower() in _MONTHS:
            meant.add((year, _MONTHS.index(name.lower()) + 1, int(day)))
    for name, day, year in re.findall(r"\b([A-Za-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b", text):
        if name.lower() in _MONTHS:
            meant.add((year, _MONTHS.index(name.lower()) + 1, int(day)))
    return {f"{year}-{month:02}-{day:02}" for year, month, day in meant if _is_date(int(year), month, day)}


def _is_date(year: int, month: int, day: int) -> bool:
    return year >= 1 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def field_miss(name: str, answer: Any, expected: Any) -> NearMiss | None:
    """Why the value of one field is not equal although it nearly is."""
    if isinstance(answer, str):
        if isinstance(expected, str):
            alike = look_alike_misses(answer, expected, name)
            if alike:
                return NearMiss(alike[0].code, alike[0].message)
        if is_number(expected):
            bare = without_invisible(answer)
            if bare != answer and same_value(bare, expected):
                return NearMiss("invisible_mark", f"{name} holds a character that cannot be seen.")
            for reading in number_readings(answer):
                if reading.value == as_double(expected):
                    return NearMiss(reading.code, f"{name}: {lower_first(reading.message)}")
        if isinstance(expected, str) and not denies(answer):
            dates = dates_meant(answer)
            if dates == {expected}:
                return NearMiss("date_form", f"{name} is the right date in another form.")
            if expected in dates:
                return None  # it may as well mean another day
            if normalise(expected) and normalise(expected) in normalise(answer):
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


def json_form_misses(text: str, found: Extraction) -> tuple[NearMiss, ...]:
    """What is odd about how the JSON of an answer that does not pass is given, readable or not."""
    lead, text = text.find(trim(text)), trim(text)
    misses: list[NearMiss] = []
    if (fence := _FENCE.search(text)) is not None and (not found.ok or found.carved):
        misses.append(NearMiss("code_fence", "A code fence stands around the JSON.", *fence.span()))
    if not found.ok:
        later = _later_value(text, found.start + 1) if found.error in ("invalid", "unclosed") else None
        if later is not None:
            misses.append(
                NearMiss(
                    "later_candidate",
                    "JSON that can be read comes later; only the first bracket is tried.",
                    *later,
                )
            )
    elif found.carved and (later := _later_value(text, found.end)) is not None:
        misses.append(
            NearMiss("several_values", "More than one JSON value is there; the first counts.", *later)
        )
    try:
        parse(text[found.start : found.end] if found.ok else "0", unique_keys=True)
    except DuplicateKey as fault:
        message = f"The key '{fault.key[:40]}' stands twice; the last counts."
        misses.append(NearMiss("repeated_key", message))
    except JsonFault:
        pass
    return tuple(
        miss
        if miss.start is None or miss.end is None
        else replace(miss, start=miss.start + lead, end=miss.end + lead)
        for miss in misses
    )


def _later_value(text: str, start: int) -> tuple[int, int] | None:
    """The place of the first object or list after `start` that can be read; the next brackets are tried."""
    for bracket in islice(_BRACKET.finditer(text, start), _BRACKETS_TRIED):
        found = extract_json(text[bracket.start() :])
        if found.ok:
            return bracket.start() + found.start, bracket.start() + found.end
    return None


def no_json(text: str) -> Explanation:
    """Of an answer without JSON that can be read."""
    found = extract_json(text)
    miss = json_miss(text, found)
    if miss is None:
        return Explanation(False, "There is no JSON in the answer.")
    # The name of a constant keeps its letters: "NaN is no JSON number".
    why = miss.message if miss.code == "constant" else lower_first(miss.message)
    return Explanation(
        False, f"The JSON in the answer cannot be read: {why}", (miss, *json_form_misses(text, found))
    )
