"""What test_runs_place.py does by keys alone, by mouse alone: plan, run, result, one example, export."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.gui.core.place import PlaceName
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.runs.place import RunsPlace
from desktop.gui.runs.result.example_dialog import ExampleDialog
from desktop.gui.runs.result.export_dialog import ExportDialog
from desktop.gui.shell.start_window import make_window
from desktop.gui.theme import Theme
from desktop.gui.widgets.button import Button
from packs.task.outcome import Cause
from tests.fakes.run_service import Part, Script, ScriptedRunService

LEFT = Qt.MouseButton.LeftButton
W = TypeVar("W", bound=QWidget)


@pytest.fixture
def place(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[RunsPlace]:
    tasks = TaskRunner(GuiThread())
    service = ScriptedRunService(tmp_path, Script(parts={(0, "002"): Part(Cause.WRONG)}))
    place = RunsPlace(theme, service, tasks, now=lambda: datetime(2026, 11, 30, 11, 0, tzinfo=UTC))
    place.resize(1200, 720)
    qtbot.addWidget(place)
    place.show()
    yield place
    tasks.shutdown()


def click(qtbot: QtBot, widget: QWidget) -> None:
    assert widget.isVisible()
    qtbot.mouseClick(widget, LEFT)


def cell(table: QAbstractItemView, row: int) -> QPoint:
    return table.visualRect(table.model().index(row, 1)).center()


def dialog(kind: type[W]) -> W:
    return next(
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, kind) and widget.isVisible()
    )


def test_that_the_whole_way_works_with_the_mouse_alone(qtbot: QtBot, place: RunsPlace, tmp_path: Path) -> None:
    place.plan_run(Path("/packs/post-room-triage"))
    qtbot.waitUntil(lambda: place.plan.model.rowCount() == 3)
    qtbot.waitUntil(place.plan.start.isEnabled)
    click(qtbot, place.plan.start)
    qtbot.waitUntil(lambda: place.result.isVisible() and place.result.ready)
    assert place.result.answer.sentence.text().startswith("Use ")

    panel = place.result.examples
    qtbot.waitUntil(lambda: not panel.model.lacking(0, 1))
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=cell(panel.table, 0))
    qtbot.mouseDClick(panel.table.viewport(), LEFT, pos=cell(panel.table, 0))
    detail = dialog(ExampleDialog)
    qtbot.waitUntil(lambda: bool(detail.unit.reason.text()))
    detail.close()

    click(qtbot, place.result.export)
    export = dialog(ExportDialog)
    rows = export.formats
    qtbot.mouseClick(rows.viewport(), LEFT, pos=rows.visualRect(rows.model().index(1, 0)).center())
    qtbot.waitUntil(lambda: "as md" in export.preview.toPlainText())
    click(qtbot, export.write_button)
    qtbot.waitUntil(lambda: export.written is not None)
    assert (tmp_path / "report.md").read_text() == "First page as md, with texts"
    export.close()


def test_that_a_sample_is_opened_and_planned_by_mouse(
    services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> None:
    window = make_window(services, ScriptedRunService(tmp_path))
    qtbot.addWidget(window)
    window.show()
    samples = window.start.samples
    qtbot.waitUntil(lambda: samples.model().rowCount() == 2)
    with qtbot.waitSignal(window.opener.pack_opened):
        qtbot.mouseClick(samples.viewport(), LEFT, pos=samples.visualRect(samples.model().index(0, 0)).center())
    assert window.shown_place is PlaceName.PACK
    shown = [button for button in window.findChildren(Button) if button.isVisible() and "un…" in button.text()]
    click(qtbot, shown[0])
    assert window.shown_place is PlaceName.RUNS
    assert isinstance(window.runs, RunsPlace)
    plan = window.runs.plan
    qtbot.waitUntil(lambda: plan.pack is not None)
    window.close()
