"""`packbench self-check` and `packbench init`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.foundation.paths import user_paths
from packs.errors import AppError
from packs.task.scorers import SCORERS
from tests.desktop.cli.conftest import Ran

Packbench = Callable[..., Ran]


def test_that_a_whole_program_says_so(packbench: Packbench) -> None:
    ran = packbench("self-check", "--no-window", "--no-engine", "--json")
    document = json.loads(ran.out)
    names = [check["name"] for check in document["checks"]]
    assert ran.code == 0 and document["whole"] is True, document
    assert {"sample invoice-extraction", "report html", "report bundle", "bundle", "signature"} <= set(names)


def test_that_a_missing_starter_model_is_left_out_and_not_a_fault(packbench: Packbench) -> None:
    ran = packbench("self-check", "--no-window")
    assert ran.code == 0 and "-- " in ran.out and "engine" in ran.out


def test_that_something_missing_is_named_and_is_three(
    packbench: Packbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> str:
        raise AppError("The signing library is missing.")

    monkeypatch.setattr("desktop.cli.self_check.check_signature", broken)
    ran = packbench("self-check", "--no-window", "--no-engine")
    assert ran.code == 3 and "signing library is missing" in ran.out and "Traceback" not in ran.err


@pytest.mark.engine
def test_that_the_engine_writes_with_the_starter_model(packbench: Packbench, starter_model: Path) -> None:
    models = user_paths().models
    models.mkdir(parents=True)
    (models / starter_model.name).symlink_to(starter_model)
    document = json.loads(packbench("self-check", "--no-window", "--json").out)
    engine = next(check for check in document["checks"] if check["name"] == "engine")
    assert engine["ok"] is True and "tokens" in engine["words"]


@pytest.mark.parametrize("scorer", SCORERS.names)
def test_that_a_new_pack_waits_for_real_examples_only(
    packbench: Packbench, tmp_path: Path, scorer: str
) -> None:
    folder = tmp_path / "mine"
    assert packbench("init", str(folder), "--scorer", scorer).code == 0
    document = json.loads(packbench("validate", str(folder), "--json").out)
    assert {problem["code"] for problem in document["problems"] if problem["severity"] == "error"} == {
        "placeholder"
    }


def test_that_nothing_of_an_existing_folder_is_overwritten(packbench: Packbench, tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("mine", encoding="utf-8")
    assert "stays as it is" in packbench("pack", "init", str(tmp_path)).out
    assert (tmp_path / "prompt.md").read_text(encoding="utf-8") == "mine"
    assert packbench("init", str(tmp_path)).code == 1


def test_that_an_unknown_scorer_is_told_with_the_known_ones(packbench: Packbench, tmp_path: Path) -> None:
    ran = packbench("init", str(tmp_path / "x"), "--scorer", "exact-lable")
    assert ran.code == 1 and "exact-label" in ran.err and not (tmp_path / "x").exists()
