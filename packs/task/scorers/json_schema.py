"""json-schema: the answer is JSON that fits a schema (task-pack format, 8.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Annotated, Any, ClassVar

from pydantic import Field

from packs.task.ecma_regex import EcmaPattern, SlowPattern
from packs.task.extract import extract_json
from packs.task.scorers.base import BadParams, ParamFault, Score, Scorer, ScorerParams, read_params
from packs.task.scorers.jobs import DraftingJob, JsonShapeJob
from packs.task.scorers.near_misses import json_form_misses, no_json
from packs.task.scorers.parts import (
    Adviser,
    AnswerForm,
    DraftFault,
    ExpectedShape,
    Explanation,
    Preset,
    Scaffold,
    param_fault,
)

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


class JsonSchemaParams(ScorerParams):
    schema_: Annotated[
        dict[str, Any],
        Field(
            alias="schema",
            title="Schema",
            description="The JSON Schema the answer must fit: the path of a JSON file in the pack, or the "
            "schema itself (draft-07, 2019-09 or 2020-12).",
            examples=["./schema.json"],
            json_schema_extra={"is_schema": True},
        ),
    ]


_SCAFFOLD = Scaffold(
    "Keep a JSON shape",
    "Only the shape of the answer counts, not its values.",
    "structured",
    """\
scorer_params:
  # The shape an answer must have. Edit this file. The values themselves are not compared.
  schema: ./schema.json
""",
    """\
Read the text and answer with a JSON object and nothing else. It has the field "summary" (text).

Text:
{{input}}
""",
    {},
    {"type": "object", "required": ["summary"], "properties": {"summary": {"type": "string"}}},
)


class JsonSchema(Scorer):
    name: ClassVar[str] = "json-schema"
    title: ClassVar[str] = "JSON of a given shape"
    summary: ClassVar[str] = (
        "The answer must be JSON that fits a schema; the values themselves are not compared."
    )
    Params: ClassVar[type[ScorerParams]] = JsonSchemaParams
    uses_expected: ClassVar[bool] = False
    word: ClassVar[str] = "JSON"
    shape: ClassVar[ExpectedShape] = ExpectedShape.JSON
    scaffold: ClassVar[Scaffold] = _SCAFFOLD
    purpose: ClassVar[str] = "Read the text below."
    job: ClassVar[DraftingJob | None] = JsonShapeJob()

    def __init__(self, params: Mapping[str, object]) -> None:
        # Imported late: most packs have no schema, and the library is slow to load.
        from packs.task.schema_validation import BadSchema, CompiledSchema, TooMuchWork

        self.params = read_params(JsonSchemaParams, params)
        try:
            self._too_much: type[Exception] = TooMuchWork
            self._schema = CompiledSchema(self.params.schema_)
        except BadSchema as error:
            raise BadParams((ParamFault(("schema", *error.path), error.message, error.fix),)) from None

    @property
    def patterns(self) -> tuple[str, ...]:
        """Every regular expression of the schema, for the check on slow ones."""
        return self._schema.patterns

    def is_costly(self) -> bool:
        """Does the schema need so much work on small values that answers may get no score?"""
        return self._schema.is_costly()

    def score(self, output: str, expected: object) -> Score:
        found = extract_json(output)
        if not found.ok:
            return Score(0.0, False, {"carved": found.carved, "why": "no-json", "violations": []})
        try:
            violations = self._schema.violations(found.value)
        except SlowPattern as slow:
            detail: dict[str, object] = {
                "carved": found.carved,
                "why": None,
                "violations": [],
                "timed_out": slow.pattern,
            }
            return Score(None, None, detail)
        except self._too_much:
            return Score(None, None, {"carved": found.carved, "why": "too-much-work", "violations": []})
        why = "schema" if violations else None
        return Score(
            float(not violations),
            not violations,
            {"carved": found.carved, "why": why, "violations": violations},
        )

    def is_answer(self, text: str) -> bool | None:
        found = extract_json(text)
        return found.ok and not found.carved

    def reads(self, text: str) -> bool:
        return extract_json(text).ok

    def explain(self, text: str, expected: Any, score: Score) -> Explanation:
        if score.detail.get("why") == "no-json":
            return no_json(text)
        if score.passed:
            return Explanation(True, "The answer is JSON of the wanted shape.")
        violations: Any = score.detail["violations"]
        reported = [
            f"at {entry['at'] or 'the top'} "
            + _RULES.get(entry["rule"], f"the rule {entry['rule']} is broken")
            + (f" ({entry['name']})" if "name" in entry else "")
            for entry in violations[:3]
        ]
        more = f"; {len(violations) - 3} more" if len(violations) > 3 else ""
        reason = f"The JSON does not have the wanted shape: {'; '.join(reported)}{more}."
        return Explanation(True, reason, json_form_misses(text, extract_json(text)))

    @classmethod
    def draft_faults(
        cls, params: Mapping[str, Any], expected: Sequence[object], prompt: str | None
    ) -> list[DraftFault]:
        faults: list[DraftFault] = []
        if not isinstance(params.get("schema"), Mapping):
            faults.append(param_fault("schema", "a JSON Schema object, written out"))
        return faults

    def form(self, expected: Sequence[object]) -> AnswerForm | None:
        return AnswerForm(schema=self.params.schema_)

    def advise(self, adviser: Adviser, primary: bool) -> None:
        adviser.slow([(("schema",), EcmaPattern(source)) for source in self.patterns])
        inexact = list(dict.fromkeys(inexact_multiples(self.params.schema_)))
        if inexact:
            adviser.warn(
                ("schema",),
                "inexact_multiple_of",
                f"multipleOf {', '.join(map(repr, inexact[:3]))} is not held exactly by a computer's numbers; "
                "right values such as 19.99 may fail it, here or in another program.",
                "Count in whole units (cents) with multipleOf 1, or take the rule out.",
            )
        if self.is_costly():
            adviser.warn(
                ("schema",),
                "slow_schema",
                "The schema needs a great deal of work even on small answers; an answer that needs more than "
                "one may take gets no score.",
                "Avoid anyOf, oneOf and references that double at each level, and unevaluatedProperties around "
                "them.",
            )

    @classmethod
    def preset(cls, params: Mapping[str, object]) -> Preset | None:
        return Preset("JSON object", "Answer with a JSON object and nothing else.", 256)

    @classmethod
    def params_from_table(cls, columns: Sequence[str], values: Sequence[object]) -> dict[str, object]:
        return {"schema": {"type": "object"}}


def inexact_multiples(schema: Mapping[str, Any]) -> Iterator[float]:
    """Every multipleOf that no binary fraction is equal to: 0.01, but neither 0.25 nor 5."""
    pending: list[object] = [schema]
    while pending:  # not recursive: a schema may be nested deep
        part = pending.pop()
        if isinstance(part, Mapping):
            step = part.get("multipleOf")
            if isinstance(step, float) and isfinite(step) and Fraction(repr(step)) != Fraction(step):
                yield step
            # What an answer may be is no rule of its own.
            pending.extend(
                value for key, value in part.items() if key not in ("const", "enum", "default", "examples")
            )
        elif isinstance(part, list):
            pending.extend(part)
