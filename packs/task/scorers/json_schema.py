"""json-schema: the answer is JSON that fits a schema (task-pack format, 8.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from packs.task.ecma_regex import SlowPattern
from packs.task.extract import extract_json
from packs.task.scorers.base import BadParams, ParamFault, Score, ScorerParams, read_params


class JsonSchemaParams(ScorerParams):
    schema_: Annotated[
        dict[str, Any],
        Field(
            alias="schema",
            title="Schema",
            description="The JSON Schema the answer must fit: the path of a JSON file in the pack, or the "
            "schema itself (draft-07, 2019-09 or 2020-12).",
            examples=["./schema.json"],
        ),
    ]


class JsonSchema:
    name: ClassVar[str] = "json-schema"
    title: ClassVar[str] = "JSON of a given shape"
    summary: ClassVar[str] = (
        "The answer must be JSON that fits a schema; the values themselves are not compared."
    )
    Params: ClassVar[type[ScorerParams]] = JsonSchemaParams
    uses_expected: ClassVar[bool] = False

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

    def check_expected(self, expected: object) -> None:
        """Any value will do; it is not used."""

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
