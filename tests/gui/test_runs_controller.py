from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.application.run_requests import RunSelection
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.runs.live.controller import QueuedRun, RunsController
from desktop.runs.records import CandidateStatus
from packs.errors import AppError
from packs.task.outcome import Cause
from tests.fakes.run_service import Script, ScriptedRunService

NOW = datetime(2026, 11, 30, 10, 7, 41, tzinfo=UTC)
Make = Callable[[Script], tuple[ScriptedRunService, RunsController]]


@pytest.fixture
def make(qapp: object, tmp_path: Path) -> Iterator[Make]:
    tasks = TaskRunner(GuiThread())

    def build(script: Script) -> tuple[ScriptedRunService, RunsController]:
        service = ScriptedRunService(tmp_path, script)
        return service, RunsController(service, tasks, now=lambda: NOW)

    yield build
    tasks.shutdown()


def request(service: ScriptedRunService, models: int = 2) -> RunSelection:
    return RunSelection(Path("/packs/post-room-triage"), "post-room-triage", tuple(service.models[:models]))


def finish(qtbot: QtBot, controller: RunsController, act: Callable[[], object]) -> QueuedRun:
    with qtbot.waitSignal(controller.ended) as ended:
        act()
    assert isinstance(ended.args, list)
    run = ended.args[0]
    assert isinstance(run, QueuedRun)
    return run


def test_that_a_run_goes_through_and_its_state_is_whole(qtbot: QtBot, make: Make) -> None:
    service, controller = make(Script())
    run = finish(qtbot, controller, lambda: controller.start(request(service)))
    assert run.error == ""
    assert run.run_id == "run-1"
    assert run.live.units_done == 12
    assert [run.live.line(place).status for place in (0, 1)] == [CandidateStatus.COMPLETED] * 2
    assert not controller.running


def test_that_stop_keeps_what_is_finished(qtbot: QtBot, make: Make) -> None:
    service, controller = make(Script(hold_at=(0, "003")))
    controller.start(request(service))
    qtbot.waitUntil(lambda: bool(service.controls) and service.controls[0].held.is_set())
    run = finish(qtbot, controller, controller.stop)
    assert run.live.units_done == 2
    with service.reader() as reader:
        assert reader.summary("run-1").completed == 2
        assert reader.summary("run-1").resumable


def test_that_pausing_goes_to_and_fro(qtbot: QtBot, make: Make) -> None:
    service, controller = make(Script(hold_at=(0, "002")))
    run = controller.start(request(service))
    qtbot.waitUntil(lambda: bool(service.controls) and service.controls[0].held.is_set())
    controller.toggle_pause()
    qtbot.waitUntil(lambda: run.live.paused)
    service.controls[0].release()
    controller.toggle_pause()
    finish(qtbot, controller, lambda: None)
    assert service.controls[0].orders == ["pause", "release", "go_on"]
    assert not run.live.paused


def test_that_one_unit_or_the_whole_candidate_can_be_skipped(qtbot: QtBot, make: Make) -> None:
    service, controller = make(Script(hold_at=(0, "002")))
    controller.start(request(service))
    qtbot.waitUntil(lambda: bool(service.controls) and service.controls[0].held.is_set())
    run = finish(qtbot, controller, controller.skip_unit)
    assert run.live.cell(0, 1) is Cause.CANCELLED
    assert run.live.line(0).done == 5
    controller.start(request(service))
    qtbot.waitUntil(lambda: len(service.controls) == 2 and service.controls[1].held.is_set())
    run = finish(qtbot, controller, controller.skip_candidate)
    assert run.live.line(0).status is CandidateStatus.SKIPPED
    assert run.live.line(1).status is CandidateStatus.COMPLETED


def test_that_a_second_run_waits_in_the_queue_and_can_be_withdrawn(qtbot: QtBot, make: Make) -> None:
    service, controller = make(Script(hold_at=(0, "001")))
    controller.start(request(service))
    second = controller.start(request(service, 1))
    third = controller.start(request(service, 1))
    assert controller.waiting == (second, third)
    controller.withdraw(third)
    assert controller.waiting == (second,)
    qtbot.waitUntil(service.controls[0].held.is_set)
    finish(qtbot, controller, service.controls[0].release)
    qtbot.waitUntil(lambda: len(service.controls) == 2 and service.controls[1].held.is_set())
    run = finish(qtbot, controller, service.controls[1].release)
    assert run is second
    assert not controller.running


def test_that_a_fault_in_the_run_becomes_a_sentence(qtbot: QtBot, make: Make) -> None:
    crash = AppError("The disk is full.", "Free some space.", code="disk_full")
    service, controller = make(Script(crash=crash, crash_at=(0, "002")))
    run = finish(qtbot, controller, lambda: controller.start(request(service)))
    assert run.error == "The disk is full. Free some space."
    service.script = Script()
    run = finish(qtbot, controller, lambda: controller.start(request(service)))
    assert run.error == ""


def test_that_a_resumed_run_shows_what_was_finished_before(qtbot: QtBot, make: Make) -> None:
    service, controller = make(Script(hold_at=(1, "002")))
    controller.start(request(service))
    qtbot.waitUntil(lambda: bool(service.controls) and service.controls[0].held.is_set())
    stopped = finish(qtbot, controller, controller.stop)
    service.script = Script(hold_at=(1, "004"))
    again = controller.resume(stopped.run_id, "post-room-triage")
    qtbot.waitUntil(lambda: again.live.candidates == 2 and again.live.line(0).done == 6)
    qtbot.waitUntil(service.controls[1].held.is_set)
    run = finish(qtbot, controller, service.controls[1].release)
    assert [run.live.line(place).done for place in (0, 1)] == [6, 6]
    assert run.live.units_done == 12


def test_that_closing_stops_the_run_and_forgets_the_queue(qtbot: QtBot, make: Make) -> None:
    service, controller = make(Script(hold_at=(0, "001")))
    controller.start(request(service))
    controller.start(request(service))
    qtbot.waitUntil(service.controls[0].held.is_set)
    finish(qtbot, controller, controller.stop_all)
    assert controller.waiting == ()
    assert len(service.controls) == 1
