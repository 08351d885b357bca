"""The Runs place over the program's own engine, journal and reports; only the model server is scripted.

It stalls, crashes, floods and lies about token counts, as real ones do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from desktop.application.run_requests import RunSelection
from desktop.application.run_service import RunService
from desktop.application.services import Services
from desktop.foundation.paths import user_paths
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.runs.place import RunsPlace
from desktop.gui.theme import Theme
from desktop.inference.backends.base import FaultKind, ModelRef
from desktop.reports.renderers import standard_renderers
from desktop.runs.records import CandidateStatus
from packs.task.outcome import Cause
from tests.fakes.desk_pack import desk_model, write_desk_pack
from tests.fakes.fake_backend import Answer, FakeBackend, FakeModel, fault

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
Make = Callable[..., RunsPlace]


@pytest.fixture
def make(
    qtbot: QtBot, theme: Theme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., RunsPlace]]:
    tasks = TaskRunner(GuiThread())

    def build(*models: FakeModel, size: int = 6, first_input: str = "") -> RunsPlace:
        """A run of these models over a pack of `size` examples has begun."""
        monkeypatch.setattr(Services, "backend", lambda *_given, **_named: FakeBackend(models))
        service = RunService(Services(user_paths(), {}), standard_renderers, lambda: NOW)
        place = RunsPlace(theme, service, tasks, now=lambda: NOW)
        place.resize(1200, 720)
        qtbot.addWidget(place)
        place.show()
        qtbot.waitExposed(place)
        folder = write_desk_pack(tmp_path / "desk", size=size)
        if first_input:
            example = {"input": first_input, "expected": "delivery"}
            (folder / "examples" / "001.json").write_text(json.dumps(example), encoding="utf-8")
        request = RunSelection(folder, "desk", tuple(ModelRef("fake", entry.name) for entry in models))
        place.plan.started.emit(request, ())
        return place

    yield build
    tasks.shutdown()


def finished(qtbot: QtBot, place: RunsPlace) -> None:
    qtbot.waitUntil(lambda: not place.controller.running and place.result.isVisible() and place.result.ready)


def writing(qtbot: QtBot, place: RunsPlace, example: str) -> None:
    """Until this example is being written."""

    def reached() -> bool:
        live = place.live.live
        return live is not None and live.writing is not None and live.writing.key.example == example

    qtbot.waitUntil(reached)


def test_that_a_run_goes_from_start_to_a_recommendation(qtbot: QtBot, make: Make) -> None:
    place = make(desk_model(said={2: "billing.", 3: "delivery"}), size=24)
    finished(qtbot, place)
    assert "quick" in place.result.answer.sentence.text()
    report = place.result.result
    assert report is not None
    assert report.report.candidates[0].right == 22
    assert report.report.candidates[0].causes[Cause.UNREADABLE] == 1
    panel = place.result.examples
    assert [row.example for row in panel.model.rows] == ["002", "003"]
    qtbot.waitUntil(lambda: not panel.model.lacking(0, 5))
    spoken = panel.model.data(panel.model.index(0, 3), Qt.ItemDataRole.AccessibleTextRole)
    assert "unreadable" in str(spoken)
    assert "near miss: ." in str(spoken)


def test_that_a_silent_server_can_be_skipped_for_one_example(qtbot: QtBot, make: Make) -> None:
    place = make(desk_model(said={3: Answer("other", stall="before")}))
    writing(qtbot, place, "003")
    assert place.live.skip_unit.isEnabled()
    qtbot.mouseClick(place.live.skip_unit, Qt.MouseButton.LeftButton)
    finished(qtbot, place)
    live = place.live.live
    assert live is not None
    assert live.cell(0, 2) is Cause.CANCELLED
    assert live.line(0).status is CandidateStatus.COMPLETED


def test_that_stop_acts_while_an_answer_stalls_and_the_rest_is_resumed(qtbot: QtBot, make: Make) -> None:
    place = make(desk_model(said={4: Answer("one two three", stall="within")}))
    writing(qtbot, place, "004")
    qtbot.waitUntil(lambda: "one" in place.live.writing.answer.toPlainText())
    qtbot.mouseClick(place.live.stop, Qt.MouseButton.LeftButton)
    finished(qtbot, place)
    assert place.result.resume.isVisible()
    assert place.live.live is not None
    assert place.live.live.line(0).done == 3


def test_that_a_crash_in_mid_answer_is_a_result_and_not_an_end(qtbot: QtBot, make: Make) -> None:
    crash = Answer("half an", fault=fault(FaultKind.CRASHED, "signal 11"), fault_after=1)
    memory = Answer(fault=fault(FaultKind.OUT_OF_MEMORY, "CUDA error: out of memory"))
    place = make(
        desk_model("falls", said={2: crash}), desk_model("grows", said={1: memory}), desk_model("works")
    )
    finished(qtbot, place)
    live = place.live.live
    assert live is not None
    names = {name: place_ for place_, name in enumerate(live.names)}
    assert live.cell(names["falls"], 1) is Cause.CRASHED
    assert live.line(names["grows"]).status is CandidateStatus.OOM
    assert live.line(names["works"]).right == 6
    assert any(event.kind == "bad" for event in place.live.events_model.rows)


def test_that_a_server_that_reads_less_than_was_sent_is_told(qtbot: QtBot, make: Make) -> None:
    long = "letter 1 " + "about a parcel " * 200
    place = make(desk_model(said={1: Answer("delivery", prompt_tokens=300)}), first_input=long)
    finished(qtbot, place)
    live = place.live.live
    assert live is not None
    assert live.cell(0, 0) is Cause.INPUT_CUT


def test_that_a_flood_of_answers_arrives_whole(qtbot: QtBot, make: Make) -> None:
    place = make(desk_model(), size=400)
    finished(qtbot, place)
    live = place.live.live
    assert live is not None
    assert live.units_done == 400
    assert live.line(0).judged == 400


def test_that_a_model_that_does_not_load_leaves_a_sentence(qtbot: QtBot, make: Make) -> None:
    place = make(desk_model(load_fault=fault(FaultKind.BAD_MODEL_FILE, "wrong magic")))
    finished(qtbot, place)
    live = place.live.live
    assert live is not None
    assert live.line(0).status is CandidateStatus.FAILED
    assert "No model can be recommended" in place.result.answer.sentence.text()
