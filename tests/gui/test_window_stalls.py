"""The live view under a flood: 20 candidates × 1,000 examples × 3 repetitions at 200 results a second."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.runs.live.controller import QueuedRun, RunsController
from desktop.gui.runs.live.live_view import LiveView
from desktop.gui.theme import Theme
from tests.fakes.event_flood import Flooder, flood
from tests.fakes.run_service import ScriptedRunService
from tests.fakes.work_count import TurnProbe

MAXIMUM_CALLS = 100_000
"""In one turn of the event loop: one painting of all 20,000 cells and a batch of events."""
NOW = datetime(2026, 11, 30, 11, 0, tzinfo=UTC)


@pytest.fixture
def live(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[LiveView]:
    tasks = TaskRunner(GuiThread())
    controller = RunsController(ScriptedRunService(tmp_path), tasks, now=lambda: NOW)
    view = LiveView(theme, controller, monotonic=lambda: 0.0)
    view.resize(1200, 720)
    qtbot.addWidget(view)
    view.show()
    qtbot.waitExposed(view)
    controller.current = QueuedRun("flood", {}, request=None, resumes="")
    view.follow(controller.current)
    controller.buffer.start()
    yield view
    controller.buffer.stop()
    controller.current = None
    tasks.shutdown()


def test_that_200_results_a_second_do_not_hold_up_the_window(qtbot: QtBot, live: LiveView) -> None:
    buffer = live.controller.buffer
    flooder = Flooder(buffer.push, flood(20, 1_000, 3), per_second=200)
    probe = TurnProbe()
    flooder.start()
    try:
        qtbot.waitUntil(lambda: live.live is not None and live.live.units_done > 20)
        probe.start()
        goal = flooder.pushed + 160
        qtbot.waitUntil(lambda: flooder.pushed >= goal)
    finally:
        calls = probe.stop()
        flooder.stop()
    assert calls <= MAXIMUM_CALLS
    assert live.live is not None
    assert live.matrix.matrix.cause(0, 0) is not None


def test_that_a_burst_of_events_is_taken_in_bounded_turns(qtbot: QtBot, live: LiveView) -> None:
    buffer = live.controller.buffer
    lists = flood(20, 1_000, 3, pieces=0)
    for _ in range(2_001):
        for event in next(lists):
            buffer.push(event)
    qtbot.waitUntil(lambda: live.live is not None and live.live.units_done >= 1_990)
    assert live.events_model.rowCount() <= 500
