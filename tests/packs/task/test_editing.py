"""Edits touch what was edited and nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from packs.documents.json_edit import edited_json
from packs.documents.line_ends import with_line_ends
from packs.documents.strict_json import parse
from packs.documents.writer import text_bytes
from packs.documents.yaml_edit import edited_yaml
from packs.documents.yaml_pieces import same_data, scalar
from packs.documents.yaml_text import yaml_block as block
from packs.documents.yaml_tree import parse_yaml
from packs.task.content import PackContent

TEXT = """\
# A comment that teaches.
name: parcels   # the name
type: 'classification'

scorer: exact-label
scorer_params:
  # all labels
  labels:
    - letter     # small
    - "parcel"
    - pallet
  aliases: {box: parcel, env: letter}
gates:
  - scorer: pattern
    scorer_params:
      patterns: [a, b]
generation:
  context: 2048
  seed: 7 # any

# the end
"""


def changed(text: str, **top: Any) -> str:
    value = parse_yaml(text).value
    value.update(top)
    return edited_yaml(text, value)


def lines_changed(before: str, after: str) -> list[str]:
    old = before.splitlines()
    return [line for line in after.splitlines() if line not in old]


def test_that_one_text_changes_one_line_and_keeps_its_comment() -> None:
    assert lines_changed(TEXT, changed(TEXT, name="letters")) == ["name: letters   # the name"]


def test_that_the_kind_of_quote_stays() -> None:
    assert lines_changed(TEXT, changed(TEXT, type="it's")) == ["type: 'it''s'"]


def test_that_a_number_deep_inside_changes_alone() -> None:
    value = parse_yaml(TEXT).value
    value["generation"]["seed"] = 42
    assert lines_changed(TEXT, edited_yaml(TEXT, value)) == ["  seed: 42 # any"]


def test_that_labels_come_and_go_with_their_comments_around() -> None:
    value = parse_yaml(TEXT).value
    value["scorer_params"]["labels"] = ["letter", "pallet", "no", "Würfel"]
    after = edited_yaml(TEXT, value)
    assert '    - letter     # small\n    - pallet\n    - "no"\n    - "Würfel"\n' in after
    assert "# all labels" in after


def test_that_a_mapping_in_braces_stays_in_braces() -> None:
    value = parse_yaml(TEXT).value
    value["scorer_params"]["aliases"] = {"box": "pallet", "007": "letter"}
    assert '  aliases: {box: pallet, "007": letter}\n' in edited_yaml(TEXT, value)


def test_that_a_key_is_added_at_the_end_of_its_mapping() -> None:
    value = parse_yaml(TEXT).value
    value["generation"]["temperature"] = 0.5
    assert "  seed: 7 # any\n  temperature: 0.5\n" in edited_yaml(TEXT, value)


def test_that_a_key_is_added_where_it_stands_among_the_others() -> None:
    value = parse_yaml(TEXT).value
    value["generation"] = {"context": 2048, "max_tokens": 12, "seed": 7}
    assert "  context: 2048\n  max_tokens: 12\n  seed: 7 # any\n" in edited_yaml(TEXT, value)


def test_that_a_renamed_key_keeps_its_place_and_comment() -> None:
    text = "a: 1\ngate: []  # none yet\nb: 2\n"
    assert edited_yaml(text, {"a": 1, "gates": [], "b": 2}) == "a: 1\ngates: []  # none yet\nb: 2\n"


def test_that_a_key_is_removed_with_its_line_alone() -> None:
    value = parse_yaml(TEXT).value
    del value["generation"]["context"]
    assert edited_yaml(TEXT, value) == TEXT.replace("  context: 2048\n", "")


def test_that_a_gate_is_added_and_the_last_one_removed() -> None:
    value = parse_yaml(TEXT).value
    value["gates"].append({"scorer": "json-schema", "scorer_params": {"schema": "./s.json"}})
    more = edited_yaml(TEXT, value)
    assert "  - scorer: json-schema\n    scorer_params:\n      schema: ./s.json\n" in more
    value["gates"].pop()
    assert edited_yaml(more, value) == TEXT
    value["gates"] = []
    assert "gates: []\n" in edited_yaml(TEXT, value)


def test_that_line_ends_and_the_byte_order_mark_stay() -> None:
    text = "\ufeff" + TEXT.replace("\n", "\r\n")
    after = changed(text, name="letters")
    assert after == text.replace("parcels", "letters")


def test_that_each_line_keeps_its_own_end_where_a_file_mixes_both() -> None:
    text = "name: a\r\n# note\ntype: b\r\nscorer: pattern\nseed: 1"
    after = changed(text, name="z", seed=2)
    assert after == text.replace("name: a", "name: z").replace("seed: 1", "seed: 2")
    assert text_bytes(b"one\r\ntwo\nthree\r\n", "one\ntwo\nand a half\nthree\n") == (
        b"one\r\ntwo\nand a half\r\nthree\r\n"
    )


@given(st.lists(st.sampled_from(["a\n", "b\r\n", "c\n", "a\r\n", "\n"])), st.lists(st.sampled_from("abc\n")))
def test_that_line_ends_change_no_line_itself(before: list[str], after: list[str]) -> None:
    old, new = "".join(before), "".join(after)
    assert with_line_ends(new, old).replace("\r\n", "\n") == new
    assert with_line_ends(old.replace("\r\n", "\n"), old) == old


def test_that_nothing_to_change_gives_the_very_text() -> None:
    assert changed(TEXT) is TEXT


def test_that_a_value_behind_an_anchor_is_still_changed_rightly() -> None:
    text = "a: &x {k: 1}\nb: *x\nc: 3 # three\n"
    after = changed(text, b={"k": 2})
    assert parse_yaml(after).value == {"a": {"k": 1}, "b": {"k": 2}, "c": 3}


def reads_back(text: str, value: Any) -> bool:
    return same_data(parse_yaml(text).value, value)


@pytest.mark.parametrize(
    "text",
    [
        *("no", "on", "Yes", "007", "12:30", "2026-01-02", "~", "null", "", " x", "x ", "a: b", "a #b", "- x"),
        *("*x", "&x", "!x", "%x", "@x", "`x`", "'x'", '"x"', "[x", "{x", "x\ny", "x\ty", "\u2028", "1e3"),
        *(".5", "0x1F", "1_000", "=", "<<", "?", "|", ">", "é", "日本", "a, b", "#", "-", "---", "...", "x:"),
        *("\x7f", "\x85", "true", "🙂", "\\d+", "C:\\x"),
    ],
)  # fmt: skip
def test_that_risky_words_read_back_as_texts(text: str) -> None:
    for style in ("", "'", '"'):
        assert reads_back(f"k: {scalar(text, style)}\n", {"k": text})
    assert reads_back(block({"k": [text, {text or "k": text}]}), {"k": [text, {text or "k": text}]})


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12).filter(lambda text: text.isprintable())
KEYS = st.sampled_from(["name", "no", "a b", "k1", "12", "ü"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-1e6, 1e6) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TREES = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)


@settings(max_examples=150)
@given(TREES)
def test_that_what_is_written_reads_back(tree: dict[str, Any]) -> None:
    assert reads_back(block(tree), tree)


@settings(max_examples=150)
@given(TREES, TREES)
def test_that_any_change_of_a_yaml_text_reads_back(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert reads_back(edited_yaml(block(before), after), after)


@settings(max_examples=60)
@given(st.sampled_from(["scorer_params", "generation", "gates", "name"]), VALUES)
def test_that_any_change_of_a_real_manifest_reads_back_and_keeps_other_lines(key: str, value: Any) -> None:
    tree = copy.deepcopy(parse_yaml(TEXT).value)
    tree[key] = value
    after = edited_yaml(TEXT, tree)
    assert same_data(parse_yaml(after).value, tree)
    assert after.startswith("# A comment that teaches.\n")
    assert "# the end" in after


@settings(max_examples=150)
@given(VALUES, VALUES, st.sampled_from([None, 2, "\t"]))
def test_that_any_change_of_a_json_text_reads_back(before: Any, after: Any, indent: Any) -> None:
    import json

    text = json.dumps(before, ensure_ascii=False, indent=indent)
    assert same_data(parse(edited_json(text, after)), after)


def test_that_an_example_keeps_its_layout() -> None:
    text = '{\r\n    "input": "x",\r\n    "note": [1,2],\r\n    "expected": {"a": 1, "b": "c"}\r\n}\r\n'
    after = edited_json(text, {"input": "y", "note": [1, 2], "expected": {"a": 1, "b": "d"}})
    assert after == text.replace('"x"', '"y"').replace('"c"', '"d"')


def test_that_a_member_is_added_in_the_layout_of_its_neighbours() -> None:
    text = '{\n  "input": "x"\n}\n'
    assert (
        edited_json(text, {"input": "x", "expected": [1]})
        == '{\n  "input": "x",\n  "expected": [\n    1\n  ]\n}\n'
    )


def test_that_examples_stay_in_order_after_a_change_of_many_files() -> None:
    content = PackContent({"examples/500.json": b"{}", "task.yaml": b"name: x\n"})
    assert list(content.example_files()) == ["examples/500.json"]
    many = content.put_files({f"examples/{number:03}.json": b"{}" for number in range(999, 700, -1)}, "many")
    content.apply(many)
    assert list(content.example_files()) == ["examples/500.json", *sorted(many.after)]
    content.revert(many)
    assert list(content.example_files()) == ["examples/500.json"]
