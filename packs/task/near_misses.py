"""Small things that keep an answer from being read. They are named and counted, and never change a score."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from packs.task.extract import Extraction
from packs.task.outcome import NearMiss
from packs.task.scorers.exact_label import ExactLabel
from packs.task.text import BLANK_CLASS, as_double, first_number, is_number, normalise, same_value, trim

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


def label_misses(scorer: ExactLabel, text: str) -> tuple[tuple[NearMiss, ...], str | None]:
    """Why a text is no label, and the label it nearly is; ((), None) when it is not near any."""
    misses: list[NearMiss] = []
    marks = invisible_marks(text)
    rest = text
    if marks:
        rest = without_invisible(text)
        misses.append(
            NearMiss("invisible_mark", "It holds a character that cannot be seen.", marks[0], marks[0] + 1)
        )
        if scorer.resolve(rest) is not None:
            return tuple(misses), scorer.resolve(rest)
    rest = trim(rest)
    for _ in range(6):
        for code, message, shape in _WRAPS:
            shorter = trim(shape.sub("", rest))
            if shorter == rest or not shorter:
                continue
            if all(miss.code != code for miss in misses):
                misses.append(NearMiss(code, message))
            rest = shorter
            if scorer.resolve(rest) is not None:
                return tuple(misses), scorer.resolve(rest)
    named = _labels_named(scorer, text)
    if len(named) == 1:
        start, end, label = named[0]
        return (NearMiss("prose_around", f"More text stands around '{label}'.", start, end),), label
    if len(named) > 1:
        names = ", ".join(f"'{label}'" for _, _, label in named[:4])
        return (NearMiss("several_labels", f"It names several labels: {names}."),), None
    return (), None


def _labels_named(scorer: ExactLabel, text: str) -> list[tuple[int, int, str]]:
    """Labels that occur as whole words, each once, in the order of the text; a longer one hides one in it."""
    found: list[tuple[int, int, str]] = []
    for spelling in (*scorer.params.labels, *scorer.params.aliases):
        label = scorer.resolve(spelling)
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
                    return NearMiss(reading.code, f"{name}: {_lower_first(reading.message)}")
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


def _lower_first(text: str) -> str:
    return text[0].lower() + text[1:]
