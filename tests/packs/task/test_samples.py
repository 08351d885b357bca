"""The sample packs: sound, of the wanted size, and right when fed their own answers."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from packs.task.judge import judge
from packs.task.loader import load_pack
from packs.task.model import TaskPack
from packs.task.outcome import Cause
from packs.task.prompt import least_tokens

NAMES = ["invoice-extraction", "ticket-routing", "order-totals"]


def folder_of(name: str) -> Path:
    with as_file(files("packs") / "samples" / name) as folder:
        return folder


def sample(name: str) -> TaskPack:
    loaded = load_pack(folder_of(name))
    assert loaded.problems == ()
    assert loaded.pack is not None
    return loaded.pack


def as_answer(expected: object) -> str:
    return expected if isinstance(expected, str) else json.dumps(expected)


@pytest.mark.parametrize("name", NAMES)
def test_that_a_sample_has_no_problem_and_twenty_to_thirty_examples(name: str) -> None:
    pack = sample(name)
    assert pack.name == name
    assert 20 <= len(pack.examples) <= 30
    assert len({example.input for example in pack.examples}) == len(pack.examples)


@pytest.mark.parametrize("name", NAMES)
def test_that_a_sample_scores_one_on_its_own_expected_answers(name: str) -> None:
    pack = sample(name)
    for example in pack.examples:
        outcome = judge(pack.scoring, example.expected, as_answer(example.expected))
        assert (outcome.cause, outcome.score, outcome.passed) == (Cause.CORRECT, 1.0, True), example.id


@pytest.mark.parametrize("name", NAMES)
def test_that_the_prompts_of_a_sample_are_short(name: str) -> None:
    pack = sample(name)
    assert max(least_tokens(pack.rendered(example)) for example in pack.examples) < 160


@pytest.mark.parametrize("name", NAMES)
def test_that_the_readme_tells_what_the_starter_model_reached(name: str) -> None:
    text = (folder_of(name) / "README.md").read_text(encoding="utf-8")
    assert "Starter model" in text
    assert f"of {len(sample(name).examples)}" in text
