"""field-f1: how many of the key fields of a JSON object are right (task-pack format, 8.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field

from packs.documents.strict_json import shown
from packs.task.extract import extract_json
from packs.task.outcome import NearMiss
from packs.task.scorers.base import BadExpected, Score, Scorer, ScorerParams, read_params
from packs.task.scorers.jobs import DraftingJob, FieldsJob
from packs.task.scorers.near_misses import field_miss, json_form_misses, key_miss, no_json
from packs.task.scorers.parts import (
    Adviser,
    AnswerForm,
    DraftFault,
    ExpectedShape,
    Explanation,
    Preset,
    Scaffold,
    is_texts,
    param_fault,
    texts_of,
)
from packs.task.text import BLANK_CLASS, same_value, trim


class FieldF1Params(ScorerParams):
    key_fields: Annotated[
        list[str],
        Field(
            min_length=1,
            title="Key fields",
            description="The names of the fields that must be right, spelled as in the answer.",
            examples=[["vendor", "total", "due_date"]],
            json_schema_extra={"entry": "field"},
        ),
    ]


_SCAFFOLD_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "required": ["title", "amount"],
    "properties": {"title": {"type": "string"}, "amount": {"type": "number"}},
}

_SCAFFOLD = Scaffold(
    "Read out fields",
    "The answer is a JSON object with fields, each right or wrong.",
    "extraction",
    """\
scorer_params:
  # The fields that must be right, spelled as in the answer. Edit: your own fields.
  key_fields:
    - title
    - amount

# A gate is a condition: an answer that does not pass it scores 0. Remove it if the shape does not matter.
gates:
  - scorer: json-schema
    scorer_params:
      schema: ./schema.json      # Edit this file together with key_fields.
""",
    """\
Read the text and answer with a JSON object and nothing else. It has just these fields:
"title" (text) and "amount" (number).

Text:
{{input}}
""",
    {"title": "replace me", "amount": 0},
    _SCAFFOLD_SCHEMA,
)


class FieldF1(Scorer):
    name: ClassVar[str] = "field-f1"
    title: ClassVar[str] = "Fields of an object"
    summary: ClassVar[str] = "The answer is a JSON object; the score says how many of its key fields are right."
    Params: ClassVar[type[ScorerParams]] = FieldF1Params
    uses_expected: ClassVar[bool] = True
    word: ClassVar[str] = "Fields"
    shape: ClassVar[ExpectedShape] = ExpectedShape.FIELDS
    scaffold: ClassVar[Scaffold] = _SCAFFOLD
    purpose: ClassVar[str] = "Read the text below."
    job: ClassVar[DraftingJob | None] = FieldsJob()

    def __init__(self, params: Mapping[str, object]) -> None:
        self.params = read_params(FieldF1Params, params)

    def check_expected(self, expected: object) -> None:
        if not isinstance(expected, dict):
            fields = ", ".join(f'"{name}": …' for name in self.params.key_fields[:3])
            raise BadExpected(
                f"The expected value must be an object with the key fields; it is {shown(expected)}.",
                f"Write it as {{{fields}}}.",
            )

    def score(self, output: str, expected: object) -> Score:
        assert isinstance(expected, dict)
        found = extract_json(output)
        names = self.params.key_fields
        if not found.ok or not isinstance(found.value, dict):
            why = "not-object" if found.ok else "no-json"
            return Score(
                0.0, False, _detail(found.carved, why, dict.fromkeys(names, "missing"), 0, 0, len(names))
            )
        answer = found.value
        fields: dict[str, str] = {}
        true_positive = false_positive = false_negative = 0
        for name in names:
            if name not in answer:
                fields[name] = "missing"
                false_negative += 1
            elif name in expected and same_value(answer[name], expected[name]):
                fields[name] = "match"
                true_positive += 1
            else:
                fields[name] = "mismatch"
                false_positive += 1
                false_negative += 1
        detail = _detail(found.carved, None, fields, true_positive, false_positive, false_negative)
        f1 = detail["f1"]
        assert isinstance(f1, float)
        return Score(f1, true_positive == len(names), detail)

    def is_answer(self, text: str) -> bool | None:
        found = extract_json(text)
        return found.ok and not found.carved

    def reads(self, text: str) -> bool:
        return isinstance(extract_json(text).value, dict)

    def explain(self, text: str, expected: Any, score: Score) -> Explanation:
        found = extract_json(text)
        if not found.ok:
            return no_json(text)
        if not isinstance(found.value, dict):
            reason = f"The answer is {shown(found.value, 40)}, not an object with fields."
            return Explanation(False, reason, json_form_misses(text, found))
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
                    f"expected {shown(expected[name], 40)}"
                    if name in expected
                    else "nothing is expected for it"
                )
                wrong.append(f"{name} is {shown(found.value[name], 40)}, {wanted}")
            if miss is not None:
                misses.append(miss)
        reported = "; ".join(wrong[:4]) + ("; …" if len(wrong) > 4 else "")
        return Explanation(
            True,
            f"{right} of {len(fields)} fields are right: {reported}.",
            (*misses, *json_form_misses(text, found)),
        )

    @classmethod
    def draft_faults(
        cls, params: Mapping[str, Any], expected: Sequence[object], prompt: str | None
    ) -> list[DraftFault]:
        faults: list[DraftFault] = []
        keys = params.get("key_fields")
        if not is_texts(keys):
            faults.append(param_fault("key_fields", "a list of texts"))
            return faults
        assert isinstance(keys, list)
        lacking = sum(
            not isinstance(value, Mapping) or any(key not in value for key in keys) for value in expected
        )
        if lacking:
            message = (
                f"{lacking} expected values lack a key field; each must be an object with {', '.join(keys)}."
            )
            faults.append(DraftFault("expected_lacks_key_fields", message, {"count": lacking}))
        return faults

    def verdict(self, score: Score) -> str:
        why: Any = score.detail["why"]
        if why is not None:
            return "This does not pass: " + (
                "there is no JSON in it." if why == "no-json" else "its JSON is not an object."
            )
        fields: Any = score.detail["fields"]
        right = sum(state == "match" for state in fields.values())
        if score.passed:
            return f"This passes: all {len(fields)} fields are right."
        message = {"mismatch": "is wrong", "missing": "is missing"}
        faults = ", ".join(f"{name} {message[state]}" for name, state in fields.items() if state in message)
        return f"This does not pass: {right} of {len(fields)} fields are right; {faults}."

    def form(self, expected: Sequence[object]) -> AnswerForm | None:
        return AnswerForm(schema=object_schema(self.params.key_fields, expected))

    def advise(self, adviser: Adviser, primary: bool) -> None:
        for example in adviser.examples:
            if not isinstance(example.expected, dict):
                continue
            self._codes(adviser, example.id, example.expected)
            self._ambiguous(adviser, example.id, example.expected)
            lacking = [name for name in self.params.key_fields if name not in example.expected]
            if lacking:
                names = ", ".join(f"'{name}'" for name in lacking)
                adviser.warn_example(
                    example.id,
                    ("expected",),
                    "expected_lacks_field",
                    f"expected lacks {names}, so this example can never pass.",
                    "Add the field, with null if there is nothing to find.",
                )

    def _ambiguous(self, adviser: Adviser, example_id: str, expected: Mapping[str, object]) -> None:
        """Texts whose one mark may part thousands or decimals: `1.234`, `1,234`, `0,075` (section 6.3)."""
        for name in self.params.key_fields:
            value = expected.get(name)
            for text in texts_of(value if isinstance(value, list) else [value]):
                readings = two_readings(text)
                if readings is not None:
                    adviser.warn_example(
                        example_id,
                        ("expected", name),
                        "ambiguous_number",
                        f"{name}: '{trim(text)}' is read as {readings[0]:.12g}; it may be meant as "
                        f"{readings[1]:.12g}.",
                        "Write the number that is meant, without quotes and groups: 1234 or 0.075.",
                    )
                    break

    def _codes(self, adviser: Adviser, example_id: str, expected: Mapping[str, object]) -> None:
        """Texts of digits that the scorer takes for numbers: `00731` equals `731` (section 6.4)."""
        for name in self.params.key_fields:
            value = expected.get(name)
            other = same_as_number(trim(value)) if isinstance(value, str) else None
            if other is not None:
                adviser.warn_example(
                    example_id,
                    ("expected", name),
                    "compared_as_number",
                    f"{name} is compared as a number, so '{value}' equals '{other}'.",
                    "Write a letter or a blank into the code, in the prompt and here, if that matters.",
                )

    @classmethod
    def fields(cls, params: Mapping[str, object]) -> list[str]:
        return texts_of(params.get("key_fields"))

    @classmethod
    def preset(cls, params: Mapping[str, object]) -> Preset | None:
        keys = ", ".join(f'"{key}"' for key in cls.fields(params))
        named = f" with these fields: {keys}." if keys else "."
        return Preset("JSON object", f"Answer with a JSON object and nothing else{named}", 256)

    @classmethod
    def params_from_table(cls, columns: Sequence[str], values: Sequence[object]) -> dict[str, object]:
        if len(columns) > 1 or not all(isinstance(value, dict) for value in values):
            return {"key_fields": list(columns)}
        keys = dict.fromkeys(str(key) for value in values if isinstance(value, dict) for key in value)
        return {"key_fields": list(keys)}


def _detail(
    carved: bool, why: str | None, fields: dict[str, str], true_pos: int, false_pos: int, false_neg: int
) -> dict[str, object]:
    precision = true_pos / (true_pos + false_pos) if true_pos + false_pos else 0.0
    recall = true_pos / (true_pos + false_neg) if true_pos + false_neg else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"carved": carved, "why": why, "fields": fields, "precision": precision, "recall": recall, "f1": f1}


_ONE_MARK = re.compile(rf"-?[$€£¥]?[{BLANK_CLASS}]?-?([0-9]{{1,3}})([.,])([0-9]{{3}})%?")


def two_readings(text: str) -> tuple[float, float] | None:
    """How the scorer reads a text with one mark before three digits, and how it may be meant; None: one way."""
    match = _ONE_MARK.fullmatch(trim(text))
    if match is None or (match[2] == "." and match[1].startswith("0")):
        return None
    parted, decimal = float(match[1] + match[3]), float(f"{match[1]}.{match[3]}")
    return (decimal, parted) if match[2] == "." else (parted, decimal)


def same_as_number(digits: str) -> str | None:
    """Other digits that the scorer takes for the same number: '00731' → '731'; None when there are none."""
    if not re.fullmatch(r"[0-9]{2,40}", digits):
        return None
    value = int(digits)
    others = [str(value), str(value - 1), str(value + 1)]  # neighbours are the same beyond 2^53
    return next((other for other in others if other != digits and float(other) == float(value)), None)


def object_schema(key_fields: Sequence[str], expected: Sequence[object]) -> dict[str, Any]:
    """An object with just the key fields, each of the kinds that the examples' expected values have.

    The values themselves do not enter: a schema must not give the answer away.
    """
    properties: dict[str, Any] = {}
    for name in dict.fromkeys(key_fields):
        values = [entry[name] for entry in expected if isinstance(entry, Mapping) and name in entry]
        properties[name] = _kinds(values)
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _kinds(values: Sequence[object]) -> dict[str, Any]:
    kinds = sorted({_kind(value) for value in values})
    if not kinds or "array" in kinds or "object" in kinds:
        return {}
    return {"type": kinds[0]} if len(kinds) == 1 else {"type": kinds}


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"
