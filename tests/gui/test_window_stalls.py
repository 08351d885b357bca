"""The live view under a flood: 20 candidates × 1,000 examples × 3 repetitions at 200 results a second."""

from __future__ import annotations

import gc
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
from tests.fakes.stall_probe import StallProbe

LIMIT_MS = 50
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
    controller._buffer.start()
    yield view
    controller._buffer.stop()
    controller.current = None
    tasks.shutdown()


def test_that_200_results_a_second_do_not_hold_up_the_window(qtbot: QtBot, live: LiveView) -> None:
    buffer = live._controller._buffer
    flooder = Flooder(buffer.push, flood(20, 1_000, 3), per_second=200)
    probe = StallProbe()
    flooder.start()
    try:
        qtbot.waitUntil(lambda: live.live is not None and live.live.units_done > 20)
        longest = []
        # Other programs share this computer: the best of three is what the window itself does.
        for _ in range(3):
            gc.collect()
            probe.start()
            goal = flooder.pushed + 160
            qtbot.waitUntil(lambda goal=goal: flooder.pushed >= goal, timeout=10_000)
            longest.append(probe.stop())
            if longest[-1] < LIMIT_MS:
                break
    finally:
        flooder.stop()
    assert min(longest) < LIMIT_MS, longest
    assert live.live is not None
    assert live.matrix.matrix.cause(0, 0) is not None


def test_that_a_burst_of_events_is_taken_in_bounded_turns(qtbot: QtBot, live: LiveView) -> None:
    buffer = live._controller._buffer
    lists = flood(20, 1_000, 3, pieces=0)
    for _ in range(2_001):
        for event in next(lists):
            buffer.push(event)
    qtbot.waitUntil(lambda: live.live is not None and live.live.units_done >= 1_990, timeout=10_000)
    assert live.events_model.rowCount() <= 500
