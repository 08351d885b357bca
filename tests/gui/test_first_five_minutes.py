"""A person's first time: three steps from a sample to a report, and what is said where no model is found."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from desktop.gui.core.place import PlaceName
from desktop.gui.core.window_services import WindowServices
from desktop.gui.runs.place import RunsPlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.start_window import make_window
from tests.fakes.run_service import ScriptedRunService


def shown_window(services: WindowServices, qtbot: QtBot, service: ScriptedRunService) -> MainWindow:
    window = make_window(services, service)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    return window


def press(qtbot: QtBot, button: QAbstractButton) -> None:
    """By keyboard, as somebody does who uses no mouse."""
    qtbot.waitUntil(lambda: button.isVisible() and button.isEnabled())
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)


def test_that_the_three_steps_lead_from_a_sample_to_the_report(services: WindowServices, qtbot: QtBot) -> None:
    services.paths.data.mkdir(parents=True)
    service = ScriptedRunService(services.paths.data)
    window = shown_window(services, qtbot, service)
    steps = window.start.steps
    qtbot.waitUntil(lambda: window.start.samples.things.rowCount() > 0)
    with qtbot.waitSignal(window.opener.pack_opened):
        press(qtbot, steps.buttons[0])
    assert window.shown_place is PlaceName.PACK
    copy = next(services.paths.documents.iterdir())
    assert (copy / "task.yaml").is_file(), "what is run is the person's own copy"

    window.show_place(PlaceName.START)
    press(qtbot, steps.buttons[1])
    runs = window.runs
    assert isinstance(runs, RunsPlace)
    qtbot.waitUntil(lambda: runs.plan.isVisible() and runs.plan.start.isEnabled())
    with qtbot.waitSignal(runs.controller.ended):
        press(qtbot, runs.plan.start)

    window.show_place(PlaceName.START)
    press(qtbot, steps.buttons[2])
    assert window.shown_place is PlaceName.RUNS
    qtbot.waitUntil(lambda: runs.result.isVisible() and runs.result.ready)
    said = " ".join(label.text() for label in runs.result.findChildren(QLabel) if label.isVisible())
    assert "SmolLM2" in said
    window.close()


def test_that_a_plan_without_any_model_says_how_to_get_one(
    services: WindowServices, qtbot: QtBot, pack_folder: object
) -> None:
    services.paths.data.mkdir(parents=True)
    service = ScriptedRunService(services.paths.data)
    service.models = []
    window = shown_window(services, qtbot, service)
    with qtbot.waitSignal(window.opener.pack_opened):
        window.open_paths([str(pack_folder)])
    window.plan_run()
    runs = window.runs
    assert isinstance(runs, RunsPlace)
    qtbot.waitUntil(lambda: runs.plan.pack is not None)

    def said() -> str:
        return " ".join(label.text() for label in runs.plan.findChildren(QLabel) if label.isVisible())

    qtbot.waitUntil(lambda: "GGUF" in said())
    assert not runs.plan.start.isEnabled()
    window.close()
