"""YAML by the core schema, with places and plain words for faults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.documents.yaml_tree import YamlFault, parse_yaml


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("2026-01-02", "2026-01-02"),
        ("12:30", "12:30"),
        ("True", True),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("~", None),
        ("", None),
        ("2e3", 2000.0),
        ("0x800", 2048),
        ("0o17", 15),
        ("017", 17),
        ("+5", 5),
        (".5", 0.5),
        ("1_000", "1_000"),
        ("'5'", "5"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
        ("!thing 5", "5"),
        (".inf", float("inf")),
    ],
)
def test_that_a_value_is_read_by_the_core_schema(text: str, value: object) -> None:
    assert parse_yaml(f"k: {text}\n").value == {"k": value}
    assert type(parse_yaml(f"k: {text}\n").value["k"]) is type(value)


def test_that_merge_keys_are_plain_keys() -> None:
    assert parse_yaml("a: &a {x: 1}\nb: {<<: *a}\n").value == {"a": {"x": 1}, "b": {"<<": {"x": 1}}}


def test_that_keys_are_texts() -> None:
    assert parse_yaml("1: a\ntrue: b\n0x10: c\n").value == {"1": "a", "true": "b", "16": "c"}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a:\n\tb: 1", "tab", 2),
        ("a: b: c", "not in quotes", 1),
        ("a: 1\n  b: 2", "indentation", 2),
        ("a: [1, 2", "not closed", 2),
        ('a: "x', "never closed", 1),
        ("a: @x", "meaning of its own", 1),
        ("a: *b", "anchor", 1),
        ("a: 1\na: 2", "stands twice", 2),
        ("a: 1\n---\nb: 2", "second document", 2),
        ("? [a]\n: b", "key is needed", 1),
        ("a: 1\nb: \x01", "control character", 2),
        ("a: \ud800", "half of a character", 1),
        ("a: 'it's'", "does not belong", 1),
    ],
)
def test_that_a_fault_is_told_in_plain_words_with_its_line(text: str, message: str, line: int) -> None:
    with pytest.raises(YamlFault) as fault:
        parse_yaml(text)
    assert message in fault.value.reason
    assert fault.value.line == line
    assert fault.value.fix


def test_that_places_count_characters_from_one() -> None:
    document = parse_yaml("ä: [ü, 'x']\nb:\n  - {c: 1}\n")
    assert document.place(("ä", 1)) == (1, 8)
    assert document.place(("b", 0, "c")) == (3, 9)
    assert document.key_place(("b", 0, "c")) == (3, 6)
    assert document.place(("b", 0, "missing")) == (3, 5)


@settings(max_examples=150)
@given(st.text(max_size=60) | st.text(alphabet="abk1:-[]{}&*#!|>'\"%@` \n\t,?", max_size=40))
def test_that_any_text_is_read_or_refused(text: str) -> None:
    try:
        value: Any = parse_yaml(text).value
    except YamlFault as fault:
        assert fault.reason
    else:
        assert value is None or isinstance(value, str | int | float | bool | list | dict)
