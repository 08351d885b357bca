"""From plan to export with the keyboard alone, the window closed and opened again in between."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.application.run_requests import ExportRequest
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.printing.pdf import render_pdf
from desktop.gui.runs.place import RunsPlace
from desktop.gui.runs.result.compare_dialog import CompareDialog
from desktop.gui.runs.result.export_dialog import ExportDialog
from desktop.gui.theme import Theme
from desktop.gui.widgets.questions import Question
from desktop.reports.data import ReportData
from desktop.reports.renderers import Renderer, Renderers, standard_renderers
from desktop.runs.records import CandidateStatus
from packs.task.outcome import Cause
from tests.fakes.run_service import Part, Script, ScriptedRunService

W = TypeVar("W", bound=QWidget)
ENTER, CTRL = Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier


class WritingDesk(ScriptedRunService):
    """Writes every format for real."""

    @property
    def renderers(self) -> Renderers:
        return standard_renderers([Renderer("pdf", ".pdf", "PDF, for paper and for sending", render_pdf)])

    def render(self, report: ReportData, request: ExportRequest) -> bytes:
        return self.renderers[request.format].render(report)


def opened(qtbot: QtBot, kind: type[W]) -> W:
    def there() -> list[W]:
        return [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]

    qtbot.waitUntil(lambda: len(there()) == 1)
    return there()[0]


def press(qtbot: QtBot, button: QWidget) -> None:
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)


# The offscreen platform says so where a menu opens; it means nothing.
@pytest.mark.qt_log_ignore("propagateSizeHints", "does not support raise", "does not support grabbing")
@pytest.mark.parametrize("pack", ["post-room-triage", "invoice-extraction"])
def test_that_a_sweep_is_planned_watched_stopped_resumed_read_compared_and_exported(
    qtbot: QtBot, theme: Theme, tmp_path: Path, pack: str
) -> None:
    tasks = TaskRunner(GuiThread())
    service = WritingDesk(tmp_path, Script(parts={(0, "002"): Part(Cause.WRONG)}, hold_at=(1, "002")))
    closed: list[bool] = []

    def window() -> RunsPlace:
        place = RunsPlace(theme, service, tasks, now=lambda: datetime(2026, 11, 30, 11, 0, tzinfo=UTC))
        place.resize(1200, 720)
        qtbot.addWidget(place)
        place.show()
        return place

    def start(place: RunsPlace) -> None:
        place.plan_run(Path("/packs") / pack)
        qtbot.waitUntil(lambda: place.plan.model.rowCount() == 3 and "answers in" in place.plan.cost.text())
        qtbot.waitUntil(lambda: place.plan.start.isEnabled() and not tasks.busy)
        place.activateWindow()
        qtbot.waitUntil(place.isActiveWindow)
        place.plan.table.setFocus()
        qtbot.keyClick(place.plan.table, ENTER, CTRL)

    place = window()
    start(place)
    qtbot.waitUntil(lambda: bool(service.controls) and service.controls[-1].held.is_set())
    qtbot.waitUntil(lambda: place.live.live is not None and place.live.live.writing is not None)
    press(qtbot, place.live.pause)
    qtbot.waitUntil(lambda: place.live.live is not None and place.live.live.paused)
    press(qtbot, place.live.pause)
    qtbot.waitUntil(lambda: place.live.live is not None and not place.live.live.paused)
    service.script.hold_at = (2, "003")
    service.controls[-1].held.clear()
    press(qtbot, place.live.skip_model)
    qtbot.waitUntil(service.controls[-1].held.is_set)
    assert place.close_question(lambda: closed.append(True))
    press(qtbot, opened(qtbot, Question).buttons[1])
    qtbot.waitUntil(lambda: closed == [True])
    with service.reader() as reader:
        assert reader.summary("run-1").resumable
        assert reader.candidates("run-1")[1].status is CandidateStatus.SKIPPED

    service.script.hold_at = None
    place.close()
    place = window()
    place.offer_resume()
    press(qtbot, opened(qtbot, Question).buttons[0])
    qtbot.waitUntil(lambda: place.result.ready)
    assert place.result.answer.sentence.text().startswith("Use ")
    start(place)
    qtbot.waitUntil(lambda: len(service.controls) == 3)
    qtbot.waitUntil(lambda: place.result.run_id == "run-2" and place.result.ready)

    menu = place.result.comparing.menu
    place.result.compare.setFocus()
    menu.popup(QPoint(0, 0))
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, ENTER)
    comparison = opened(qtbot, CompareDialog)
    assert comparison.sentences[0].text()
    qtbot.keyClick(comparison, Qt.Key.Key_Escape)

    press(qtbot, place.result.export)
    export = opened(qtbot, ExportDialog)
    for number, renderer in enumerate(service.renderers):
        if number:
            qtbot.keyClick(export.formats, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda: not tasks.busy)
        press(qtbot, export.write_button)
        qtbot.waitUntil(lambda: export.written is not None)
        assert export.renderer.name == renderer.name
        assert export.written is not None and export.written.stat().st_size > 300
    qtbot.keyClick(export, Qt.Key.Key_Escape)
    tasks.shutdown()
