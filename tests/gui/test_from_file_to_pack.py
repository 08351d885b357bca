"""From a file to a pack that is ready: by keyboard alone and by mouse alone, with real events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from desktop.gui.core.place import PlaceName
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.ingest.drafting_assistant import DraftingAssistant
from desktop.gui.ingest.import_assistant import ImportAssistant
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.start_window import make_window
from packs.task.loader import load_pack
from packs.task.review import REVIEW_FILE
from tests.fakes.draft_service import ScriptedDraftService
from tests.fakes.drafting import willing
from tests.fakes.starter_run import answers_of_starter

RUNBOOK = Path(__file__).parents[1] / "fixtures" / "documents" / "front-desk-runbook.md"
CSV = "nummer;text;abteilung\n" + "".join(
    f"{number};Die Lampe in Raum {number} flackert seit gestern, siehe {number},50 Euro;"
    f"{('Technik', 'Verwaltung')[number % 2]}\n"
    for number in range(1, 25)
)
NONE = Qt.KeyboardModifier.NoModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    tasks = TaskRunner(GuiThread(qapp))
    made = make_window(replace(services, tasks=tasks), drafting=ScriptedDraftService(willing()))
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    made.activateWindow()
    yield made
    made.close()
    tasks.shutdown()


def key(qtbot: QtBot, which: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
    """To whatever has the focus, as a keyboard does."""
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, which, modifier)


def write(qtbot: QtBot, text: str) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClicks(focused, text)


def tab_to(qtbot: QtBot, wanted: QWidget) -> None:
    """By Tab alone."""
    for _ in range(60):
        if wanted.hasFocus():
            return
        key(qtbot, Qt.Key.Key_Tab)
    pytest.fail(f"Tab does not reach {wanted.accessibleName() or wanted}")


def click(qtbot: QtBot, widget: QWidget) -> None:
    place = QPoint(8, widget.height() // 2) if isinstance(widget, QCheckBox) else widget.rect().center()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)


def drop(widget: QWidget, path: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    action, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    QApplication.sendEvent(widget, QDragEnterEvent(QPoint(300, 300), action, mime, left, NONE))
    QApplication.sendEvent(widget, QDropEvent(QPointF(300, 300), action, mime, left, NONE))


def choose_by_keys(window: MainWindow, qtbot: QtBot, button: QWidget, file: Path) -> None:
    """Through the file dialog: its name is put there, Enter takes it."""
    tab_to(qtbot, button)
    key(qtbot, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    chooser = QApplication.activeModalWidget()
    assert chooser is not None
    line = chooser.findChild(QLineEdit, "fileNameEdit")
    assert isinstance(line, QLineEdit)
    qtbot.waitUntil(line.hasFocus)
    # Put there at once: while one types, the dialog completes names in a window of its own.
    line.setText(str(file))
    key(qtbot, Qt.Key.Key_Return)


def import_of(window: MainWindow, qtbot: QtBot) -> ImportAssistant:
    qtbot.waitUntil(lambda: isinstance(window.arrivals.dialog, ImportAssistant))
    dialog = window.arrivals.dialog
    assert isinstance(dialog, ImportAssistant)
    qtbot.waitUntil(dialog.make_button.isEnabled)
    return dialog


def drafting_of(window: MainWindow, qtbot: QtBot) -> DraftingAssistant:
    qtbot.waitUntil(lambda: isinstance(window.arrivals.dialog, DraftingAssistant))
    dialog = window.arrivals.dialog
    assert isinstance(dialog, DraftingAssistant)
    qtbot.waitUntil(dialog.start_button.isEnabled)
    return dialog


@pytest.mark.engine
def test_that_a_pack_from_a_csv_runs_on_the_starter_model(
    starter_model: Path, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "lamps.csv"
    file.write_text(CSV, encoding="utf-8")
    folder = import_by_mouse(window, qtbot, file)
    assert answers_of_starter(folder, starter_model, limit=4) == 4


def assert_opened_without_problems(window: MainWindow, qtbot: QtBot, name: str) -> Path:
    qtbot.waitUntil(lambda: window.pack.editor is not None)
    editor = window.pack.editor
    assert editor is not None
    assert window.shown_place is PlaceName.PACK
    assert editor.name == name
    assert editor.checker.errors == 0, editor.checker.problems
    assert editor.bar.run_button.isEnabled()
    pack = load_pack(editor.document.folder).pack
    assert pack is not None
    assert pack.scorer == "exact-label"
    assert len(pack.examples) == 24
    return editor.document.folder


def test_that_by_keyboard_alone_a_csv_becomes_a_pack_without_problems(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "faults.csv"
    file.write_bytes(CSV.encode("cp1252"))
    window.start.open_button.setFocus()
    choose_by_keys(window, qtbot, window.start.table_button, file)
    assistant = import_of(window, qtbot)
    assert assistant.input_box.hasFocus()
    assert assistant.input_box.currentText() == "text"
    number = next(box for box in assistant.expected_boxes if box.property("column") == "nummer")
    label = next(box for box in assistant.expected_boxes if box.property("column") == "abteilung")
    for box, wanted in ((number, False), (label, True)):
        if box.isChecked() is not wanted:
            tab_to(qtbot, box)
            key(qtbot, Qt.Key.Key_Space)
    qtbot.waitUntil(assistant.make_button.isEnabled)
    tab_to(qtbot, assistant.name_line)
    key(qtbot, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    write(qtbot, "lamp desk")
    assert assistant.folder_line.text().endswith("lamp-desk")
    with qtbot.waitSignal(window.opener.pack_opened):
        key(qtbot, Qt.Key.Key_Return)
    assert_opened_without_problems(window, qtbot, "lamp desk")


def test_that_by_mouse_alone_a_csv_becomes_a_pack_without_problems(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "lamps.csv"
    file.write_text(CSV, encoding="utf-8")
    import_by_mouse(window, qtbot, file)


def import_by_mouse(window: MainWindow, qtbot: QtBot, file: Path) -> Path:
    """Returns the folder of the pack, which is open."""
    drop(window, file)
    assistant = import_of(window, qtbot)
    for box in assistant.expected_boxes:
        if box.isEnabled() and box.isChecked() is not (box.property("column") == "abteilung"):
            click(qtbot, box)
    qtbot.waitUntil(assistant.make_button.isEnabled)
    with qtbot.waitSignal(window.opener.pack_opened):
        click(qtbot, assistant.make_button)
    return assert_opened_without_problems(window, qtbot, "lamps")


@pytest.mark.parametrize("way", ["keys", "mouse"])
def test_that_a_runbook_becomes_a_drafted_pack_that_is_reviewed_to_the_end(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, way: str
) -> None:
    file = tmp_path / RUNBOOK.name
    file.write_bytes(RUNBOOK.read_bytes())
    if way == "keys":
        window.start.open_button.setFocus()
        choose_by_keys(window, qtbot, window.start.notes_button, file)
    else:
        drop(window, file)
    assistant = drafting_of(window, qtbot)
    with qtbot.waitSignal(window.arrivals.review_shown):
        if way == "keys":
            assert assistant.start_button.hasFocus()
            key(qtbot, Qt.Key.Key_Return)
        else:
            click(qtbot, assistant.start_button)
    editor = window.pack.editor
    assert editor is not None
    review = editor.review
    qtbot.waitUntil(review.accept_button.hasFocus)
    folder = editor.document.folder
    assert manifest(folder)["provenance"]["reviewed"] is False
    for place in range(24):
        assert "All decided" not in review.state.text()
        if place == 1:
            edit(qtbot, review.edit_button, review.input_field.edit, review.accept_button, way)
        elif place == 2:
            decide(qtbot, review.reject_button, Qt.Key.Key_R, way)
        else:
            decide(qtbot, review.accept_button, Qt.Key.Key_A, way)
    assert review.state.text().startswith("All decided")
    assert not editor.document.modified, "every decision is saved at once"
    assert manifest(folder)["provenance"]["reviewed"] is True
    states = [
        entry["state"] for entry in json.loads((folder / REVIEW_FILE).read_text("utf-8"))["examples"].values()
    ]
    assert (states.count("accepted"), states.count("edited"), states.count("rejected")) == (22, 1, 1)
    pack = load_pack(folder).pack
    assert pack is not None
    assert len(pack.examples) == 23
    assert any(example.input.endswith("urgently") for example in pack.examples)


def decide(qtbot: QtBot, button: QWidget, letter: Qt.Key, way: str) -> None:
    if way == "keys":
        key(qtbot, letter)
    else:
        click(qtbot, button)


def edit(qtbot: QtBot, button: QWidget, field: QWidget, accept: QWidget, way: str) -> None:
    """Into the text, to its end, a word more; Ctrl+Enter or the button accepts it as changed."""
    decide(qtbot, button, Qt.Key.Key_E, way)
    qtbot.waitUntil(field.hasFocus)
    key(qtbot, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    write(qtbot, " urgently")
    if way == "keys":
        key(qtbot, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    else:
        click(qtbot, accept)


def manifest(folder: Path) -> dict[str, dict[str, object]]:
    found = yaml.safe_load((folder / "task.yaml").read_text("utf-8"))
    assert isinstance(found, dict)
    return found
