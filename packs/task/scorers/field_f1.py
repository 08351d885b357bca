"""field-f1: how many of the key fields of a JSON object are right (task-pack format, 8.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from packs.documents.strict_json import shown
from packs.task.extract import extract_json
from packs.task.scorers.base import BadExpected, Score, ScorerParams, read_params
from packs.task.text import same_value


class FieldF1Params(ScorerParams):
    key_fields: Annotated[
        list[str],
        Field(
            min_length=1,
            title="Key fields",
            description="The names of the fields that must be right, spelled as in the answer.",
            examples=[["vendor", "total", "due_date"]],
        ),
    ]


class FieldF1:
    name: ClassVar[str] = "field-f1"
    title: ClassVar[str] = "Fields of an object"
    summary: ClassVar[str] = "The answer is a JSON object; the score says how many of its key fields are right."
    Params: ClassVar[type[ScorerParams]] = FieldF1Params
    uses_expected: ClassVar[bool] = True

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


def _detail(
    carved: bool, why: str | None, fields: dict[str, str], true_pos: int, false_pos: int, false_neg: int
) -> dict[str, object]:
    precision = true_pos / (true_pos + false_pos) if true_pos + false_pos else 0.0
    recall = true_pos / (true_pos + false_neg) if true_pos + false_neg else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"carved": carved, "why": why, "fields": fields, "precision": precision, "recall": recall, "f1": f1}
