"""Whatever stands in a file of a pack or a configuration, reading it gives problems, never an error of ours."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from packs.documents.reading import UnreadableFile, read_json_line, read_yaml
from packs.documents.strict_json import JsonFault, parse
from packs.errors import AppError
from packs.task.loader import load_pack_from_files
from packs.task.run_config import parse_run_config
from packs.task.schema_validation import BadSchema, CompiledSchema, SlowPattern, TooMuchWork

PART = 800
"""Inputs of one part; the parts together are some 13,000."""
PARTS = range(4)

NUMBERS = [
    "0x" + "f" * 5000,
    "0o" + "7" * 5000,
    "9" * 399,
    "-" + "9" * 399,
    "9" * 6000,
    "1" + ":59" * 400,
    "1e999",
    "-.inf",
    ".nan",
    "1e-400",
    "-0",
    "2026-13-99",
    "!!int x",
    "!!float 1e999",
    "!!binary aaaa",
    "!!timestamp x",
    "!!set {a}",
]
ODD = [
    *NUMBERS,
    "~",
    "''",
    "[]",
    "{}",
    "[a, [b]]",
    "{a: {b: c}}",
    "&a [*a]",
    "*a",
    "<<",
    "\\ud800",
    "'\\x00'",
    "|",
    "?",
]
NAMES = [
    "name",
    "type",
    "scorer",
    "scorer_params",
    "labels",
    "generation",
    "context",
    "seed",
    "stop",
    "id",
    "input",
]
WORDS = st.sampled_from([*ODD, *NAMES, "exact-label", "field-f1", "json-schema", "a", "1", "true"]) | st.text(
    max_size=6
)
YAML = st.lists(
    st.builds(lambda depth, key, value: f"{'  ' * depth}{key}: {value}\n", st.integers(0, 2), WORDS, WORDS),
    max_size=6,
).map("".join)
JSON_WORDS = st.sampled_from(
    [
        "1e999",
        "9" * 399,
        "-" + "9" * 6000,
        "[" * 3000,
        "null",
        "true",
        '"\\ud800"',
        '"a"',
        "{}",
        "[]",
        "1",
        "NaN",
        "-",
        '""',
    ]
)
JSON = st.recursive(
    JSON_WORDS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
        | st.lists(st.tuples(st.sampled_from(["input", "expected", "id", "9" * 500]), inner), max_size=3).map(
            lambda pairs: "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}"
        )
    ),
    max_leaves=4,
)
ADDRESSES = st.sampled_from(["http://[bad", "#", "#/x", "//[", "s.json", "urn:x", "\ud800", "#a", ""])
SCHEMA_VALUES = st.one_of(
    ADDRESSES,
    st.sampled_from([True, False, None, 0, -1, 1e308, float("inf"), 10**400, "object", "(", "(a+)+$", [], {}]),
)
SCHEMA_WORDS = st.sampled_from(
    [
        "$id",
        "$ref",
        "$schema",
        "$anchor",
        "$dynamicRef",
        "type",
        "pattern",
        "enum",
        "const",
        "multipleOf",
        "minimum",
        "maxLength",
        "required",
        "items",
        "format",
        "uniqueItems",
        "dependencies",
        "if",
        "not",
        "properties",
        "$defs",
    ]
)
SCHEMA = st.recursive(
    SCHEMA_VALUES,
    lambda inner: st.dictionaries(SCHEMA_WORDS, inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=6,
)
MANIFEST = """\
name: parcel-sorting
type: classification
scorer: exact-label
scorer_params: {labels: [letter, parcel]}
generation: {context: 2048, max_tokens: 12, temperature: 0, seed: 7, runs_per_example: 1}
prompt_template: ./prompt.md
examples_dir: ./examples
"""


def fuzzed(
    values: st.SearchStrategy[object], inputs: int = PART
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Each part has inputs of its own, the same at every run."""

    def make(function: Callable[[object], None]) -> Callable[..., None]:
        @pytest.mark.parametrize("part", PARTS)
        def check(part: int) -> None:
            run = settings(max_examples=inputs, database=None, deadline=None)(given(values)(function))
            seed(part)(run)()

        check.__name__ = function.__name__
        return check

    return make


@fuzzed(YAML)
def test_that_any_yaml_is_read_or_refused(text: str) -> None:
    try:
        read_yaml(text)
    except UnreadableFile as refused:
        assert refused.fix


@fuzzed(JSON)
def test_that_any_json_is_read_or_refused(text: str) -> None:
    try:
        read_json_line(text)
    except UnreadableFile as refused:
        assert refused.fix
    try:
        parse(text)
    except JsonFault as fault:
        assert fault.reason


@fuzzed(st.tuples(st.sampled_from(MANIFEST.splitlines()), WORDS, WORDS, JSON))
def test_that_any_task_pack_gives_problems_and_no_error(changed: tuple[str, str, str, str]) -> None:
    line, key, value, example = changed
    name, _, rest = line.partition(":")
    manifest = MANIFEST.replace(line, f"{name}: {value}\n{key}: {value}")
    inner = (
        MANIFEST.replace(rest.split(":")[-1], f" {value}" + "}" * rest.count("}"), 1)
        if ":" in rest
        else manifest
    )
    for text in (manifest, inner):
        load_pack_from_files(
            {
                "task.yaml": text.encode("utf-8", "replace"),
                "prompt.md": b"{{input}}",
                "examples/1.json": example.encode(),
                "examples/2.json": f'{{"input": {example}, "expected": {example}}}'.encode(),
            }
        )


@fuzzed(st.tuples(st.sampled_from(["packs", "models", "endpoint", "repetitions"]), WORDS, YAML))
def test_that_any_run_configuration_is_read_or_refused(changed: tuple[str, str, str]) -> None:
    for text in (f"{changed[0]}: {changed[1]}\n", changed[2]):
        try:
            parse_run_config(text.encode("utf-8", "replace"))
        except AppError as refused:
            assert refused.fix


@fuzzed(st.tuples(st.dictionaries(SCHEMA_WORDS, SCHEMA, max_size=4), SCHEMA), inputs=PART // 4)
def test_that_any_schema_is_read_or_refused_and_ends(pair: tuple[dict[str, object], object]) -> None:
    try:
        CompiledSchema(pair[0]).violations({"a": 1e308, "b": [float("inf"), "x", None]})
    except BadSchema as refused:
        assert refused.fix
    except (SlowPattern, TooMuchWork):
        return
