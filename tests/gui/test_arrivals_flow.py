"""Whatever is given to the window: understood, asked about where needed, done one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import docx
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.gui.core.place import PlaceName
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.core.window_services import WindowServices
from desktop.gui.ingest.arrivals_dialog import ArrivalsDialog
from desktop.gui.ingest.drafting_assistant import DraftingAssistant
from desktop.gui.ingest.import_assistant import ImportAssistant
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.shell.start_window import make_window
from desktop.gui.widgets.questions import Question
from tests.fakes.draft_service import ScriptedDraftService
from tests.fakes.drafting import willing

CSV = "text,label\n" + "".join(
    f"Letter number {number} about {('lamps', 'doors')[number % 2]},{('light', 'wood')[number % 2]}\n"
    for number in range(1, 25)
)


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    """With real lanes, as the program has them."""
    tasks = TaskRunner(GuiThread(qapp))
    made = make_window(replace(services, tasks=tasks), drafting=ScriptedDraftService(willing()))
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    yield made
    made.close()
    tasks.shutdown()


def dialog_of(window: MainWindow, qtbot: QtBot, kind: type[QDialog]) -> QDialog:
    qtbot.waitUntil(lambda: isinstance(window.arrivals.dialog, kind))
    dialog = window.arrivals.dialog
    assert dialog is not None
    return dialog


def import_of(window: MainWindow, qtbot: QtBot) -> ImportAssistant:
    dialog = dialog_of(window, qtbot, ImportAssistant)
    assert isinstance(dialog, ImportAssistant)
    qtbot.waitUntil(dialog.make_button.isEnabled)
    return dialog


def drop(widget: QWidget, *paths: Path) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    action, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(widget, QDragEnterEvent(QPoint(300, 300), action, mime, left, none))
    QApplication.sendEvent(widget, QDropEvent(QPointF(300, 300), action, mime, left, none))


def word_table(path: Path) -> Path:
    document = docx.Document()
    table = document.add_table(rows=9, cols=2)
    for number, row in enumerate(table.rows):
        row.cells[0].text, row.cells[1].text = (
            (f"the message number {number}", "ab"[number % 2]) if number else ("text", "label")
        )
    document.save(str(path))
    return path


def press(qtbot: QtBot, key: Qt.Key) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, key)


def test_that_a_dropped_table_becomes_a_pack_that_opens(
    window: MainWindow, services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "post.csv"
    file.write_text(CSV, encoding="utf-8")
    drop(window, file)
    assistant = import_of(window, qtbot)
    with qtbot.waitSignal(window.opener.pack_opened) as opened:
        qtbot.mouseClick(assistant.make_button, Qt.MouseButton.LeftButton)
    pack = opened.args[0]
    assert pack.folder == services.paths.documents / "post"
    assert pack.errors == 0 and pack.count == 24
    qtbot.waitUntil(lambda: window.arrivals.dialog is None)
    assert window.shown_place is PlaceName.PACK
    assert services.settings.current.recent[0] == str(pack.folder)


def test_that_notes_become_a_drafted_pack_that_opens(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("- one: a\n- two: b\n- three: c\n\nBroken lamps go to one.", encoding="utf-8")
    drop(window, file)
    assistant = dialog_of(window, qtbot, DraftingAssistant)
    assert isinstance(assistant, DraftingAssistant)
    qtbot.waitUntil(assistant.start_button.isEnabled)
    with (
        qtbot.waitSignal(window.arrivals.review_shown) as wanted,
        qtbot.waitSignal(window.opener.pack_opened) as opened,
    ):
        qtbot.mouseClick(assistant.start_button, Qt.MouseButton.LeftButton)
    assert opened.args[0].folder == wanted.args[0]
    assert opened.args[0].reviewed is False
    assert window.pack.editor is not None
    accept = window.pack.editor.review.accept_button
    qtbot.waitUntil(accept.hasFocus)


@pytest.mark.parametrize(("answer", "kind"), [(0, ImportAssistant), (1, DraftingAssistant)])
def test_that_a_word_file_that_is_mostly_a_table_is_asked_about(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, answer: int, kind: type[QDialog]
) -> None:
    window.open_paths([str(word_table(tmp_path / "table.docx"))])
    question = dialog_of(window, qtbot, Question)
    assert isinstance(question, Question)
    qtbot.mouseClick(question.buttons[answer], Qt.MouseButton.LeftButton)
    assistant = dialog_of(window, qtbot, kind)
    assistant.reject()


def test_that_several_things_are_listed_first_and_then_done_one_after_the_other(
    window: MainWindow,
    services: WindowServices,
    qtbot: QtBot,
    tmp_path: Path,
    pack_folder: Path,
    make_pack: Callable[..., Path],
) -> None:
    first, second, strange = tmp_path / "first.csv", tmp_path / "second.csv", tmp_path / "a.exe"
    first.write_text(CSV, encoding="utf-8")
    second.write_text(CSV, encoding="utf-8")
    strange.write_bytes(b"MZ\x90\x00")
    model = tmp_path / "small.gguf"
    model.write_bytes(b"GGUF\x03\0\0\0")
    other = make_pack(tmp_path / "other", "other")
    drop(window, strange, first, pack_folder, model, other, second)
    listed = dialog_of(window, qtbot, ArrivalsDialog)
    assert isinstance(listed, ArrivalsDialog)
    message = [listed.rows.index(row, 1).data() for row in range(listed.rows.rowCount())]
    assert [word.split()[0] for word in message] == ["This", "Becomes", "Opens", "Is", "Is", "Becomes"]
    assert "one pack is open at a time" in message[4]
    assert not services.settings.current.model_files
    press(qtbot, Qt.Key.Key_Return)
    assistant = import_of(window, qtbot)
    assert "first.csv" in assistant.windowTitle()
    assert services.settings.current.recent == ()
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: getattr(window.arrivals.dialog, "windowTitle", str)().endswith("second.csv"))
    assert services.settings.current.model_files == (str(model),)
    assert services.settings.current.recent == (str(pack_folder), str(other))
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.arrivals.dialog is None)


def test_that_cancelling_the_list_does_nothing(
    window: MainWindow, services: WindowServices, qtbot: QtBot, tmp_path: Path, pack_folder: Path
) -> None:
    model = tmp_path / "small.gguf"
    model.write_bytes(b"GGUF\x03\0\0\0")
    drop(window, model, pack_folder)
    dialog_of(window, qtbot, ArrivalsDialog)
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.arrivals.dialog is None)
    assert services.settings.current.model_files == ()
    assert services.settings.current.recent == ()


def test_that_a_list_of_refused_things_can_only_be_closed(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for name in ("a.exe", "b.exe"):
        (tmp_path / name).write_bytes(b"MZ\x90\x00")
    drop(window, tmp_path / "a.exe", tmp_path / "b.exe")
    listed = dialog_of(window, qtbot, ArrivalsDialog)
    assert isinstance(listed, ArrivalsDialog)
    assert listed.go_button.isHidden()
    press(qtbot, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.arrivals.dialog is None)


def test_that_what_comes_while_an_assistant_is_open_waits(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(CSV, encoding="utf-8")
    window.open_paths([str(tmp_path / "one.csv")])
    import_of(window, qtbot)
    window.open_paths([str(tmp_path / "two.csv")])
    qtbot.waitUntil(lambda: not window.services.tasks.busy)
    assert "one.csv" in import_of(window, qtbot).windowTitle()
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: getattr(window.arrivals.dialog, "windowTitle", str)().endswith("two.csv"))
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.arrivals.dialog is None)


@pytest.mark.parametrize(
    ("way", "name", "kind"),
    [
        ("button", "t.txt", ImportAssistant),
        ("menu", "t.docx", ImportAssistant),
        ("notes", "t.docx", DraftingAssistant),
        ("notes", "t.csv", DraftingAssistant),
    ],
)
def test_that_a_button_says_how_a_file_is_to_be_read(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, way: str, name: str, kind: type[QDialog]
) -> None:
    file = tmp_path / name
    if name.endswith("docx"):
        word_table(file)
    else:
        file.write_text(CSV, encoding="utf-8")
    window.show_place(PlaceName.START)
    if way == "button":
        qtbot.mouseClick(window.start.table_button, Qt.MouseButton.LeftButton)
    else:
        (window.menus.from_table if way == "menu" else window.menus.from_notes).trigger()
    chooser = window.findChild(QFileDialog)
    assert chooser is not None
    chooser.filesSelected.emit([str(file)])
    chooser.close()
    dialog_of(window, qtbot, kind).reject()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", bytes(range(256)) * 20, "is not a text file"),
        ("t.xlsx", b"PK\x03\x04 broken", "damaged"),
        ("t.jsonl", b"{nothing", "t.jsonl"),
    ],
)
def test_that_a_table_that_cannot_be_read_is_a_sentence_in_its_assistant(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    window.open_paths([str(tmp_path / name)])
    assistant = dialog_of(window, qtbot, ImportAssistant)
    assert isinstance(assistant, ImportAssistant)
    qtbot.waitUntil(lambda: message in assistant.status.text())
    assert not assistant.make_button.isEnabled()
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.arrivals.dialog is None)
    assert [entry.name for entry in tmp_path.iterdir() if entry.suffix] == [name]


@pytest.mark.parametrize(
    ("name", "content"),
    [("n.pdf", b"%PDF-1.7 nothing"), ("n.md", b"  \n "), ("n.eml", b"\n"), ("n.docx", b"PK\x03\x04 no")],
)
def test_that_a_document_that_cannot_be_read_is_a_sentence_in_its_assistant(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    window.open_paths([str(tmp_path / name)])
    assistant = dialog_of(window, qtbot, DraftingAssistant)
    assert isinstance(assistant, DraftingAssistant)
    qtbot.waitUntil(lambda: name in assistant.message.text())
    assert not assistant.start_button.isEnabled()
    press(qtbot, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.arrivals.dialog is None)
