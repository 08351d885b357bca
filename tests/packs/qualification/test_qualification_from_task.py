"""A task pack turned into a qualification pack: valid, decidable, and honest about what is a guess."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from packs.documents.problems import Severity
from packs.errors import AppError
from packs.qualification.from_task import FEWEST, qualification_files, threshold_for
from packs.qualification.loader import load_pack as load_qualification
from packs.statistics.sample_size import met_by
from packs.task.loader import load_pack
from packs.task.model import TaskPack
from tests.fakes.qualification_runs import ScriptedEndpoint, qualify, settings_for, surroundings

SAMPLES = Path(__file__).parents[3] / "packs" / "samples"
TASKS = ("ticket-routing", "invoice-extraction", "order-totals")


def task(name: str) -> TaskPack:
    pack = load_pack(SAMPLES / name).pack
    assert pack is not None
    return pack


def written(pack: TaskPack, folder: Path) -> Path:
    for name, content in qualification_files(pack).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


@pytest.mark.parametrize("name", TASKS)
def test_that_the_new_pack_is_valid_without_a_single_hint(name: str, tmp_path: Path) -> None:
    result = load_qualification(written(task(name), tmp_path))
    assert [problem.message for problem in result.problems] == []


@pytest.mark.parametrize("name", TASKS)
def test_that_every_example_becomes_a_case_and_none_is_lost(name: str, tmp_path: Path) -> None:
    pack = task(name)
    loaded = load_qualification(written(pack, tmp_path)).pack
    assert loaded is not None
    texts = [case.user_text for listed in loaded.cases.values() for case in listed]
    assert sorted(texts) == sorted(example.input for example in pack.examples)
    assert len(loaded.cases["qualification"]) >= len(pack.examples) * 0.7
    assert loaded.cases["challenge"]
    assert loaded.cases["calibration"]


def test_that_labels_become_coverage_values_and_allowed_values(tmp_path: Path) -> None:
    pack = task("ticket-routing")
    loaded = load_qualification(written(pack, tmp_path)).pack
    assert loaded is not None
    assert set(loaded.dimensions["label"]) == set(pack.scorer_params["labels"])


@pytest.mark.parametrize("name", TASKS)
def test_that_guesses_are_marked(name: str, tmp_path: Path) -> None:
    folder = written(task(name), tmp_path)
    assert "# Review:" in (folder / "pack.yaml").read_text(encoding="utf-8")
    assert "To be reviewed" in (folder / "methodology.md").read_text(encoding="utf-8")
    assert "To be reviewed" in (folder / "thresholds.yaml").read_text(encoding="utf-8")


def test_that_a_perfect_model_qualifies_on_the_new_pack(tmp_path: Path) -> None:
    folder = written(task("ticket-routing"), tmp_path / "pack")

    result = qualify(folder, settings_for(tmp_path / "out"), surroundings(ScriptedEndpoint(folder)))
    assert result.status == "QUALIFIED"


@pytest.mark.parametrize("cases", [6, 8, 15, 24, 40, 100, 500])
def test_that_the_threshold_can_be_met_with_one_slip(cases: int) -> None:
    threshold, minimum = threshold_for(cases)
    assert met_by("gte", threshold, cases - 1, cases)
    assert 1 <= minimum <= cases


def test_that_too_few_examples_are_refused_in_words() -> None:
    pack = task("ticket-routing")
    with pytest.raises(AppError, match="examples"):
        qualification_files(replace(pack, examples=pack.examples[: FEWEST - 1]))


def test_that_names_from_the_task_pack_cannot_break_the_new_one(tmp_path: Path) -> None:
    pack = replace(task("ticket-routing"), name='Odd: "name" # {{x}}\u2028 ../..', type="a: b")
    result = load_qualification(written(pack, tmp_path))
    assert [p.message for p in result.problems if p.severity is Severity.ERROR] == []


def test_that_the_case_lines_are_plain_json(tmp_path: Path) -> None:
    for line in qualification_files(task("invoice-extraction"))["corpus/qualification.jsonl"].splitlines():
        assert isinstance(json.loads(line), dict)
