"""Why a scorer gave the score it gave, in a sentence; and whether it could read the answer at all."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from packs.documents.strict_json import shown
from packs.task.extract import extract_json
from packs.task.near_misses import field_miss, json_miss, key_miss, label_misses, number_readings
from packs.task.outcome import NearMiss
from packs.task.scorers import Score, Scorer
from packs.task.scorers.exact_label import ExactLabel
from packs.task.scorers.field_f1 import FieldF1
from packs.task.scorers.json_schema import JsonSchema
from packs.task.scorers.numeric_tolerance import NumericTolerance
from packs.task.scorers.pattern import Pattern
from packs.task.text import as_double, first_number

_RULES = {
    "required": "a field is missing",
    "additionalProperties": "a field is not allowed",
    "type": "the kind of value is wrong",
    "enum": "the value is not among those allowed",
    "const": "the value is not the one allowed",
    "pattern": "the text has another form",
    "minimum": "the number is too small",
    "exclusiveMinimum": "the number is too small",
    "maximum": "the number is too large",
    "exclusiveMaximum": "the number is too large",
    "minLength": "the text is too short",
    "maxLength": "the text is too long",
    "minItems": "the list is too short",
    "maxItems": "the list is too long",
    "uniqueItems": "the list repeats a value",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """readable: the answer came in the form that the scorer reads. reason: one or two sentences."""

    readable: bool
    reason: str
    near_misses: tuple[NearMiss, ...] = ()


def explain(scorer: Scorer, text: str, expected: Any, score: Score) -> Explanation:
    """`score` must be what `scorer` gave for `text` and `expected`."""
    if isinstance(scorer, ExactLabel):
        return _label(scorer, text, expected, score)
    if isinstance(scorer, NumericTolerance):
        return _number(scorer, text, expected, score)
    if isinstance(scorer, FieldF1):
        return _fields(text, expected, score)
    if isinstance(scorer, JsonSchema):
        return _schema(text, score)
    if isinstance(scorer, Pattern):
        return _pattern(scorer, text, score)
    return Explanation(True, "The answer passed." if score.passed else "The answer did not pass.")


def _label(scorer: ExactLabel, text: str, expected: str, score: Score) -> Explanation:
    wanted = scorer.resolve(expected)
    resolved = score.detail["resolved"]
    if score.passed:
        return Explanation(True, f"The answer is '{wanted}', as expected.")
    if resolved is not None:
        return Explanation(True, f"The answer is '{resolved}'; expected is '{wanted}'.")
    misses, label = label_misses(scorer, text)
    if not misses:
        return Explanation(
            False, f"The answer {_short(text)} is not one of the labels; expected is '{wanted}'."
        )
    meant = ""
    if label is not None:
        meant = f" It seems to mean '{label}'" + (
            ", as expected." if label == wanted else f"; expected is '{wanted}'."
        )
    return Explanation(False, f"{_short(text)} is not a label: {_lower(misses[0].message)}{meant}", misses)


def _number(scorer: NumericTolerance, text: str, expected: float, score: Score) -> Explanation:
    wanted = shown(expected)
    number = first_number(text)
    if number is None:
        return Explanation(False, f"There is no number in the answer; expected is {wanted}.")
    token = number.token.strip()
    if score.passed:
        exact = number.value == as_double(expected)
        return Explanation(True, f"{token} is {'' if exact else 'near enough to '}the expected {wanted}.")
    allowed = scorer.allowed(as_double(expected))
    for reading in number_readings(text):
        if abs(reading.value - as_double(expected)) <= allowed:
            miss = NearMiss(reading.code, reading.message, reading.start, reading.end)
            return Explanation(
                False,
                f"The number is read as {token}; expected is {wanted}, which the answer seems to mean. "
                f"{reading.message}",
                (miss,),
            )
    return Explanation(True, f"The answer is {token}; expected is {wanted}.")


def _fields(text: str, expected: dict[str, Any], score: Score) -> Explanation:
    found = extract_json(text)
    if not found.ok:
        return _no_json(text)
    if not isinstance(found.value, dict):
        return Explanation(False, f"The answer is {shown(found.value, 40)}, not an object with fields.")
    fields: Any = score.detail["fields"]
    right = sum(state == "match" for state in fields.values())
    if score.passed:
        return Explanation(True, "The field is right." if right == 1 else f"All {right} fields are right.")
    wrong: list[str] = []
    misses: list[NearMiss] = []
    for name, state in fields.items():
        if state == "match":
            continue
        if state == "missing":
            miss = key_miss(name, found.value)
            wrong.append(f"{name} is missing")
        else:
            miss = field_miss(name, found.value[name], expected.get(name))
            wanted = (
                f"expected {shown(expected[name], 40)}" if name in expected else "nothing is expected for it"
            )
            wrong.append(f"{name} is {shown(found.value[name], 40)}, {wanted}")
        if miss is not None:
            misses.append(miss)
    reported = "; ".join(wrong[:4]) + ("; …" if len(wrong) > 4 else "")
    return Explanation(True, f"{right} of {len(fields)} fields are right: {reported}.", tuple(misses))


def _schema(text: str, score: Score) -> Explanation:
    if score.detail.get("why") == "no-json":
        return _no_json(text)
    if score.passed:
        return Explanation(True, "The answer is JSON of the wanted shape.")
    violations: Any = score.detail["violations"]
    reported = [
        f"at {entry['at'] or 'the top'} {_RULES.get(entry['rule'], 'the rule ' + entry['rule'] + ' is broken')}"
        + (f" ({entry['name']})" if "name" in entry else "")
        for entry in violations[:3]
    ]
    more = f"; {len(violations) - 3} more" if len(violations) > 3 else ""
    return Explanation(True, f"The JSON does not have the wanted shape: {'; '.join(reported)}{more}.")


def _no_json(text: str) -> Explanation:
    miss = json_miss(text, extract_json(text))
    if miss is None:
        return Explanation(False, "There is no JSON in the answer.")
    return Explanation(False, f"The JSON in the answer cannot be read: {_lower(miss.message)}", (miss,))


def _pattern(scorer: Pattern, text: str, score: Score) -> Explanation:
    hits: Any = score.detail["hits"]
    lacking = [pattern for pattern, hit in zip(scorer.params.patterns, hits, strict=True) if not hit]
    if score.passed:
        return Explanation(True, f"{sum(hits)} of {len(hits)} patterns are found.")
    reported = ", ".join(f"'{pattern[:40]}'" for pattern in lacking[:4]) + (", …" if len(lacking) > 4 else "")
    misses: list[NearMiss] = []
    if scorer.params.mode == "contains":
        folded = unicodedata.normalize("NFC", text)
        for pattern in lacking:
            at = text.lower().find(pattern.lower())
            if unicodedata.normalize("NFC", pattern) in folded:
                misses.append(
                    NearMiss("accents", f"'{pattern[:40]}' is there with accents written another way.")
                )
            elif at >= 0:
                end = at + len(pattern)
                misses.append(NearMiss("case_differs", f"'{pattern[:40]}' is there in other letters.", at, end))
    return Explanation(
        True, f"{sum(hits)} of {len(hits)} patterns are found; lacking: {reported}.", tuple(misses)
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return shown(line, 60)


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
