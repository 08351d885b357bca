"""The Runs place with real events: keys and clicks, a scripted desk behind it, a real journal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QInputDialog, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.application.run_requests import ModelSource, RunSelection
from desktop.application.wording import size
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.runs.history.history_model import DISK
from desktop.gui.runs.live import candidates_model as columns
from desktop.gui.runs.live.candidates_model import STATE
from desktop.gui.runs.place import RunsPlace
from desktop.gui.runs.result.example_dialog import ExampleDialog
from desktop.gui.runs.result.examples_model import FIRST_CANDIDATE
from desktop.gui.runs.result.export_dialog import ExportDialog
from desktop.gui.runs.result.unit_dialog import UnitDialog
from desktop.gui.runs.result.why_dialog import WhyDialog
from desktop.gui.shell.panes import walk
from desktop.gui.theme import Theme
from desktop.gui.widgets.questions import Question
from desktop.gui.widgets.roles import RUNS_ROLE
from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.source import BUILT_IN, SERVER_HERE
from desktop.runs.records import CandidateStatus
from packs.errors import AppError
from packs.task.outcome import Cause, NearMiss
from tests.fakes.run_service import Control, Part, Script, ScriptedRunService

NOW = datetime(2026, 11, 30, 11, 0, tzinfo=UTC)
PACK = Path("/packs/post-room-triage")
Make = Callable[[Script], tuple[ScriptedRunService, RunsPlace]]
W = TypeVar("W", bound=QWidget)


@pytest.fixture
def make(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[Make]:
    tasks = TaskRunner(GuiThread())

    def build(script: Script) -> tuple[ScriptedRunService, RunsPlace]:
        service = ScriptedRunService(tmp_path, script)
        place = RunsPlace(theme, service, tasks, now=lambda: NOW)
        place.resize(1200, 720)
        qtbot.addWidget(place)
        place.show()
        qtbot.waitExposed(place)
        return service, place

    yield build
    tasks.shutdown()


def planned(qtbot: QtBot, place: RunsPlace) -> None:
    place.plan_run(PACK)
    qtbot.waitUntil(lambda: place.plan.model.rowCount() == 3)


def started(qtbot: QtBot, place: RunsPlace) -> None:
    planned(qtbot, place)
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def held(qtbot: QtBot, service: ScriptedRunService, place: RunsPlace) -> Control:
    qtbot.waitUntil(lambda: bool(service.controls) and service.controls[-1].held.is_set())
    qtbot.waitUntil(lambda: place.live.live is not None and place.live.live.writing is not None)
    return service.controls[-1]


def finished(qtbot: QtBot, place: RunsPlace) -> None:
    qtbot.waitUntil(lambda: place.result.isVisible() and place.result.ready)


def dialog(qtbot: QtBot, kind: type[W]) -> W:
    """The newest open dialog of this kind, once it takes keys."""
    found = [
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, kind) and widget.isVisible()
    ]
    assert found, f"no {kind.__name__} is open"
    qtbot.waitUntil(found[-1].isActiveWindow)
    return found[-1]


def test_that_the_whole_way_works_with_the_keyboard_alone(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    miss = NearMiss("final_stop", "A final stop follows the label.", 8, 9)
    _service, place = make(
        Script(
            parts={
                (0, "002"): Part(Cause.WRONG),
                (1, "003"): Part(Cause.UNREADABLE, "visitors.", miss),
            },
            ends={2: ("004", "It ran out of memory at example 4.", Cause.OUT_OF_MEMORY)},
        )
    )
    planned(qtbot, place)
    qtbot.waitUntil(lambda: "answers in" in place.plan.cost.text())
    assert place.plan.start.isEnabled()
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    finished(qtbot, place)
    assert place.result.answer.sentence.text().startswith("Use ")
    assert place.live.live is not None
    assert place.live.live.line(2).status is CandidateStatus.OOM
    assert place.title() == "Result: post-room-triage"

    table = place.result.examples.table
    table.setFocus()
    qtbot.waitUntil(lambda: not place.result.examples.model.lacking(0, 10))
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    detail = dialog(qtbot, ExampleDialog)
    qtbot.waitUntil(lambda: bool(detail.unit.reason.text()))
    first = detail.title.text()
    qtbot.keyClick(detail, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: detail.title.text() != first)
    qtbot.keyClick(detail, Qt.Key.Key_Escape)

    place.result.why.setFocus()
    qtbot.keyClick(place.result.why, Qt.Key.Key_Space)
    qtbot.keyClick(dialog(qtbot, WhyDialog), Qt.Key.Key_Escape)

    place.result.export.setFocus()
    qtbot.keyClick(place.result.export, Qt.Key.Key_Space)
    export = dialog(qtbot, ExportDialog)
    qtbot.keyClick(export.formats, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: "as md" in export.preview.toPlainText())
    qtbot.keyClick(export, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: export.written is not None)
    assert (tmp_path / "report.md").read_text() == "First page as md, with texts"
    assert export.open_button.isVisible()
    qtbot.keyClick(export, Qt.Key.Key_Escape)


def test_that_the_live_view_shows_what_goes_on(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(1, "002"), parts={(0, "001"): Part(Cause.WRONG)}))
    started(qtbot, place)
    control = held(qtbot, service, place)
    live = place.live
    qtbot.waitUntil(lambda: "ret" in live.writing.answer.toPlainText())
    qtbot.waitUntil(lambda: live.writing.input.text().startswith("Letter 002"))
    assert live.writing.expected.text() == "returns"
    assert live.model.rowCount() == 3
    assert live.model.row(0).status is CandidateStatus.COMPLETED
    assert live.model.row(1).status is CandidateStatus.RUNNING
    assert live.matrix.matrix.cause(0, 0) is Cause.WRONG
    assert "being written" in live.matrix.matrix.message(1, 1)
    assert live.progress.done == pytest.approx(7 / 18)
    assert live.stop.hasFocus()
    assert live.table.accessibleName() == "Candidates of the run"

    matrix = live.matrix.matrix
    matrix.setFocus()
    qtbot.keyClick(matrix, Qt.Key.Key_Return)
    detail = dialog(qtbot, UnitDialog)
    qtbot.waitUntil(detail.unit.isVisible)
    assert "wrong" in detail.unit.reason.text()
    qtbot.keyClick(detail, Qt.Key.Key_Escape)
    matrix.move_to(1, 4)
    qtbot.keyClick(matrix, Qt.Key.Key_Return)
    detail = dialog(qtbot, UnitDialog)
    qtbot.waitUntil(lambda: "not been answered" in detail.message.text())
    qtbot.keyClick(detail, Qt.Key.Key_Escape)
    control.release()
    finished(qtbot, place)


def test_that_stop_pause_and_skip_work_by_mouse(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(0, "003")))
    started(qtbot, place)
    control = held(qtbot, service, place)
    live = place.live
    left = Qt.MouseButton.LeftButton
    qtbot.mouseClick(live.pause, left)
    qtbot.waitUntil(lambda: live.pause.text() == "Go &on")
    qtbot.mouseClick(live.pause, left)
    qtbot.waitUntil(lambda: live.pause.text() == "P&ause")
    qtbot.mouseClick(live.skip_unit, left)
    finished(qtbot, place)
    assert control.orders == ["pause", "go_on", "skip_unit"]
    assert place.live.live is not None
    assert place.live.live.cell(0, 2) is Cause.CANCELLED

    started(qtbot, place)
    held(qtbot, service, place)
    qtbot.mouseClick(live.stop, left)
    assert not live.stop.isEnabled()
    finished(qtbot, place)
    assert place.result.resume.isVisible()
    qtbot.mouseClick(place.result.resume, left)
    control = held(qtbot, service, place)
    control.release()
    finished(qtbot, place)
    assert not place.result.resume.isVisible()


def test_that_a_run_that_cannot_be_done_says_why_and_leaves_a_way_back(qtbot: QtBot, make: Make) -> None:
    crash = AppError("The disk is full.", "Free some space.", code="disk_full")
    _service, place = make(Script(crash=crash, crash_at=(0, "002")))
    started(qtbot, place)
    qtbot.waitUntil(lambda: "The disk is full." in place.live.progress.accessibleName())
    assert not place.live.stop.isEnabled()
    assert "left" not in place.live.progress.accessibleDescription()
    # The disk is full: that is nothing to blame the model for.
    states = [place.live.model.data(place.live.model.index(row, STATE)) for row in range(3)]
    assert states == ["not finished", "not run", "not run"]
    assert place.live.model.row(0).now_mib is None
    assert not place.live.writing.answer.isVisible()
    assert "is kept" in place.live.writing.nothing.text()
    qtbot.mouseClick(place.live.history, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: place.history.model.rowCount() == 1)


def test_that_the_way_through_the_panes_passes_over_an_answer_that_is_not_there(
    qtbot: QtBot, make: Make
) -> None:
    crash = AppError("The disk is full.", "Free some space.", code="disk_full")
    _service, place = make(Script(crash=crash, crash_at=(0, "002")))
    started(qtbot, place)
    qtbot.waitUntil(lambda: "The disk is full." in place.live.progress.accessibleName())
    place.activateWindow()
    qtbot.waitUntil(place.isActiveWindow)
    place.live.history.setFocus()
    reached = []
    for _ in range(4):
        walk(place.panes(), 1)
        reached.append(QApplication.focusWidget())
    assert len(set(reached)) == 4
    assert reached[-1] is place.live.history


def test_that_a_second_run_waits_visibly(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(0, "001")))
    started(qtbot, place)
    control = held(qtbot, service, place)
    started(qtbot, place)
    strip = place.history.queue
    qtbot.waitUntil(strip.isVisible)
    assert len(strip.withdraw_buttons) == 1
    qtbot.mouseClick(strip.withdraw_buttons[0], Qt.MouseButton.LeftButton)
    assert strip.withdraw_buttons == []
    qtbot.mouseClick(strip.show_button, Qt.MouseButton.LeftButton)
    assert place.live.isVisible()
    control.release()
    finished(qtbot, place)


def test_that_models_are_chosen_with_space_and_start_needs_one(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script())
    planned(qtbot, place)
    plan = place.plan
    assert plan.table.hasFocus()
    for row in range(3):
        plan.table.selectRow(row)
        qtbot.keyClick(plan.table, Qt.Key.Key_Space)
    assert plan.request() is None
    assert not plan.start.isEnabled()
    assert plan.cost.text() == "Choose at least one model."
    qtbot.keyClick(plan.table, Qt.Key.Key_Space)
    request = plan.request()
    assert request is not None
    assert [model.name for model in request.models] == ["SmolLM2-360M"]


def test_that_a_dropped_model_file_joins_the_plan_and_another_file_is_refused(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script())
    planned(qtbot, place)
    plan = place.plan

    def drop(name: str) -> None:
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(name)])
        action, buttons, keys = (
            Qt.DropAction.CopyAction,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(plan, QDragEnterEvent(QPoint(50, 50), action, data, buttons, keys))
        QApplication.sendEvent(plan, QDropEvent(QPointF(50, 50), action, data, buttons, keys))

    drop("/models/own.gguf")
    qtbot.waitUntil(lambda: plan.model.rowCount() == 4)
    assert plan.model.row(3).ticked
    drop("/models/readme.txt")
    qtbot.waitUntil(lambda: "is no GGUF file" in plan.problem.text())


def test_that_the_last_plan_of_a_pack_is_remembered(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script())
    planned(qtbot, place)
    place.plan.options.repetitions.setValue(2)
    place.plan.table.selectRow(0)
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Space)
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    finished(qtbot, place)
    planned(qtbot, place)
    assert place.plan.options.repetitions.value() == 2
    assert [row.ticked for row in place.plan.model.rows] == [False, True, True]


def test_that_a_folder_without_a_pack_and_a_pack_with_problems_are_told(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script())
    place.plan_run(Path("/packs/nothing"))
    qtbot.waitUntil(lambda: "holds no pack" in place.plan.problem.text())
    service.problems = 2
    planned(qtbot, place)
    assert "2 problems" in place.plan.problem.text()
    assert not place.plan.start.isEnabled()


def test_that_closing_while_running_asks_and_stop_keeps(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(0, "003")))
    closed: list[bool] = []
    assert not place.close_question(lambda: closed.append(True))
    started(qtbot, place)
    held(qtbot, service, place)
    assert place.close_question(lambda: closed.append(True))
    question = dialog(qtbot, Question)
    assert question.safe.hasFocus()
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    assert place.controller.running
    assert place.close_question(lambda: closed.append(True))
    qtbot.mouseClick(dialog(qtbot, Question).buttons[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: closed == [True])
    with service.reader() as reader:
        assert reader.summary("run-1").completed == 2


def test_that_a_run_goes_on_in_the_background_until_its_end(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(0, "003")))
    closed: list[bool] = []
    started(qtbot, place)
    control = held(qtbot, service, place)
    place.close_question(lambda: closed.append(True))
    qtbot.mouseClick(dialog(qtbot, Question).buttons[0], Qt.MouseButton.LeftButton)
    assert not place.isVisible()
    assert not closed
    control.release()
    qtbot.waitUntil(lambda: closed == [True])
    with service.reader() as reader:
        assert reader.summary("run-1").completed == 18


def test_that_a_run_in_the_background_is_shown_again_and_then_does_not_end_the_program(
    qtbot: QtBot, make: Make
) -> None:
    service, place = make(Script(hold_at=(0, "003")))
    closed: list[bool] = []
    started(qtbot, place)
    control = held(qtbot, service, place)
    place.show_history()
    place.close_question(lambda: closed.append(True))
    question = dialog(qtbot, Question)
    message = " ".join(label.text() for label in question.findChildren(QLabel))
    assert "shown again when Packbench is started anew" in message
    qtbot.mouseClick(question.buttons[0], Qt.MouseButton.LeftButton)
    assert not place.isVisible()
    place.window().show()
    place.come_back()
    assert place.live.isVisible()
    control.release()
    finished(qtbot, place)
    assert closed == [] and place.isVisible()


def test_that_enter_in_the_matrix_leads_to_each_repetition(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(1, "002")))
    planned(qtbot, place)
    place.plan.options.repetitions.setValue(3)
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    control = held(qtbot, service, place)
    matrix = place.live.matrix.matrix
    matrix.setFocus()
    matrix.move_to(1, 0)
    qtbot.keyClick(matrix, Qt.Key.Key_Return)
    detail = dialog(qtbot, UnitDialog)
    qtbot.waitUntil(detail.unit.isVisible)
    assert detail.repetition.hasFocus() and detail.repetition.currentText() == "Repetition 1 of 3"
    qtbot.keyClick(detail.repetition, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: "not been answered" in detail.message.text())
    assert detail.repetition.currentText() == "Repetition 2 of 3" and not detail.unit.isVisible()
    qtbot.keyClick(detail.repetition, Qt.Key.Key_Up)
    qtbot.waitUntil(detail.unit.isVisible)
    qtbot.keyClick(detail, Qt.Key.Key_Escape)
    control.release()
    finished(qtbot, place)


def test_that_memory_now_stands_beside_peak_and_prediction(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(1, "002")))
    started(qtbot, place)
    control = held(qtbot, service, place)
    live = place.live
    qtbot.waitUntil(lambda: live.model.row(1).now_mib is not None)
    cell = live.model.index(1, columns.MEMORY)
    assert live.model.headerData(columns.MEMORY, Qt.Orientation.Horizontal) == "Now / peak / predicted, GiB"
    assert cell.data() == "0.37 / 0.48 / 0.49"
    assert live.model.index(0, columns.MEMORY).data().startswith("– / ")
    control.release()
    finished(qtbot, place)


def test_that_how_many_are_asked_at_once_is_offered_for_servers_alone_and_remembered(
    qtbot: QtBot, make: Make
) -> None:
    service, place = make(Script())
    planned(qtbot, place)
    options = place.plan.options
    assert not options.at_once.isVisible()
    options.engine.setFocus()
    qtbot.keyClick(options.engine, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: [row.choice.model.name for row in place.plan.model.rows] == ["qwen3:4b"])
    assert options.at_once.isVisible()
    options.at_once.setFocus()
    for _ in range(3):
        qtbot.keyClick(options.at_once, Qt.Key.Key_Up)
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    finished(qtbot, place)
    assert service.last is not None and service.last.parallel == 4
    place.plan_run(PACK)
    qtbot.waitUntil(lambda: place.plan.model.rowCount() == 1)
    assert options.at_once.value() == 4
    qtbot.keyClick(options.engine, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: place.plan.model.rowCount() == 3)
    assert not options.at_once.isVisible()
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    finished(qtbot, place)
    assert service.last.parallel == 1


def test_that_the_next_start_offers_to_resume(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script(hold_at=(0, "003")))
    closed: list[bool] = []
    started(qtbot, place)
    held(qtbot, service, place)
    place.close_question(lambda: closed.append(True))
    qtbot.mouseClick(dialog(qtbot, Question).buttons[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: closed == [True])

    place.offer_resume()
    qtbot.waitUntil(
        lambda: any(isinstance(w, Question) and w.isVisible() for w in QApplication.topLevelWidgets())
    )
    qtbot.mouseClick(dialog(qtbot, Question).buttons[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(place.live.isVisible)
    held(qtbot, service, place).release()
    finished(qtbot, place)
    place.offer_resume()
    assert service.take_unfinished() is None


def test_that_the_history_searches_notes_pins_deletes_and_brings_back(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script())
    for _ in range(2):
        started(qtbot, place)
        finished(qtbot, place)
    qtbot.mouseClick(place.result.history, Qt.MouseButton.LeftButton)
    history = place.history
    qtbot.waitUntil(lambda: history.model.rowCount() == 2)
    assert "2 runs" in history.bar.note.text()

    qtbot.mouseClick(history.note, Qt.MouseButton.LeftButton)
    box = history.findChild(QInputDialog)
    assert box is not None
    box.setTextValue("with the new prompt")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: history.current is not None and history.current.note == "with the new prompt")

    qtbot.mouseClick(history.pin, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: history.current is not None and history.current.pinned)

    history.search.setFocus()
    qtbot.keyClicks(history.search, "new prompt")
    assert history.model.rowCount() == 1
    history.search.clear()

    place.activateWindow()
    qtbot.waitUntil(place.isActiveWindow)
    history.table.setFocus()
    qtbot.keyClick(history.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: history.model.rowCount() == 1)
    toast = history.toast
    assert toast is not None
    qtbot.mouseClick(toast.undo_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: history.model.rowCount() == 2)
    with qtbot.waitSignal(place.result.examples.model.modelReset):
        qtbot.keyClick(history.table, Qt.Key.Key_Return)


def test_that_the_history_says_what_each_run_takes_and_frees_what_is_deleted(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script())
    for _ in range(2):
        started(qtbot, place)
        finished(qtbot, place)
    qtbot.mouseClick(place.result.history, Qt.MouseButton.LeftButton)
    history = place.history
    qtbot.waitUntil(lambda: history.model.rowCount() == 2)

    def disk(row: int) -> str:
        return str(history.model.index(row, DISK).data())

    qtbot.waitUntil(lambda: disk(0) != "–")
    with service.reader() as reader:
        assert disk(0) == size(reader.run_bytes(history.model.row(0).id))
    assert history.deleted.isHidden()

    place.activateWindow()
    qtbot.waitUntil(place.isActiveWindow)
    for left in (1, 0):
        history.table.setFocus()
        qtbot.keyClick(history.table, Qt.Key.Key_Delete)
        qtbot.waitUntil(lambda left=left: history.model.rowCount() == left)
    qtbot.waitUntil(lambda: "2 deleted runs still take" in history.deleted.message.text())
    history.deleted.back.setFocus()
    qtbot.keyClick(history.deleted.back, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: history.model.rowCount() == 1)
    qtbot.waitUntil(lambda: "1 deleted run still takes" in history.deleted.message.text())

    history.deleted.remove.setFocus()
    qtbot.keyClick(history.deleted.remove, Qt.Key.Key_Space)
    question = dialog(qtbot, Question)
    assert question.safe.hasFocus()
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    qtbot.keyClick(history.deleted.remove, Qt.Key.Key_Space)
    question = dialog(qtbot, Question)
    qtbot.keyClick(question.buttons[0], Qt.Key.Key_Space)
    qtbot.waitUntil(history.deleted.isHidden)
    with service.reader() as reader:
        assert reader.runs(deleted=True) == []
        assert len(reader.runs()) == 1


def test_that_filters_and_the_plot_lead_to_examples(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script(parts={(0, "002"): Part(Cause.WRONG), (1, "005"): Part(Cause.GATE_FAILED)}))
    asked: list[tuple[str, str]] = []
    place.edit_asked.connect(lambda folder, example: asked.append((folder, example)))
    started(qtbot, place)
    finished(qtbot, place)
    panel = place.result.examples
    assert [row.example for row in panel.model.rows] == ["002", "005"]
    panel.choose_cause(Cause.GATE_FAILED)
    assert [row.example for row in panel.model.rows] == ["005"]
    panel.table.selectRow(0)
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_E)
    assert asked == [(str(PACK), "005")]
    panel.choose_cause(None)
    panel.search.setFocus()
    qtbot.keyClicks(panel.search, "zebra")
    qtbot.waitUntil(panel.empty.isVisible)
    panel.search.clear()
    qtbot.waitUntil(panel.table.isVisible)
    place.result.figures.plot.setFocus()
    qtbot.keyClick(place.result.figures.plot, Qt.Key.Key_Right)
    assert panel.current_filter().wrong_in is not None


def test_that_an_answer_without_text_is_told_in_words(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script(parts={(0, "002"): Part(Cause.EMPTY, text=" ")}))
    started(qtbot, place)
    finished(qtbot, place)
    model = place.result.examples.model
    column = FIRST_CANDIDATE + list(model.order).index(0)
    qtbot.waitUntil(lambda: model.index(0, column).data(RUNS_ROLE) is not None)
    assert model.index(0, column).data(RUNS_ROLE).plain == "empty"


def test_that_the_search_of_another_result_is_empty_and_has_no_cross(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script(parts={(0, "002"): Part(Cause.WRONG)}))
    for _ in range(2):
        started(qtbot, place)
        finished(qtbot, place)
        search = place.result.examples.search
        assert search.text() == ""
        (cross,) = search.findChildren(QToolButton)
        qtbot.waitUntil(lambda cross=cross: cross.property("opacity") == 0)
        search.setText("zebra")
        qtbot.waitUntil(place.result.examples.empty.isVisible)
        qtbot.waitUntil(lambda cross=cross: cross.property("opacity") == 1)


def test_that_an_export_that_cannot_be_written_says_so(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    _service, place = make(Script())
    started(qtbot, place)
    finished(qtbot, place)
    qtbot.mouseClick(place.result.export, Qt.MouseButton.LeftButton)
    export = dialog(qtbot, ExportDialog)
    export.target.setFocus()
    export.target.selectAll()
    qtbot.keyClicks(export.target, str(tmp_path / "forbidden" / "report.html"))
    qtbot.mouseClick(export.write_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "may not be read or written" in export.message.text())
    assert export.written is None
    qtbot.keyClick(export, Qt.Key.Key_Escape)


def test_that_everything_that_takes_the_focus_has_a_name(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script())
    started(qtbot, place)
    finished(qtbot, place)
    nameless = [
        f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}"
        for widget in place.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not widget.accessibleName()
        and not getattr(widget, "text", lambda: "")()
        and type(widget.parentWidget()).__name__ != "QComboBoxPrivateContainer"
        and widget.parentWidget() is not None
        and widget.parentWidget().metaObject().className() != "QComboBoxPrivateContainer"
    ]
    assert nameless == []


def test_that_no_key_of_a_page_is_one_of_the_menu_bar(qtbot: QtBot, make: Make) -> None:
    _service, place = make(Script())
    started(qtbot, place)
    finished(qtbot, place)
    for page in (place.history, place.plan, place.live, place.result):
        keys = [
            text[text.index("&") + 1].upper()
            for button in page.findChildren(QAbstractButton)
            if "&" in (text := button.text()).replace("&&", "")
        ]
        assert not set(keys) & set("FEVPRWH"), (type(page).__name__, keys)
        assert len(keys) == len(set(keys)), (type(page).__name__, keys)


def test_that_another_server_can_be_chosen_and_is_remembered(qtbot: QtBot, make: Make) -> None:
    service, place = make(Script())
    planned(qtbot, place)
    options = place.plan.options
    assert not options.address.isVisible()
    options.engine.setFocus()
    qtbot.keyClick(options.engine, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: [row.choice.model.name for row in place.plan.model.rows] == ["qwen3:4b"])
    assert options.address.isVisible()
    assert not place.plan.add_file.isEnabled()
    options.address.setFocus()
    qtbot.keyClicks(options.address, "http://127.0.0.1:9")
    qtbot.keyClick(options.address, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Nothing answers" in place.plan.problem.text())
    assert not place.plan.start.isEnabled()
    options.address.clear()
    qtbot.keyClick(options.address, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: place.plan.model.rowCount() == 1)
    qtbot.keyClick(place.plan.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    finished(qtbot, place)
    assert service.last is not None
    assert (service.last.source.kind, service.last.source.endpoint) == ("ollama", None)
    place.plan_run(PACK)
    qtbot.waitUntil(lambda: place.plan.model.rowCount() == 1)
    assert place.plan.options.engine.currentText() == "Ollama"


@pytest.mark.parametrize(
    ("source", "host"),
    [
        (BUILT_IN, ""),
        (ModelSource("ollama"), SERVER_HERE),
        (ModelSource("openai", "http://127.0.0.1:8080"), SERVER_HERE),
        (ModelSource("openai", "http://[::1]:8080"), SERVER_HERE),
        (ModelSource("openai", "https://llm.example.org/v1", True), "llm.example.org"),
        (ModelSource("anthropic"), "api.anthropic.com"),
    ],
)
def test_that_sending_to_another_computer_is_told(
    qtbot: QtBot, make: Make, source: ModelSource, host: str
) -> None:
    service, place = make(Script())
    reported: list[str] = []
    place.sent_to.connect(reported.append)
    place.plan.started.emit(RunSelection(PACK, "p", tuple(service.models[:1]), source=source), ())
    finished(qtbot, place)
    assert reported == ([host] if host else [])


def test_that_a_cloud_model_behind_a_local_server_is_told_as_well() -> None:
    cloud = ModelRef("ollama", "gpt-oss:120b-cloud", remote=True)
    assert RunSelection(PACK, "p", (cloud,), source=ModelSource("ollama")).sent_to == (
        "the computer that runs gpt-oss:120b-cloud"
    )
