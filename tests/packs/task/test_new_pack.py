"""New packs load as what was meant, whatever the names and labels look like."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from packs.documents.problems import has_errors
from packs.documents.yaml_text import yaml_block, yaml_scalar
from packs.task.loader import load_pack_from_files
from packs.task.model import Provenance
from packs.task.new_pack import NewExample, NewPack, kebab, pack_files

RISKY = [
    *(
        "no",
        "on",
        "Off",
        "Y",
        "null",
        "~",
        "007",
        "0o17",
        "0x1F",
        "12:30",
        "1e3",
        "2026-01-02",
        "1_000",
        ".5",
        "-1",
    ),
    *(
        "true",
        "a: b",
        "a #b",
        "# a",
        "- a",
        "[a]",
        "{a}",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a",
        "'a'",
        '"a"',
    ),
    *(
        "",
        " a",
        "a ",
        "a\nb",
        "a\tb",
        "ß",
        "é",
        "日本",
        "\u2028",
        "\ufeff",
        "\x85",
        "a\\b",
        "?",
        "=",
        "<<",
        "..",
        "NaN",
    ),
]


@pytest.mark.parametrize("text", RISKY)
def test_that_a_risky_word_is_read_back_as_the_same_text_by_old_and_new_readers(text: str) -> None:
    assert yaml.safe_load(f"key: {yaml_scalar(text)}\n") == {"key": text}
    pack = NewPack(
        "x", "t", "exact-label", {"labels": [text or "x"]}, "p {{input}}", [NewExample("i", text or "x")]
    )
    loaded = load_pack_from_files(pack_files(pack))
    if text.strip():
        assert loaded.pack is not None, loaded.problems
        assert loaded.pack.scorer_params["labels"] == [text]


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_that_any_text_survives_a_yaml_reader(text: str) -> None:
    assert yaml.safe_load(yaml_block({"a": [text, {"b": text}]})) == {"a": [text, {"b": text}]}


def test_that_nested_values_and_empty_ones_are_written_in_block_form() -> None:
    value = {
        "labels": ["a", "no"],
        "map": {},
        "list": [],
        "deep": [{"x": 1, "y": [2, 3]}, [4]],
        "f": 0.5,
        "n": None,
    }
    assert yaml.safe_load(yaml_block(value)) == value
    assert yaml_block({"labels": ["a", "no"]}, 2) == '  labels:\n    - a\n    - "no"\n'


def test_that_nan_is_never_written() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        yaml_scalar(float("nan"))


def test_that_a_drafted_pack_loads_with_its_provenance_and_is_not_reviewed() -> None:
    reported = Provenance("notes: one.md", "0" * 64, "SmolLM2 (embedded 1)", "2026-11-30")
    examples = [NewExample(f"message {number}", "a" if number % 2 else "b") for number in range(24)]
    pack = NewPack(
        "desk", "label", "exact-label", {"labels": ["a", "b"]}, "Say a or b.\n{{input}}", examples,
        gates=[{"scorer": "pattern", "scorer_params": {"patterns": ["a"]}}],
        provenance=reported, comment=("Drafted; review it.",),
    )  # fmt: skip
    files = pack_files(pack)
    loaded = load_pack_from_files(files)
    assert not has_errors(loaded.problems)
    assert loaded.pack is not None
    assert [example.id for example in loaded.pack.examples][:2] == ["001", "002"]
    assert files["task.yaml"].startswith(b"# Drafted; review it.\nname: desk\n")
    assert b"reviewed: false" in files["task.yaml"]


@pytest.mark.parametrize(
    ("text", "name"),
    [("My first Pack!", "my-first-pack"), ("Übergabe_2", "übergabe-2"), ("注文", "注文"), ("--", "")],
)
def test_that_names_in_every_script_become_pack_names(text: str, name: str) -> None:
    assert kebab(text) == name
