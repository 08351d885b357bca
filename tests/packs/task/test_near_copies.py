"""Inputs that hardly differ, and answers that the prompt gives away."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from packs.documents.problems import Problem, Severity
from packs.task.loader import load_pack_from_files
from packs.task.model import Example
from packs.task.near_copies import groups_of, numberless_key, plain_key
from tests.fakes.work_count import calls_of

PROMPT = "a, b, letter or parcel\n{{input}}\n"


def pack(
    inputs: list[str],
    expected: list[Any],
    scorer: str = "exact-label",
    params: str = "labels: [letter, parcel]",
) -> dict[str, bytes]:
    files = {
        "task.yaml": (
            f"name: desk\ntype: x\nscorer: {scorer}\nscorer_params:\n  {params}\n"
            "generation: {context: 4096, max_tokens: 64, temperature: 0, seed: 1, runs_per_example: 1}\n"
            "prompt_template: ./prompt.md\nexamples_dir: ./examples\n"
        ).encode(),
        "prompt.md": PROMPT.encode(),
    }
    for number, (text, value) in enumerate(zip(inputs, expected, strict=True)):
        files[f"examples/{number:05}.json"] = json.dumps({"input": text, "expected": value}).encode()
    return files


def reported(files: dict[str, bytes], code: str) -> list[Problem]:
    loaded = load_pack_from_files(files)
    assert loaded.valid, loaded.problems
    found = [problem for problem in loaded.problems if problem.code == code]
    assert all(problem.severity is Severity.WARNING for problem in found)
    return found


@pytest.mark.parametrize(
    "other", ["where is my parcel", "Where is  my parcel?", "WHERE IS MY\nPARCEL!", "«Where» is my, parcel"]
)
def test_that_case_blanks_and_punctuation_make_no_other_input(other: str) -> None:
    (problem,) = reported(pack(["Where is my parcel?!", other], ["parcel", "letter"]), "near_duplicate_input")
    assert problem.file == "examples/00001.json"
    assert "'00000'" in problem.message


def test_that_other_digits_in_a_long_input_with_the_same_answer_are_told() -> None:
    texts = [f"Order {number} has not arrived at my house since Monday" for number in (17, 18)]
    assert reported(pack(texts, ["parcel", "parcel"]), "near_duplicate_input")
    assert not reported(pack(texts, ["parcel", "letter"]), "near_duplicate_input"), "the number decides here"


@pytest.mark.parametrize("texts", [("room 3", "room 4"), ("3 + 4", "3 - 4"), ("?", "!"), ("a lamp", "a lamb")])
def test_that_inputs_of_their_own_are_left_alone(texts: tuple[str, str]) -> None:
    assert not reported(pack(list(texts), ["parcel", "parcel"]), "near_duplicate_input")


def test_that_the_same_input_is_told_once_as_such() -> None:
    files = pack(["My lamp!", "My lamp!", "My lamp!"], ["parcel", "parcel", "letter"])
    assert reported(files, "duplicate_input")
    assert reported(files, "contradicting_input")
    assert not reported(files, "near_duplicate_input")


def test_that_every_script_has_a_key() -> None:
    assert plain_key("電球が 切れました。") == plain_key("電球が、切れました")
    assert plain_key("STRASSE") == plain_key("straße")
    assert plain_key("12 %") == ""
    assert numberless_key("too few 12") == ""


def test_that_ten_thousand_inputs_are_compared_in_one_go() -> None:
    message = [f"{number:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for number in range(10_000)]
    files = pack([f"the lamp named {word} is broken again" for word in message], ["parcel"] * 10_000)
    half = dict(list(files.items())[: len(files) // 2])
    assert not reported(files, "near_duplicate_input")
    steps, half_steps = (calls_of(partial(reported, some, "near_duplicate_input")) for some in (files, half))
    assert steps < 2.5 * half_steps, "each is not compared with each"


def fields(value: Any, prompt: str) -> dict[str, bytes]:
    files = pack(["x", "y"], [{"a": value, "b": 1}, {"a": "other", "b": 2}], "field-f1", "key_fields: [a, b]")
    return {**files, "prompt.md": prompt.encode()}


def test_that_an_answer_in_the_prompt_is_told_at_its_field() -> None:
    (problem,) = reported(
        fields("the lamp in the hall", "e.g. the lamp in the hall\n{{input}}"), "answer_in_prompt"
    )
    assert (problem.file, problem.path) == ("examples/00000.json", ("expected", "a"))
    (problem,) = reported(
        fields(["no", "the lamp in the hall"], "the lamp in the hall {{input}}"), "answer_in_prompt"
    )
    assert problem.path == ("expected", "a", 1)


def test_that_short_answers_other_texts_and_choices_are_left_alone() -> None:
    assert not reported(fields("lamp", "a lamp {{input}}"), "answer_in_prompt")
    assert not reported(fields("the lamp in the hall", "the lamp in a hall {{input}}"), "answer_in_prompt")
    choice = "waiting for the customer"
    both = pack(["x", "y"], [{"a": choice}, {"a": choice}], "field-f1", "key_fields: [a]")
    assert not reported({**both, "prompt.md": f"{choice} or done {{{{input}}}}".encode()}, "answer_in_prompt")


def test_that_labels_and_field_names_may_stand_in_the_prompt() -> None:
    label = "a very long label of its own"
    files = pack(["x", "y"], [label, "parcel"], params=f"labels: [{label}, parcel]")
    assert not reported({**files, "prompt.md": f"{label} {{{{input}}}}".encode()}, "answer_in_prompt")
    name = "name_of_the_sender"
    files = pack(["x", "y"], [{name: name}, {name: "z"}], "field-f1", f"key_fields: [{name}]")
    assert not reported({**files, "prompt.md": f"{name} {{{{input}}}}".encode()}, "answer_in_prompt")


LONG = "The parcel with the number {} was never delivered to my address."


def test_that_examples_are_grouped_by_input_near_copy_and_the_authors_word() -> None:
    examples = [
        Example("a", LONG.format(17), "parcel"),
        Example("b", LONG.format(23), "parcel"),
        Example("c", LONG.format(23).upper(), "parcel"),
        Example("d", "Where is my letter?", "letter", "desk"),
        Example("e", "Something else", "letter", "desk"),
        Example("f", "Something else", "parcel"),
        Example("g", "On its own", "letter"),
    ]
    assert groups_of(examples) == {"a": "a", "b": "a", "c": "a", "d": "d", "e": "d", "f": "d", "g": "g"}


def test_that_a_group_that_joins_two_makes_them_one() -> None:
    examples = [Example("a", "one", 1, "x"), Example("b", "two", 1, "y"), Example("c", "two", 1, "x")]
    assert set(groups_of(examples).values()) == {"a"}


def test_that_the_authors_group_is_read_kept_in_snapshots_and_ignored_when_it_is_no_text() -> None:
    files = pack(["One", "Two", "Three"], ["letter", "parcel", "letter"])
    files["examples/00001.json"] = b'{"input": "Two", "expected": "parcel", "group": "desk"}'
    files["examples/00002.json"] = b'{"input": "Three", "expected": "letter", "group": [1]}'
    loaded = load_pack_from_files(files).pack
    assert loaded is not None
    assert [example.group for example in loaded.examples] == ["", "desk", ""]
    snapshot = loaded.snapshot()
    assert [entry.get("group") for entry in snapshot["examples"]] == [None, "desk", None]
    assert type(loaded).from_snapshot(snapshot).examples == loaded.examples
