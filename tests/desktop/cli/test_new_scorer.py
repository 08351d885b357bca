"""A scorer that is one file and one entry of the table works from the command line to the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.application.recent import read_samples
from desktop.application.services import Services
from packs.task.scorers import SCORERS
from tests.desktop.cli.conftest import Ran
from tests.fakes.fake_backend import FakeBackend, FakeModel
from tests.fakes.runs import HEALTHY
from tests.fakes.toy_scorer import ToyScorer


def answer(prompt: str, nth: int) -> str:
    return next((f"{word}{mark}" for word, mark in (("left", "!"), ("right", "?")) if word in prompt), HEALTHY)


def test_that_a_scorer_of_one_file_is_seen_in_commands_a_run_and_its_report(
    packbench: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(SCORERS.entries, ToyScorer.name, ToyScorer)
    monkeypatch.setattr(
        Services, "backend", lambda *given, **more: FakeBackend([FakeModel("parrot", answers=answer)])
    )
    folder = tmp_path / "packs" / "toy"
    assert ToyScorer.name in packbench("init", "--help").out
    assert packbench("init", str(folder), "--scorer", ToyScorer.name).code == 0
    for number, word in enumerate(("left", "right"), 1):
        text = json.dumps({"input": f"go {word}", "expected": word})
        (folder / "examples" / f"{number:03}-replace-me.json").write_text(text, encoding="utf-8")
    checked = packbench("validate", str(folder))
    assert checked.code == 0 and f"scorer {ToyScorer.name}" in checked.out
    assert [sample.kind for sample in read_samples(folder.parent)] == [ToyScorer.word]

    ran = packbench("run", str(folder))
    assert ran.code == 0 and "parrot" in ran.out
    shown = json.loads(packbench("report", "last", "--format", "json", "--out", "-").out)
    assert shown["run"]["pack"]["scorer"] == ToyScorer.name
    assert {unit["reason"] for unit in shown["units"]} == {"The answer passed.", "The answer did not pass."}


def test_that_a_table_becomes_a_pack_for_a_scorer_of_one_file(
    packbench: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(SCORERS.entries, ToyScorer.name, ToyScorer)
    table = tmp_path / "words.csv"
    table.write_text("input,expected\n" + "".join(f"go {n},word {n}\n" for n in range(20)), encoding="utf-8")
    made = packbench("import", str(table), str(tmp_path / "made"), "--scorer", ToyScorer.name)
    assert f"scorer: {ToyScorer.name}" in (tmp_path / "made/task.yaml").read_text("utf-8")
    assert "ending is needed" in packbench("validate", str(tmp_path / "made")).out, made.out
