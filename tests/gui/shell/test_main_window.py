"""The window: places, opening, drag and drop, keyboard, state, names for assistive tools."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QWidget
from pytestqt.qtbot import QtBot

from desktop.foundation.settings import SettingsFile
from desktop.gui.core.place import Place, PlaceName, RunsPlaceBase
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.evidence.place import EvidencePlace
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.start.start_place import StartPlace
from desktop.gui.theme import Scheme, Theme
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from packs.errors import AppError


class FakeRuns(RunsPlaceBase):
    """Notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.planned: list[Path] = []
        self.models: list[Path] = []
        self.shown: list[str] = []
        self.ask_before_close = False
        self.then: Callable[[], None] | None = None
        self.action = QAction("Pause", self)

    def plan_run(self, folder: Path) -> None:
        self.planned.append(folder)

    def add_model(self, file: Path) -> None:
        self.models.append(file)

    def show_run(self, run_id: str) -> None:
        self.shown.append(run_id)

    def actions_of_menu(self) -> list[QAction]:
        return [self.action]

    def close_question(self, then: Callable[[], None]) -> bool:
        self.then = then
        return self.ask_before_close


def make_window(services: WindowServices, runs: RunsPlaceBase) -> MainWindow:
    others = {PlaceName.MODELS: Place(), PlaceName.EVIDENCE: EvidencePlace(services)}
    return MainWindow(services, StartPlace(services), PackPlace(services), runs, others)


@pytest.fixture
def runs(qapp: QApplication) -> FakeRuns:
    return FakeRuns()


@pytest.fixture
def window(services: WindowServices, runs: FakeRuns, qtbot: QtBot) -> Iterator[MainWindow]:
    made = make_window(services, runs)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.status.memory.text() == "9.4 GiB free")
    yield made


def open_and_wait(window: MainWindow, qtbot: QtBot, *paths: Path) -> None:
    with qtbot.waitSignal(window.opener.pack_opened):
        window.open_paths([str(path) for path in paths])


def editor_of(window: MainWindow) -> EditorPage:
    editor = window.pack.editor
    assert editor is not None
    return editor


def test_that_a_pack_opens_with_its_name_examples_and_no_problems(
    window: MainWindow, runs: FakeRuns, qtbot: QtBot, pack_folder: Path
) -> None:
    open_and_wait(window, qtbot, pack_folder)
    assert window.shown_place is PlaceName.PACK
    editor = editor_of(window)
    assert editor.bar.title.text() == "post-room"
    assert editor.examples.count.text() == "20 examples"
    assert not editor.problems.problems
    assert window.windowTitle() == "post-room – Packbench"
    qtbot.mouseClick(editor.bar.run_button, Qt.MouseButton.LeftButton)
    assert runs.planned == [pack_folder]
    assert window.shown_place is PlaceName.RUNS


def test_that_a_faulty_pack_shows_its_problems_and_cannot_be_run(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, make_pack: Callable[..., Path]
) -> None:
    folder = make_pack(tmp_path / "bad", "bad", prompt="no place for it: {{ Input }}, billing, returns")
    open_and_wait(window, qtbot, folder)
    editor = editor_of(window)
    assert editor.problems.problems
    assert not editor.bar.run_button.isEnabled()
    assert editor.bar.run_button.accessibleDescription()
    assert not window.menus.plan_run.isEnabled()


def test_that_checking_again_shows_what_was_mended(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, make_pack: Callable[..., Path]
) -> None:
    folder = make_pack(tmp_path / "bad", "bad", prompt="billing, returns")
    open_and_wait(window, qtbot, folder)
    (folder / "prompt.md").write_text("billing or returns? {{input}}")
    window.menus.check_pack.trigger()
    qtbot.waitUntil(editor_of(window).bar.run_button.isEnabled)


def test_that_a_zip_is_unpacked_into_the_documents(
    window: MainWindow, services: WindowServices, qtbot: QtBot, tmp_path: Path, pack_folder: Path
) -> None:
    archive = tmp_path / "sent.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for file in pack_folder.rglob("*"):
            zipped.write(file, Path("sent") / file.relative_to(pack_folder))
    open_and_wait(window, qtbot, archive)
    assert (services.paths.documents / "sent" / "task.yaml").is_file()


def test_that_a_sample_opens_as_a_copy(window: MainWindow, services: WindowServices, qtbot: QtBot) -> None:
    window.show_place(PlaceName.START)
    window.start.samples.setFocus()
    with qtbot.waitSignal(window.opener.pack_opened):
        qtbot.keyClick(window.start.samples, Qt.Key.Key_Return)
    assert (services.paths.documents / "invoices" / "task.yaml").is_file()


def test_that_a_model_file_goes_to_the_runs_and_the_settings(
    window: MainWindow, runs: FakeRuns, services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> None:
    model = tmp_path / "small.gguf"
    model.write_bytes(b"GGUF\x03\0\0\0")
    with qtbot.waitSignal(window.opener.models_added):
        window.open_paths([str(model)])
    assert runs.models == [model]
    assert services.settings.current.model_files == (str(model),)
    assert "small.gguf" in window.toast.accessibleName()


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.csv", b"", "empty"),
        ("a.pdf", b"hello", "something else"),
        ("a.docx", b"\xd0\xcf\x11\xe0", "password"),
        ("a.exe", b"MZ", "does not know"),
        ("cut.gguf", b"<html>", "something else"),
        ("broken.zip", b"PK\x03\x04", "damaged"),
    ],
)
def test_that_what_cannot_be_opened_is_answered_by_a_sentence(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, name: str, content: bytes, word: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with qtbot.waitSignal(window.opener.reported):
        window.open_paths([str(file)])
    assert window.notice.isVisible()
    assert word in window.notice.accessibleName()
    qtbot.keyClick(window.notice.button, Qt.Key.Key_Escape)
    assert not window.notice.isVisible()


def test_that_a_pack_that_is_gone_is_told(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.opener.reported):
        window.opener.open_folder(tmp_path / "gone")
    assert "not there any more" in window.notice.message.text()


def test_that_an_error_of_ours_is_shown_in_words(window: MainWindow) -> None:
    from desktop.gui.core.errors import sentence_for

    window.notify(sentence_for(AppError("The disk is full.", "Free some space.")))
    assert window.notice.accessibleName() == "The disk is full. Free some space."


# --- drag and drop -------------------------------------------------------------------------------------------


def drag(window: QWidget, paths: list[Path], *, drop: bool) -> bool:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    action, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(300, 300), action, mime, left, none)
    QApplication.sendEvent(window, enter)
    QApplication.sendEvent(window, QDragMoveEvent(QPoint(310, 300), action, mime, left, none))
    if drop:
        QApplication.sendEvent(window, QDropEvent(QPointF(310, 300), action, mime, left, none))
    return enter.isAccepted()


def test_that_a_drag_tells_what_a_drop_would_do(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, pack_folder: Path
) -> None:
    strange = tmp_path / "a.exe"
    strange.write_bytes(b"MZ")
    assert drag(window, [pack_folder, strange], drop=False)
    qtbot.waitUntil(window.overlay.isVisible)
    assert "Opens as a task pack" in window.overlay.accessibleName()
    assert "does not know" in window.overlay.accessibleName()
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window.overlay.isVisible()


@pytest.mark.parametrize("target", ["window", "area"])
def test_that_a_dropped_pack_opens(window: MainWindow, qtbot: QtBot, pack_folder: Path, target: str) -> None:
    widget = window if target == "window" else window.start.area
    with qtbot.waitSignal(window.opener.pack_opened):
        assert drag(widget, [pack_folder], drop=True)
    assert not window.overlay.isVisible()


def test_that_text_and_web_addresses_are_not_taken(window: MainWindow) -> None:
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/model.gguf")])
    event = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    event.ignore()
    QApplication.sendEvent(window, event)
    assert not window.overlay.isVisible()


# --- keyboard -----------------------------------------------------------------------------------------------


def test_that_ctrl_and_a_digit_go_to_the_places(window: MainWindow, qtbot: QtBot) -> None:
    keys = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3, Qt.Key.Key_4, Qt.Key.Key_5)
    window.activateWindow()
    for place, key in zip(PlaceName, keys, strict=True):
        qtbot.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        assert window.shown_place is place
        assert window.rail.buttons[place].isChecked()


def test_that_arrow_keys_walk_the_rail(window: MainWindow, qtbot: QtBot) -> None:
    window.show_place(PlaceName.START)
    window.rail.buttons[PlaceName.START].setFocus()
    qtbot.keyClick(window.rail.buttons[PlaceName.START], Qt.Key.Key_Down)
    assert window.shown_place is PlaceName.PACK


def test_that_f6_goes_round_all_panes(window: MainWindow, qtbot: QtBot, pack_folder: Path) -> None:
    open_and_wait(window, qtbot, pack_folder)
    seen = []
    for _ in range(4):
        window.menus.next_pane.trigger()
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.append(focused)
    assert window.rail.buttons[PlaceName.PACK] in seen
    editor = editor_of(window)
    assert editor.outline.entries[0] in seen
    assert editor.preview.text in seen
    before = QApplication.focusWidget()
    window.menus.next_pane.trigger()
    window.menus.previous_pane.trigger()
    assert QApplication.focusWidget() is before


def test_that_tab_reaches_every_control_of_start(window: MainWindow, qtbot: QtBot) -> None:
    window.show_place(PlaceName.START)
    window.start.open_button.setFocus()
    reached = set()
    for _ in range(60):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    wanted = {
        widget
        for widget in window.start.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    assert wanted <= reached


def test_that_no_key_stands_for_two_menu_entries(window: MainWindow) -> None:
    keys: dict[str, str] = {}
    for action in window.findChildren(QAction):
        for key in action.shortcuts():
            assert key.toString() not in keys, f"{action.text()} and {keys[key.toString()]}"
            keys[key.toString()] = action.text()


def test_that_mnemonics_of_a_menu_do_not_clash(window: MainWindow) -> None:
    for menu in [window.menuBar(), *window.findChildren(QMenu)]:
        letters = [
            action.text()[action.text().index("&") + 1].lower()
            for action in menu.actions()
            if "&" in action.text().replace("&&", "")
        ]
        assert len(letters) == len(set(letters)), [action.text() for action in menu.actions()]


# --- names, words, sizes -------------------------------------------------------------------------------------


def all_places(window: MainWindow, qtbot: QtBot, pack_folder: Path) -> Iterator[PlaceName]:
    open_and_wait(window, qtbot, pack_folder)
    window.notice.show_text("Something was said.", "Do this.")
    for place in PlaceName:
        window.show_place(place)
        yield place


def test_that_every_control_has_an_accessible_name(window: MainWindow, qtbot: QtBot, pack_folder: Path) -> None:
    from PySide6.QtGui import QAccessible

    for place in all_places(window, qtbot, pack_folder):
        for widget in window.findChildren(QWidget):
            if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isVisible():
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            name = widget.accessibleName() or (interface.text(QAccessible.Text.Name) if interface else "")
            assert name, f"{place}: {type(widget).__name__} has no accessible name"


@pytest.mark.parametrize("zoom", [100, 150, 200])
def test_that_no_words_are_cut_off(
    window: MainWindow, qtbot: QtBot, theme: Theme, pack_folder: Path, zoom: int
) -> None:
    theme.use(zoom=zoom)
    window.resize(1280 * zoom // 100, 800)
    for place in all_places(window, qtbot, pack_folder):
        qtbot.waitUntil(window.isVisible)
        QApplication.processEvents()
        for label in window.findChildren(QLabel):
            if not label.isVisible() or not label.text() or label.pixmap().width():
                continue
            needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
            assert label.height() >= needed - 1, f"{place} {zoom}: “{label.text()}” is too low"
            if not label.wordWrap():
                width = label.fontMetrics().horizontalAdvance(label.text())
                assert label.width() >= width - 1, f"{place} {zoom}: “{label.text()}” is too narrow"
        for button in window.findChildren(QAbstractButton):
            if button.isVisible() and isinstance(button, Button):
                assert button.width() >= button.sizeHint().width(), button.text()
                assert button.height() >= button.sizeHint().height(), button.text()


def test_that_long_german_words_fit_at_200_percent(
    window: MainWindow, qtbot: QtBot, theme: Theme, tmp_path: Path, make_pack: Callable[..., Path]
) -> None:
    theme.use(zoom=200)
    name = "donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"
    open_and_wait(window, qtbot, make_pack(tmp_path / name, name))
    window.resize(1280, 800)
    QApplication.processEvents()
    editor = editor_of(window)
    title = editor.bar.title
    assert title.isVisible()
    window.grab()
    # What has no room is cut in the middle, and the tooltip has the whole.
    assert name in (title.toolTip() or title.text())
    assert editor.bar.run_button.geometry().right() <= editor.bar.width()


def test_that_the_window_can_be_as_small_as_designed(window: MainWindow) -> None:
    for place in PlaceName:
        window.show_place(place)
        window.resize(960, 600)
        assert (window.width(), window.height()) == (960, 600)


@pytest.mark.parametrize("zoom", [80, 100, 200])
def test_that_controls_are_large_enough_to_be_hit(
    window: MainWindow, qtbot: QtBot, theme: Theme, pack_folder: Path, zoom: int
) -> None:
    theme.use(zoom=zoom)
    for place in all_places(window, qtbot, pack_folder):
        for button in window.findChildren(QAbstractButton):
            if button.isVisible() and button.focusPolicy() & Qt.FocusPolicy.TabFocus:
                least = 24 * min(zoom, 100) // 100
                assert min(button.width(), button.height()) >= least, f"{place}: {button.text()}"


def test_that_rich_text_from_outside_stays_plain(window: MainWindow) -> None:
    for label in window.findChildren(TextLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText


# --- look and state ------------------------------------------------------------------------------------------


def test_that_colours_switch_and_are_kept(window: MainWindow, theme: Theme, services: WindowServices) -> None:
    window.menus.schemes[Scheme.DARK].trigger()
    assert theme.tokens.dark
    assert services.settings.current.theme == "dark"
    QApplication.processEvents()
    dark_before = window.grab().toImage().pixelColor(1200, 740)
    window.menus.schemes[Scheme.LIGHT].trigger()
    QApplication.processEvents()
    assert window.grab().toImage().pixelColor(1200, 740).lightness() > dark_before.lightness()


def test_that_zoom_and_roominess_are_kept(window: MainWindow, theme: Theme, services: WindowServices) -> None:
    window.menus.larger.trigger()
    assert services.settings.current.zoom_percent == theme.zoom == 110
    window.menus.usual.trigger()
    assert theme.zoom == 100
    height = window.pack.reader.examples.verticalHeader().defaultSectionSize()
    window.menus.roomy.setChecked(True)
    assert window.pack.reader.examples.verticalHeader().defaultSectionSize() == height + 8
    assert services.settings.current.roomy


def test_that_size_and_place_come_back(services: WindowServices, qtbot: QtBot) -> None:
    first = make_window(services, FakeRuns())
    qtbot.addWidget(first)
    first.show()
    # The offscreen screen is 800 × 800, and a window is brought back no larger than its screen.
    first.resize(960, 700)
    first.show_place(PlaceName.EVIDENCE)
    first.close()
    kept = replace(services, settings=SettingsFile(services.paths.config))
    second = make_window(kept, FakeRuns())
    qtbot.addWidget(second)
    assert (second.width(), second.height()) == (960, 700)
    assert second.shown_place is PlaceName.EVIDENCE


@pytest.mark.parametrize("kept", ["", "not base64;start", "AAAA;nowhere", ";", "AAAA"])
def test_that_damaged_state_is_left_aside(services: WindowServices, qtbot: QtBot, kept: str) -> None:
    services.settings.change(window=kept)
    window = make_window(services, FakeRuns())
    qtbot.addWidget(window)
    assert window.shown_place is PlaceName.START
    assert window.width() >= 960


def test_that_closing_waits_for_the_answer_to_a_question(
    window: MainWindow, runs: FakeRuns, qtbot: QtBot
) -> None:
    runs.ask_before_close = True
    window.close()
    assert window.isVisible()
    assert runs.then is not None
    runs.then()
    assert not window.isVisible()


# --- start ---------------------------------------------------------------------------------------------------


def test_that_recent_packs_are_listed_and_can_be_taken_off(
    window: MainWindow, services: WindowServices, qtbot: QtBot, pack_folder: Path
) -> None:
    open_and_wait(window, qtbot, pack_folder)
    window.show_place(PlaceName.START)
    recent = window.start.recent
    qtbot.waitUntil(lambda: recent.things.rowCount() == 1)
    assert recent.things.thing(0).title == "post-room"
    recent.setFocus()
    qtbot.keyClick(recent, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: recent.things.rowCount() == 0)
    window.toast.undo_button.click()
    assert services.settings.current.recent == (str(pack_folder),)


def test_that_a_recent_pack_that_is_gone_says_so(
    window: MainWindow, services: WindowServices, qtbot: QtBot, tmp_path: Path
) -> None:
    services.settings.change(recent=(str(tmp_path / "gone"),))
    window.start.refresh()
    recent = window.start.recent
    qtbot.waitUntil(lambda: recent.things.rowCount() == 1)
    assert "not there any more" in recent.things.thing(0).plain


def test_that_the_three_steps_lead_on(window: MainWindow, runs: FakeRuns, qtbot: QtBot) -> None:
    steps = window.start.steps
    window.show_place(PlaceName.START)
    assert [button.isVisible() for button in steps.buttons] == [True, False, False]
    with qtbot.waitSignal(window.opener.pack_opened):
        steps.buttons[0].click()
    window.show_place(PlaceName.START)
    qtbot.waitUntil(steps.buttons[1].isVisible)
    steps.buttons[1].click()
    assert len(runs.planned) == 1
    window.show_place(PlaceName.START)
    steps.hide_button.click()
    assert not steps.isVisible()


def test_that_the_list_models_are_sound(window: MainWindow, qtmodeltester: object, qtbot: QtBot) -> None:
    check = qtmodeltester.check  # type: ignore[attr-defined]
    check(window.start.samples.things)
    check(window.start.recent.things)
    check(window.pack.reader.problems.problems)
    check(window.pack.reader.examples_model)


def test_that_the_run_menu_follows_the_place(window: MainWindow, runs: FakeRuns) -> None:
    window.show_place(PlaceName.RUNS)
    assert runs.action in window.menus.run_menu.actions()
    window.show_place(PlaceName.START)
    assert runs.action not in window.menus.run_menu.actions()


def test_that_the_problem_list_shrinks_to_its_heading_when_there_are_none(
    window: MainWindow, qtbot: QtBot, pack_folder: Path
) -> None:
    open_and_wait(window, qtbot, pack_folder)
    QApplication.processEvents()
    editor = editor_of(window)
    assert editor.problems.height() < 90
    assert editor.stack.height() > 400
