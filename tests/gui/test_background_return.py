"""The window is away, the run goes on: what a person sees of it, and how it comes back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.application.run_requests import RunSelection
from desktop.gui.core.place import PlaceName
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.runs.place import RunsPlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.single_instance import FirstWindow
from desktop.gui.shell.start_window import make_window
from desktop.gui.widgets.questions import Question
from tests.fakes.run_service import Script, ScriptedRunService


@pytest.fixture
def running(
    services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> Iterator[tuple[MainWindow, ScriptedRunService]]:
    """A run is in the middle, the window shows another place."""
    service = ScriptedRunService(tmp_path, Script(hold_at=(0, "002")))
    application = QApplication.instance()
    assert application is not None
    # Lanes of their own: the run waits in the middle while the window goes on.
    tasks = TaskRunner(GuiThread(application))
    window = make_window(replace(services, tasks=tasks), service)
    qtbot.addWidget(window)
    window.show()
    runs = window.runs
    assert isinstance(runs, RunsPlace)
    runs.controller.start(RunSelection(Path("/packs/post"), "post", tuple(service.models[:1])))
    qtbot.waitUntil(lambda: bool(service.controls) and service.controls[0].held.is_set())
    window.show_place(PlaceName.START)
    yield window, service
    service.controls[0].stop()
    tasks.shutdown()


def test_that_the_status_line_tells_of_the_run_in_every_place(
    qtbot: QtBot, running: tuple[MainWindow, ScriptedRunService]
) -> None:
    window, service = running
    qtbot.waitUntil(lambda: window.status.engine.text() == "Engine: running post")
    for place in PlaceName:
        window.show_place(place)
        assert window.status.engine.isVisible()
    service.controls[0].release()
    qtbot.waitUntil(lambda: window.status.engine.text() == "Engine: idle")


@pytest.mark.qt_log_ignore("propagateSizeHints", "does not support raise")
def test_that_a_second_start_brings_the_window_back_with_its_run(
    qtbot: QtBot, running: tuple[MainWindow, ScriptedRunService], tmp_path: Path
) -> None:
    window, service = running
    runs = window.runs
    assert isinstance(runs, RunsPlace)
    first = FirstWindow(tmp_path)
    first.asked.connect(window.come_forward)
    window.close()
    (question,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, Question) and w.isVisible()]
    question.buttons[0].click()
    assert not window.isVisible() and runs.controller.running
    code = (
        "import sys; from pathlib import Path; from desktop.gui.shell.single_instance import hand_over;"
        "sys.exit(not hand_over(Path(sys.argv[1]), []))"
    )
    with qtbot.waitSignal(first.asked):
        second = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=Path(__file__).parents[2])
    qtbot.waitUntil(lambda: second.poll() is not None)
    assert second.returncode == 0
    assert window.isVisible() and runs.live.isVisible()
    first.close()
    service.controls[0].release()
    qtbot.waitUntil(lambda: not runs.controller.running)
    assert window.isVisible()
