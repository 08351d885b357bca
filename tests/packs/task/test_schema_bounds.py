"""Every schema ends with a named outcome on every answer; the work is counted, no clock decides."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from packs.task.judge import judge
from packs.task.outcome import Cause
from packs.task.schema_validation import BadSchema, CompiledSchema, TooMuchWork
from packs.task.schema_work import MAX_STEPS
from packs.task.scorers.json_schema import JsonSchema
from packs.task.scoring import ScorerSpec, Scoring

NEW = "https://json-schema.org/draft/2020-12/schema"
OLDER = "https://json-schema.org/draft/2019-09/schema"


def nested(depth: int, dialect: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"properties": {"a": {"type": "integer"}}}
    for _ in range(depth):
        schema = {"anyOf": [schema], "unevaluatedProperties": False}
    return {"$schema": dialect, **schema}


def doubled(keyword: str, depth: int = 40) -> dict[str, Any]:
    table: dict[str, Any] = {"d0": {"type": "null"}}
    for level in range(depth):
        table[f"d{level + 1}"] = {keyword: [{"$ref": f"#/$defs/d{level}"}] * 2}
    return {"$schema": NEW, "$defs": table, "$ref": f"#/$defs/d{depth}"}


COSTLY = {
    "nested unevaluatedProperties": nested(20, NEW),
    "nested unevaluatedProperties of 2019-09": nested(20, OLDER),
    "doubled anyOf": doubled("anyOf"),
    "doubled allOf": {**doubled("allOf"), "$defs": {**doubled("allOf")["$defs"], "d0": {"type": "object"}}},
    "a reference to itself": {"$ref": "#"},
    "a part that names its dialect": {
        "$schema": NEW,
        "$defs": {"a": {"$schema": NEW, "anyOf": [{"$ref": "#/$defs/b"}] * 2}, "b": {"$ref": "#/$defs/a"}},
        "$ref": "#/$defs/a",
    },
}


@pytest.mark.parametrize("name", COSTLY)
def test_that_a_schema_that_needs_too_much_work_has_a_named_outcome_and_is_warned_of(name: str) -> None:
    params = {"schema": COSTLY[name]}
    assert JsonSchema(params).is_costly()
    outcome = judge(Scoring(ScorerSpec("json-schema", params)), None, '{"a": 1}')
    assert outcome.cause is Cause.TIMED_OUT
    assert outcome.score is None
    assert "more work" in outcome.reason


@pytest.mark.parametrize("dialect", [NEW, OLDER, "http://json-schema.org/draft-07/schema#"])
def test_that_20_000_objects_are_told_apart_in_few_steps(dialect: str) -> None:
    items: list[Any] = [{"n": number} for number in range(20_000)]
    compiled = CompiledSchema({"$schema": dialect, "uniqueItems": True})
    assert compiled.violations(items, 10_000) == []
    assert compiled.violations([*items, {"n": 7}], 10_000) == [{"at": "", "rule": "uniqueItems"}]


def test_that_a_wide_object_is_looked_through_in_few_steps() -> None:
    schema = {
        "$schema": NEW,
        "anyOf": [{"properties": {"x": True}}] * 3,
        "unevaluatedProperties": {"type": "integer"},
    }
    assert CompiledSchema(schema).violations(dict.fromkeys(map(str, range(5_000)), 1), MAX_STEPS) == []


@pytest.mark.parametrize("answer", ["1e999", "-1e999", "5", "0", "1e308", "[1e999]", "0.3"])
@pytest.mark.parametrize(
    "step",
    [0.1, 1e-300, 3, float("inf"), 10**400, int("9" * 399)],
    ids=["tenth", "tiny", "three", "inf", "401", "399"],
)
def test_that_no_number_ends_the_check(answer: str, step: float) -> None:
    schema: dict[str, Any] = {
        "multipleOf": step,
        "maximum": step,
        "enum": [step, 5, [1]],
        "items": {"const": step},
    }
    assert JsonSchema({"schema": schema}).score(answer, None).passed is not None


@pytest.mark.parametrize("keyword", ["$id", "$ref"])
@pytest.mark.parametrize("address", ["http://[bad", "http://[", "//[::1", "#/%zz", "\ud800"])
def test_that_an_address_that_cannot_be_read_is_told(keyword: str, address: str) -> None:
    for schema in (
        {keyword: address},
        {"properties": {"a": {keyword: address}, "b": {"$ref": "#/properties/a"}}},
    ):
        try:
            CompiledSchema(schema).violations({"a": 1, "b": 1})
        except BadSchema as fault:
            assert fault.fix


def test_that_a_large_wrong_schema_is_refused_in_bounded_work() -> None:
    mixed = [value for number in range(20_000) for value in (number, str(number))]
    with pytest.raises(BadSchema):
        CompiledSchema({"required": mixed})


def test_that_an_ordinary_large_answer_is_well_within_the_bound() -> None:
    row = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": {"type": "integer"}, "name": {"$ref": "#/definitions/n"}},
    }
    schema = {"definitions": {"n": {"type": "string", "minLength": 1}}, "type": "array", "items": row}
    assert (
        CompiledSchema(schema).violations([{"id": n, "name": "x"} for n in range(5_000)], MAX_STEPS // 2) == []
    )


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0, -0.0, 2.5])
    | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
LEAVES = st.one_of(
    st.just(True),
    st.just(False),
    st.builds(
        lambda kind: {"type": kind},
        st.sampled_from(["null", "integer", "number", "string", "object", "array", "boolean"]),
    ),
    st.builds(lambda value: {"const": value}, VALUES),
    st.builds(lambda values: {"enum": values}, st.lists(VALUES, min_size=1, max_size=3)),
    st.builds(lambda step: {"multipleOf": step}, st.sampled_from([1, 2, 0.5, 0.1])),
    st.just({"uniqueItems": True}),
    st.just({"required": ["a"]}),
    st.just({"minimum": 1, "maxLength": 1}),
)
SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(
            lambda word, parts: {word: parts},
            st.sampled_from(["anyOf", "oneOf", "allOf"]),
            st.lists(inner, min_size=1, max_size=3),
        ),
        st.builds(lambda part: {"not": part}, inner),
        st.builds(lambda test, yes, no: {"if": test, "then": yes, "else": no}, inner, inner, inner),
        st.builds(
            lambda known, part, rest: {
                "properties": known,
                "anyOf": [part, True],
                "unevaluatedProperties": rest,
            },
            st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            inner,
            inner,
        ),
        st.builds(
            lambda first, part, rest: {"prefixItems": [first], "anyOf": [part, True], "unevaluatedItems": rest},
            inner,
            inner,
            inner,
        ),
        st.builds(lambda part: {"contains": part}, inner),
        st.builds(
            lambda known, rest: {"properties": known, "additionalProperties": rest},
            st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            inner,
        ),
    ),
    max_leaves=6,
)


@seed(13)
@settings(max_examples=150, database=None, deadline=None)
@given(SCHEMAS, VALUES)
@pytest.mark.parametrize("dialect", [NEW, OLDER])
def test_that_small_schemas_say_what_the_library_says(dialect: str, schema: Any, value: Any) -> None:
    whole = {"$schema": dialect, "allOf": [schema]}
    library = jsonschema.Draft202012Validator if dialect == NEW else jsonschema.Draft201909Validator
    expected = {
        ("".join(f"/{part}" for part in error.absolute_path), str(error.validator))
        for error in library(whole).iter_errors(value)
    }
    try:
        found = CompiledSchema(whole).violations(json.loads(json.dumps(value)))
    except TooMuchWork:
        raise AssertionError("a small schema is no great work") from None
    assert {(entry["at"], entry["rule"]) for entry in found} == expected
