"""`packbench ingest` from a document to a drafted pack, with a scripted model."""

from __future__ import annotations

import itertools
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.application.services import Services
from desktop.inference.backends.base import FaultKind
from packs.task.loader import load_pack
from tests.fakes.drafting import willing
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel, fault

Packbench = Callable[..., Any]
NOTES = "- one: a\n- two: b\n- three: c\n\nBroken lamps go to one, whatever else the message says."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notes.md"
    file.write_text(NOTES, encoding="utf-8")
    return file


@pytest.fixture
def having(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeModel], FakeBackend]:
    def have(model: FakeModel) -> FakeBackend:
        backend = FakeBackend([model])
        monkeypatch.setattr(Services, "backend", lambda *_args, **_options: backend)
        return backend

    return have


def test_that_notes_become_a_pack_and_the_person_is_told_to_review_it(
    packbench: Packbench, having: Any, notes: Path, tmp_path: Path
) -> None:
    having(FakeModel("tiny", willing()))
    ran = packbench("ingest", str(notes), str(tmp_path / "desk"))
    assert ran.code == 0, ran.err + ran.out
    assert "notes.md: Markdown" in ran.err
    assert "4 of 4: drafting examples" in ran.err
    assert "Review every example" in ran.out
    pack = load_pack(tmp_path / "desk").pack
    assert pack is not None and pack.provenance is not None and not pack.provenance.reviewed


def test_that_json_is_one_document_with_the_reason_for_the_model(
    packbench: Packbench, having: Any, notes: Path, tmp_path: Path
) -> None:
    having(FakeModel("tiny", willing()))
    ran = packbench("ingest", str(notes), str(tmp_path / "desk"), "--json", "--examples", "12")
    document = json.loads(ran.out)
    assert document["examples"] == 12
    assert document["reason"].startswith("tiny drafts")
    assert document["draft_faults"] == []


def test_that_a_crash_in_mid_draft_keeps_what_came_and_says_so(
    packbench: Packbench, having: Any, notes: Path, tmp_path: Path
) -> None:
    good, turn = willing(), itertools.count()

    def answer(prompt: str, nth: int) -> Answer | str:
        return Answer(fault=fault(FaultKind.CRASHED)) if next(turn) == 3 else good(prompt, nth)

    having(FakeModel("tiny", answer))
    ran = packbench("ingest", str(notes), str(tmp_path / "desk"))
    assert ran.code == 1
    assert "Drafting ended early" in ran.out
    assert len(list((tmp_path / "desk" / "examples").iterdir())) == 8


def test_that_ctrl_c_keeps_the_examples_that_are_there(
    packbench: Packbench, having: Any, notes: Path, tmp_path: Path
) -> None:
    good, turn = willing(), itertools.count()

    def answer(prompt: str, nth: int) -> Answer | str:
        if next(turn) == 4:
            signal.raise_signal(signal.SIGINT)
            return Answer("x", stall="before")
        return good(prompt, nth)

    backend = having(FakeModel("tiny", answer))
    ran = packbench("ingest", str(notes), str(tmp_path / "desk"))
    assert ran.code == 130
    assert len(list((tmp_path / "desk" / "examples").iterdir())) == 12
    assert backend.loaded is None


@pytest.mark.parametrize(
    ("options", "code", "word"),
    [(("--model", "nowhere"), 3, "no model called 'nowhere'"), (("--scorer", "magic"), 1, "no scorer 'magic'")],
)
def test_that_a_wrong_choice_is_told_before_anything_is_loaded(
    packbench: Packbench,
    having: Any,
    notes: Path,
    tmp_path: Path,
    options: tuple[str, ...],
    code: int,
    word: str,
) -> None:
    backend = having(FakeModel("tiny", willing()))
    ran = packbench("ingest", str(notes), str(tmp_path / "desk"), *options)
    assert ran.code == code
    assert word in ran.err
    assert backend.calls == []
