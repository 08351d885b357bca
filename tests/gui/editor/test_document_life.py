"""An open pack in the window: saved, copied, changed by others, given up, found again after a crash."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.application.recovery_copies import RecoveryFolder
from desktop.gui.core.place import Place, PlaceName, RunsPlaceBase
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.compare_disk import DiskDifferenceDialog
from desktop.gui.editor.document.kept_work import RECOVERY_MS
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.form.fields import TextField
from desktop.gui.evidence.place import EvidencePlace
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.start.start_place import StartPlace
from desktop.gui.theme import Scheme, Theme
from desktop.gui.widgets.questions import Question
from desktop.ingest.pack_copies import unpack_pack


class QuietRuns(RunsPlaceBase):
    def __init__(self) -> None:
        super().__init__()
        self.planned: list[Path] = []
        self.asks = False
        self.then: Callable[[], None] | None = None

    def plan_run(self, folder: Path) -> None:
        self.planned.append(folder)

    def close_question(self, then: Callable[[], None]) -> bool:
        self.then = then
        return self.asks


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot, pack_folder: Path) -> Iterator[MainWindow]:
    made = make_window(services)
    qtbot.addWidget(made)
    made.show()
    open_pack(made, qtbot, pack_folder)
    yield made
    made.close_unasked()


def make_window(services: WindowServices) -> MainWindow:
    others = {PlaceName.MODELS: Place(), PlaceName.EVIDENCE: EvidencePlace(services)}
    return MainWindow(services, StartPlace(services), PackPlace(services), QuietRuns(), others)


def open_pack(window: MainWindow, qtbot: QtBot, folder: Path) -> EditorPage:
    with qtbot.waitSignal(window.opener.pack_opened):
        window.open_paths([str(folder)])
    return editor_of(window)


def editor_of(window: MainWindow) -> EditorPage:
    editor = window.pack.editor
    assert editor is not None
    return editor


def name_line(window: MainWindow) -> QLineEdit:
    editor = editor_of(window)
    editor.select(0)
    field = editor.sections[0].fields[0]
    assert isinstance(field, TextField)
    return field.line


def type_name(window: MainWindow, qtbot: QtBot, text: str) -> None:
    line = name_line(window)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)


def question(window: MainWindow) -> Question:
    return next(dialog for dialog in window.findChildren(Question) if dialog.isVisible())


def quiet(runs: RunsPlaceBase) -> QuietRuns:
    assert isinstance(runs, QuietRuns)
    return runs


def test_that_the_title_has_a_star_until_it_is_saved(
    window: MainWindow, qtbot: QtBot, pack_folder: Path
) -> None:
    type_name(window, qtbot, "letters")
    assert window.windowTitle() == "letters* – Packbench"
    qtbot.keyClick(name_line(window), Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert window.windowTitle() == "letters – Packbench"
    assert b"name: letters" in (pack_folder / "task.yaml").read_bytes()


def test_that_undo_is_named_in_the_menu_and_works_in_a_field(
    window: MainWindow, qtbot: QtBot, pack_folder: Path
) -> None:
    before = (pack_folder / "task.yaml").read_bytes()
    type_name(window, qtbot, "letters")
    undo = next(action for action in window.findChildren(QAction) if action.data() == "undo")
    assert undo.text() == "&Undo: change name"
    qtbot.keyClick(name_line(window), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert name_line(window).text() == "post-room"
    assert editor_of(window).document.content.files["task.yaml"] == before
    assert window.windowTitle() == "post-room – Packbench"
    undo.trigger()
    redo = next(action for action in window.findChildren(QAction) if action.data() == "redo")
    redo.trigger()
    assert name_line(window).text() == "letters"


def test_that_undo_in_the_search_field_is_its_own(window: MainWindow, qtbot: QtBot) -> None:
    type_name(window, qtbot, "letters")
    window.menus.find.trigger()
    search = editor_of(window).examples.search
    assert QApplication.focusWidget() is search
    qtbot.keyClicks(search, "number 3")
    qtbot.keyClick(search, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert search.text() != "number 3"
    assert name_line(window).text() == "letters"


def test_that_a_run_saves_first(window: MainWindow, qtbot: QtBot, pack_folder: Path) -> None:
    type_name(window, qtbot, "letters")
    window.menus.plan_run.trigger()
    assert quiet(window.runs).planned == [pack_folder]
    assert b"name: letters" in (pack_folder / "task.yaml").read_bytes()


@pytest.mark.parametrize(("answer", "saved", "closed"), [(0, True, True), (1, False, True), (2, False, False)])
def test_that_closing_with_changes_asks_once(
    window: MainWindow,
    services: WindowServices,
    qtbot: QtBot,
    pack_folder: Path,
    answer: int,
    saved: bool,
    closed: bool,
) -> None:
    type_name(window, qtbot, "letters")
    window.close()
    assert window.isVisible()
    asked = question(window)
    buttons = [*asked.buttons, asked.safe]
    qtbot.mouseClick(buttons[answer], Qt.MouseButton.LeftButton)
    assert window.isVisible() is not closed
    assert (b"name: letters" in (pack_folder / "task.yaml").read_bytes()) is saved
    assert RecoveryFolder(services.paths.recovery).all() == []


def test_that_after_the_pack_the_runs_are_asked_too(window: MainWindow, qtbot: QtBot) -> None:
    quiet(window.runs).asks = True
    type_name(window, qtbot, "letters")
    window.close()
    qtbot.mouseClick(question(window).buttons[0], Qt.MouseButton.LeftButton)
    then = quiet(window.runs).then
    assert window.isVisible()
    assert then is not None
    then()
    assert not window.isVisible()


def test_that_another_pack_is_opened_only_after_the_question(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, make_pack: Callable[..., Path]
) -> None:
    other = make_pack(tmp_path / "other", "other")
    type_name(window, qtbot, "letters")
    open_pack(window, qtbot, other)
    assert window.windowTitle() == "letters* – Packbench"
    question(window).reject()
    assert editor_of(window).name == "letters"
    open_pack(window, qtbot, other)
    qtbot.mouseClick(question(window).buttons[1], Qt.MouseButton.LeftButton)
    assert window.windowTitle() == "other – Packbench"


def test_that_a_result_leads_to_its_example(window: MainWindow, qtbot: QtBot, pack_folder: Path) -> None:
    type_name(window, qtbot, "letters")
    window.show_place(PlaceName.RUNS)
    with qtbot.waitSignal(window.opener.pack_opened):
        window.runs.edit_asked.emit(str(pack_folder), "007")
    assert window.shown_place is PlaceName.PACK
    editor = editor_of(window)
    assert editor.examples.file == "examples/007.json"
    assert QApplication.focusWidget() is editor.examples.input_field.edit
    assert editor.name == "letters"


def test_that_save_as_goes_on_there_and_is_remembered(
    window: MainWindow, services: WindowServices, qtbot: QtBot, pack_folder: Path, tmp_path: Path
) -> None:
    (pack_folder / "README.md").write_text("for my colleagues")
    type_name(window, qtbot, "letters")
    with qtbot.waitSignal(editor_of(window).life.copies.saved_as):
        editor_of(window).life.copies.save_as(tmp_path / "saved")
    assert editor_of(window).document.folder == tmp_path / "saved"
    assert (tmp_path / "saved" / "README.md").read_text() == "for my colleagues"
    assert b"name: post-room" in (pack_folder / "task.yaml").read_bytes()
    assert services.settings.current.recent[0] == str(tmp_path / "saved")
    assert window.pack.pack is not None
    assert window.pack.pack.folder == tmp_path / "saved"


def test_that_a_duplicate_can_be_opened_and_the_first_stays(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    editor = editor_of(window)
    editor.life.copies.duplicate(tmp_path / "copy")
    qtbot.waitUntil(lambda: len(editor.notice.actions_row) == 1)
    assert editor.document.folder.name == "post-room"
    with qtbot.waitSignal(window.opener.pack_opened):
        qtbot.mouseClick(editor.notice.actions_row[0], Qt.MouseButton.LeftButton)
    assert editor_of(window).document.folder == tmp_path / "copy"
    again = editor_of(window)
    again.life.copies.duplicate(tmp_path / "copy")
    qtbot.waitUntil(lambda: "not an empty folder" in again.notice.message.text())


def test_that_an_exported_zip_opens_again(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    type_name(window, qtbot, "letters")
    target = tmp_path / "sent.zip"
    editor_of(window).life.copies.export_zip(str(target))
    qtbot.waitUntil(target.is_file)
    with zipfile.ZipFile(target) as archive:
        assert "post-room/task.yaml" in archive.namelist()
    folder = unpack_pack(target, tmp_path / "received")
    assert b"name: letters" in (folder / "task.yaml").read_bytes()


def test_that_a_folder_that_cannot_be_written_gets_save_as(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise PermissionError(13, "Permission denied", "task.yaml")

    monkeypatch.setattr("packs.documents.writer.write_atomically", refuse)
    type_name(window, qtbot, "letters")
    editor = editor_of(window)
    assert not editor.life.save()
    assert "cannot be saved" in editor.notice.message.text()
    assert [button.text() for button in editor.notice.actions_row] == ["Save &as…"]
    assert editor.document.modified


# --- written by others ---------------------------------------------------------------------------------------


def write_outside(file: Path, content: str) -> None:
    file.write_text(content, "utf-8")
    status = file.stat()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 5_000_000_000))


def come_back(window: MainWindow) -> None:
    """The window becomes active again."""
    QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))
    QApplication.processEvents()


def test_that_what_others_wrote_is_taken_over_when_nothing_is_lost(
    window: MainWindow, qtbot: QtBot, pack_folder: Path
) -> None:
    write_outside(pack_folder / "prompt.md", "billing or returns: {{input}}\n")
    come_back(window)
    editor = editor_of(window)
    qtbot.waitUntil(lambda: editor.document.content.text("prompt.md").startswith("billing or"))
    assert "prompt.md" in editor.notice.message.text()
    assert not editor.document.modified
    editor.document.undo.undo()
    assert editor.document.content.text("prompt.md").startswith("Which label")


@pytest.mark.parametrize("answer", [0, 1])
def test_that_a_clash_with_others_is_asked(
    window: MainWindow, qtbot: QtBot, pack_folder: Path, answer: int
) -> None:
    type_name(window, qtbot, "mine")
    write_outside(
        pack_folder / "task.yaml", (pack_folder / "task.yaml").read_text().replace("post-room", "theirs")
    )
    come_back(window)
    editor = editor_of(window)
    qtbot.waitUntil(lambda: len(editor.notice.actions_row) == 3)
    qtbot.mouseClick(editor.notice.actions_row[answer], Qt.MouseButton.LeftButton)
    reported = ("Yours is kept.", "Theirs is taken.")[answer]
    qtbot.waitUntil(lambda: editor.notice.message.text().startswith(reported))
    assert editor.life.save()
    assert f"name: {('mine', 'theirs')[answer]}".encode() in (pack_folder / "task.yaml").read_bytes()


def test_that_saving_over_others_is_asked_and_can_be_compared(
    window: MainWindow, qtbot: QtBot, pack_folder: Path
) -> None:
    type_name(window, qtbot, "mine")
    write_outside(
        pack_folder / "task.yaml", (pack_folder / "task.yaml").read_text().replace("post-room", "theirs")
    )
    editor = editor_of(window)
    assert not editor.life.save()
    qtbot.mouseClick(editor.notice.actions_row[2], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.findChild(DiskDifferenceDialog) is not None)
    dialog = window.findChild(DiskDifferenceDialog)
    assert dialog is not None
    shown = dialog.view.toPlainText()
    assert "theirs" in shown
    assert "mine" in shown
    qtbot.mouseClick(dialog.keep_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: editor.notice.message.text().startswith("Yours is kept."))
    assert editor.life.save()
    assert b"name: mine" in (pack_folder / "task.yaml").read_bytes()


# --- after a crash -------------------------------------------------------------------------------------------


def test_that_a_copy_is_made_within_half_a_minute_of_the_first_change(window: MainWindow, qtbot: QtBot) -> None:
    life = editor_of(window).life
    assert RECOVERY_MS <= 30_000
    type_name(window, qtbot, "letters")
    left = life.kept.timer.remainingTime()
    qtbot.waitUntil(lambda: life.kept.timer.remainingTime() < left - 20)
    type_name(window, qtbot, "other letters")
    assert life.kept.timer.remainingTime() < left, "typing on must not put it off"


def test_that_work_of_a_crash_is_offered_at_the_next_start(
    window: MainWindow, services: WindowServices, qtbot: QtBot, pack_folder: Path
) -> None:
    type_name(window, qtbot, "letters")
    editor_of(window).life.kept.timer.timeout.emit()
    copies = RecoveryFolder(services.paths.recovery)
    qtbot.waitUntil(lambda: len(copies.all()) == 1)

    second = make_window(services)
    qtbot.addWidget(second)
    second.show()
    qtbot.waitUntil(lambda: len(second.notice.actions_row) == 1)
    with qtbot.waitSignal(second.opener.pack_opened):
        qtbot.mouseClick(second.notice.actions_row[0], Qt.MouseButton.LeftButton)
    editor = editor_of(second)
    assert editor.name == "post-room"
    qtbot.mouseClick(editor.notice.actions_row[0], Qt.MouseButton.LeftButton)
    assert editor.name == "letters"
    assert editor.life.save()
    assert copies.all() == []
    assert b"name: letters" in (pack_folder / "task.yaml").read_bytes()
    # Nothing of it goes on while it is taken apart.
    assert second.close()


def test_that_colours_and_sizes_change_nothing_in_the_pack(
    window: MainWindow, theme: Theme, qtbot: QtBot, pack_folder: Path
) -> None:
    editor = editor_of(window)
    for place in range(len(editor.sections)):
        editor.select(place)
        for scheme, zoom in ((Scheme.DARK, 150), (Scheme.LIGHT, 100)):
            theme.use(scheme=scheme, zoom=zoom)
            QApplication.processEvents()
            assert not editor.document.modified, editor.sections[place].title
    assert editor.document.undo.count() == 0


def test_that_the_preview_is_a_page_of_its_own_in_a_narrow_window(
    window: MainWindow, theme: Theme, qtbot: QtBot
) -> None:
    editor = editor_of(window)
    entry = editor.outline.entries[-1]
    window.resize(1280, 800)
    QApplication.processEvents()
    assert editor.preview.isVisible()
    assert not entry.isVisible()
    window.resize(960, 600)
    QApplication.processEvents()
    assert entry.isVisible()
    assert not editor.preview.isVisible()
    qtbot.mouseClick(entry, Qt.MouseButton.LeftButton)
    assert editor.preview.isVisible()
    assert "Letter number 1 " in editor.preview.text.toPlainText()
    window.resize(1280, 800)
    QApplication.processEvents()
    assert editor.preview.isVisible()
    assert editor.stack_section() is editor.sections[0]
    assert editor.stack.width() > editor.preview.width() * 1.5, "the form has most of the room again"
