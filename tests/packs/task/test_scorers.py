"""Scorers beyond the vectors: where this program does better, the dialect of expressions, bounds, forms."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.documents.strict_json import JsonFault, parse
from packs.task.ecma_regex import BadPattern, EcmaPattern, SlowPattern, is_slow, translate
from packs.task.extract import extract_json
from packs.task.scorers import SCORERS, BadExpected, BadParams
from packs.task.scorers.base import param_names
from packs.task.scorers.field_f1 import FieldF1
from packs.task.scorers.json_schema import JsonSchema
from packs.task.scorers.pattern import Pattern
from packs.task.text import first_number, normalise, same_value, trim


def pattern(source: str, text: str) -> bool:
    return EcmaPattern(source).found_in(text)


# Better than the other tool ----------


def test_that_a_needless_escape_is_accepted() -> None:
    assert Pattern({"patterns": ["\\-"], "mode": "regex"}).score("-", None).passed


def test_that_a_field_with_the_name_of_an_inherited_one_is_missing() -> None:
    score = FieldF1({"key_fields": ["constructor"]}).score("{}", {"constructor": "Ann"})
    assert score.detail["fields"] == {"constructor": "missing"}


def test_that_a_pattern_that_would_hang_ends_and_is_named() -> None:
    score = Pattern({"patterns": ["^(?:a|a)+$"], "mode": "regex"}).score("a" * 52 + "!", None)
    assert score.score is None
    assert score.detail["timed_out"] == "^(?:a|a)+$"


def test_that_a_schema_pattern_is_limited_as_well() -> None:
    scorer = JsonSchema({"schema": {"type": "string", "pattern": "^(?:a|a)+$"}})
    assert scorer.score(json.dumps("a" * 52 + "!"), None).score is None


@pytest.mark.parametrize("draft", ["2019-09", "2020-12"])
def test_that_newer_dialects_are_validated_by_their_own_rules(draft: str) -> None:
    schema = {
        "$schema": f"https://json-schema.org/draft/{draft}/schema",
        "type": "object",
        "properties": {"a": {"type": "number"}},
        "unevaluatedProperties": False,
    }
    scorer = JsonSchema({"schema": schema})
    assert scorer.score('{"a": 1}', None).passed
    assert not scorer.score('{"a": 1, "b": 2}', None).passed


@pytest.mark.parametrize("source", ["\\p{Lu}", "(?<year>\\d{4})", "\\u{1F600}", "[^]", "a\\-b", "\\/"])
def test_that_schema_patterns_are_of_the_same_dialect(source: str) -> None:
    assert JsonSchema({"schema": {"properties": {"v": {"pattern": source}}}}).patterns == (source,)


def test_that_a_schema_may_refer_to_itself_by_its_own_name_and_to_published_dialects() -> None:
    own = {
        "$id": "http://example.invalid/s.json",
        "definitions": {"a": {"type": "string"}},
        "properties": {"v": {"$ref": "s.json#/definitions/a"}},
    }
    assert not JsonSchema({"schema": own}).score('{"v": 1}', None).passed
    meta = {"$ref": "http://json-schema.org/draft-07/schema#"}
    assert JsonSchema({"schema": meta}).score('{"type": "string"}', None).passed
    assert not JsonSchema({"schema": meta}).score('{"type": "text"}', None).passed


def test_that_an_endless_reference_fails_the_answer_and_not_the_program() -> None:
    assert not JsonSchema({"schema": {"$ref": "#"}}).score("1", None).passed


def test_that_keywords_used_as_names_are_names() -> None:
    schema = {"properties": {"$ref": {"type": "string"}, "pattern": {"const": {"pattern": "("}}}}
    assert not JsonSchema({"schema": schema}).score('{"$ref": 1}', None).passed


def test_that_the_newest_tuple_form_is_known() -> None:
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"type": "number"}]}
    assert not JsonSchema({"schema": schema}).score('["x"]', None).passed


# Expressions ----------


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("^a.c$", "a😀c", True),
        ("\\w", "é", False),
        ("\\bword\\b", "éword", True),
        ("\\Bx", "ax", True),
        ("(?<year>\\d{4})-\\k<year>", "2026-2026", True),
        ("(?<=a+)b", "aab", True),
        ("(?<!a)b", "ab", False),
        ("\\p{Script=Greek}", "λ", True),
        ("\\p{punct}", "+", False),
        ("[\\p{Lu}\\d]", "é", False),
        ("[^\\D5]", "5", False),
        ("[^\\D5]", "4", True),
        ("\\x41\\u0042\\u{43}", "ABC", True),
        ("\\ud83d\\ude00", "😀", True),
        ("\\cJ", "\n", True),
        ("\\0", "\x00", True),
        ("[\\b]", "\x08", True),
        ("[]", "a", False),
        ("(a)|\\1b", "b", True),
        ("a{2}", "aa", True),
        ("[&&]", "&", True),
        ("[a||b]", "|", True),
        ("#", "#", True),
        ("a b", "ab", False),
        ("^$", "\n", False),
        ("x*?$", "xx", True),
        ("[a-]", "-", True),
        ("[-a]", "-", True),
        ("\\/", "/", True),
    ],
)
def test_that_expressions_mean_what_the_format_says(source: str, text: str, found: bool) -> None:
    assert pattern(source, text) is found


@pytest.mark.parametrize(
    "source",
    [
        *(
            "(",
            ")",
            "[",
            "*a",
            "a**",
            "a++",
            "(?>a)",
            "(?i)a",
            "(?i:a)",
            "(?P<n>a)",
            "(?#c)",
            "(?=a)*",
            "\\b+",
            "^*",
        ),
        *("{2}", "a{2,1}", "a{", "}", "]", "\\a", "\\8", "\\1", "\\k<n>", "(?<n>a)(?<n>b)", "[b-a]", "[\\d-z]"),
        *("\\u{110000}", "\\p{X}", "\\p{lu}", "\\u12", "\\", "(?<1a>x)", "\\c1"),
    ],
)
def test_that_what_the_dialect_refuses_is_refused_with_a_reason(source: str) -> None:
    with pytest.raises(BadPattern) as error:
        EcmaPattern(source)
    assert error.value.reason.endswith(".")


@settings(max_examples=100)
@given(st.text(alphabet="ab(){}[]*+?|^$.\\dwsbkpu<>=!:,-0123é\n", min_size=1, max_size=14))
def test_that_any_expression_is_either_refused_or_searches(source: str) -> None:
    try:
        compiled = EcmaPattern(source)
    except BadPattern:
        return
    try:
        compiled.found_in("aabb ab12 é\n")
    except SlowPattern:
        return
    assert translate(source)


@given(st.text(max_size=30))
def test_that_a_text_with_its_signs_escaped_finds_itself(text: str) -> None:
    source = "".join(f"\\u{{{ord(char):x}}}" for char in text)
    assert EcmaPattern(f"^{source}$").found_in(text)


def test_that_a_plain_expression_is_not_called_slow() -> None:
    for source in ("^[A-Z]{2}\\d+$", "restart: \\w+", "a|b|c", "^\\s*\\{"):
        assert not is_slow(EcmaPattern(source)), source


# Texts and numbers ----------


def test_that_blanks_are_the_formats_own() -> None:
    assert trim("\ufeff\u00a0x\u2028") == "x"
    assert trim("\x85x\x1c") == "\x85x\x1c"


@given(st.text(max_size=40))
def test_that_normalising_twice_changes_nothing_more_for_plain_letters(text: str) -> None:
    if text.isascii():
        assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1,234.50", 1234.5), ("1,2345", 1234), ("1234,567", 1234), ("-$5", -5), ("$-5", -5), ("- 5", -5)),
        *(("--5", -5), ("42%", 42), (".42", 42), ("4.2e1", 4.2), ("42,5", 42), ("42½", 421), ("−42", 42)),
        ("9" * 400, float("inf")),
    ],
)
def test_that_numbers_are_read_as_the_format_says(text: str, value: float) -> None:
    number = first_number(text)
    assert number is not None
    assert number.value == value


def test_that_kinds_never_mix() -> None:
    assert not same_value(True, 1)
    assert not same_value(None, "")
    assert not same_value("[1]", [1])
    assert same_value("5.0", 5)
    assert same_value([1, {"a": "X"}], ["1", {"a": " x"}])


# Never raising, always in range ----------

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
PARAM_NAMES = st.sampled_from(["labels", "key_fields", "schema", "tolerance", "mode", "patterns"])
PARAMS: dict[str, dict[str, Any]] = {
    "exact-label": {"labels": ["a", "b c"]},
    "field-f1": {"key_fields": ["a", "b"]},
    "json-schema": {"schema": {"type": "object", "required": ["a"], "properties": {"a": {"pattern": "^x"}}}},
    "numeric-tolerance": {"tolerance": 0.5, "mode": "relative"},
    "pattern": {"patterns": ["a", "b"], "mode": "regex"},
}


@pytest.mark.parametrize("name", SCORERS.names)
@settings(max_examples=60)
@given(output=st.text(max_size=60) | JSON_VALUES.map(json.dumps), expected=JSON_VALUES)
def test_that_any_answer_gets_a_score_in_range_and_the_same_one_again(
    name: str, output: str, expected: object
) -> None:
    scorer = SCORERS[name](PARAMS[name])
    try:
        scorer.check_expected(expected)
    except BadExpected:
        return
    score = scorer.score(output, expected)
    assert score.score is not None
    assert 0 <= score.score <= 1
    assert score == scorer.score(output, expected)
    json.dumps(score.detail, allow_nan=False)


@pytest.mark.parametrize("name", SCORERS.names)
@given(params=st.dictionaries(PARAM_NAMES, JSON_VALUES, max_size=3))
@settings(max_examples=40)
def test_that_any_parameters_are_taken_or_refused_in_words(name: str, params: dict[str, Any]) -> None:
    try:
        SCORERS[name](params)
    except BadParams as error:
        assert all(fault.message and fault.path for fault in error.faults)


@pytest.mark.parametrize("name", SCORERS.names)
def test_that_every_parameter_has_a_title_and_a_description_for_forms(name: str) -> None:
    model = SCORERS[name].Params
    schema = model.model_json_schema(by_alias=True)
    assert set(schema["properties"]) == set(param_names(model))
    for entry in schema["properties"].values():
        assert entry["title"]
        assert entry["description"].endswith(".")
    assert SCORERS[name].title
    assert SCORERS[name].summary.endswith(".")


# JSON ----------


@pytest.mark.parametrize(
    "text",
    [
        "NaN",
        "[Infinity]",
        "{'a':1}",
        "[1,]",
        "01",
        "+1",
        ".5",
        "1.",
        "[1 // x\n]",
        "\ufeff1",
        '"\t"',
        "{a:1}",
        "",
    ],
)
def test_that_only_strict_json_is_json(text: str) -> None:
    with pytest.raises(JsonFault) as fault:
        parse(text)
    assert fault.value.reason.endswith(".")
    assert 0 <= fault.value.offset <= len(text)


def test_that_whole_numbers_beyond_doubles_lose_digits_as_the_format_says() -> None:
    assert parse("9007199254740993") == 9007199254740992.0
    assert parse("1e400") == float("inf")
    assert parse("9" * 5000) == float("inf")


def test_that_deep_answers_do_not_exhaust_the_stack() -> None:
    assert extract_json("[" * 100_000 + "]" * 100_000).error == "invalid"
    deep = "[" * 400 + "]" * 400
    assert extract_json(deep).ok
    assert FieldF1({"key_fields": ["a"]}).score(f'{{"a": {deep}}}', {"a": parse(deep)}).passed


@given(JSON_VALUES)
def test_that_json_in_prose_is_found(value: object) -> None:
    if isinstance(value, dict | list):
        found = extract_json(f"Here it is:\n```json\n{json.dumps(value)}\n```\nBye")
        assert found.ok
        assert found.carved
