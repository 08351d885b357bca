"""From nothing to a valid pack of 20 examples by keyboard alone and by mouse alone; twelve faults by F8."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.gui.core.place import Place, PlaceName, RunsPlaceBase
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.editor_page import EditorPage
from desktop.gui.editor.new_pack_dialog import NewPackDialog
from desktop.gui.evidence.place import EvidencePlace
from desktop.gui.pack.pack_place import PackPlace
from desktop.gui.shell.main_window import MainWindow
from desktop.gui.start.start_place import StartPlace
from packs.task.loader import load_pack
from tests.fakes.faults import MANIFEST, PROMPT, example
from tests.fakes.starter_run import answers_of_starter

LEFT, CTRL, ALT = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
Make = Callable[[MainWindow, WindowServices, QtBot], Path]
ROWS = "\n".join(f"letter {number} about things\t{('first', 'second')[number % 2]}" for number in range(20))


class Runs(RunsPlaceBase):
    def __init__(self) -> None:
        super().__init__()
        self.planned: list[Path] = []

    def plan_run(self, folder: Path) -> None:
        self.planned.append(folder)


@pytest.fixture
def runs(qapp: QApplication) -> Runs:
    return Runs()


@pytest.fixture
def window(services: WindowServices, runs: Runs, qtbot: QtBot) -> Iterator[MainWindow]:
    others = {PlaceName.MODELS: Place(), PlaceName.EVIDENCE: EvidencePlace(services)}
    made = MainWindow(services, StartPlace(services), PackPlace(services), runs, others)
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    yield made
    made.close_unasked()


def editor_of(window: MainWindow) -> EditorPage:
    editor = window.pack.editor
    assert editor is not None
    return editor


def press(qtbot: QtBot, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """A key to whatever has the focus."""
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClick(focused, key, modifier)


def write(qtbot: QtBot, text: str) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    qtbot.keyClicks(focused, text)


def checked(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: editor_of(window).checker.is_current)


def make_by_keys(window: MainWindow, services: WindowServices, qtbot: QtBot) -> Path:
    """From nothing to a saved pack of 20 examples; returns its folder."""
    press(qtbot, Qt.Key.Key_N, CTRL)
    dialog = window.findChild(NewPackDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: QApplication.focusWidget() is dialog.name)
    write(qtbot, "Post room")
    press(qtbot, Qt.Key.Key_Return)
    folder = services.paths.documents / "post-room"
    qtbot.waitUntil(lambda: window.pack.editor is not None)
    editor = editor_of(window)
    assert editor.name == "Post room"
    assert editor.checker.errors == 2, "two stand-ins"
    qtbot.waitUntil(lambda: QApplication.focusWidget() is editor.outline.entries[0])
    # F8 leads to the first stand-in; with an input of its own it is a real example.
    press(qtbot, Qt.Key.Key_F8)
    write(qtbot, "My parcel has not come")
    press(qtbot, Qt.Key.Key_Tab)
    press(qtbot, Qt.Key.Key_A, CTRL)
    write(qtbot, "second")
    checked(window, qtbot)
    press(qtbot, Qt.Key.Key_F8)
    write(qtbot, "My invoice is wrong")
    for number in range(18):
        before = editor.examples.file
        press(qtbot, Qt.Key.Key_A, ALT)
        qtbot.waitUntil(lambda before=before: editor.examples.file != before)
        qtbot.waitUntil(editor.examples.input_field.edit.hasFocus)
        write(qtbot, f"letter {number}")
        press(qtbot, Qt.Key.Key_Tab)
        write(qtbot, ("first", "second", "other")[number % 3])
    checked(window, qtbot)
    assert editor.checker.errors == 0
    press(qtbot, Qt.Key.Key_S, CTRL)
    qtbot.waitUntil(lambda: not editor.document.modified)
    return folder


def assert_is_whole(folder: Path) -> None:
    loaded = load_pack(folder)
    assert loaded.pack is not None, loaded.problems
    assert len(loaded.pack.examples) == 20


def test_that_a_new_pack_is_made_by_keyboard_alone(
    window: MainWindow, runs: Runs, services: WindowServices, qtbot: QtBot
) -> None:
    folder = make_by_keys(window, services, qtbot)
    assert_is_whole(folder)
    press(qtbot, Qt.Key.Key_R, CTRL)
    assert runs.planned == [folder]


def click(qtbot: QtBot, widget: QWidget) -> None:
    assert widget.isVisible()
    assert widget.isEnabled()
    qtbot.mouseClick(widget, LEFT)


def click_row(qtbot: QtBot, editor: EditorPage, row: int, column: int) -> None:
    table = editor.problems.table
    box = table.visualRect(editor.problems.rows.index(row, column))
    qtbot.mouseClick(table.viewport(), LEFT, pos=box.center() if box.isValid() else QPoint(5, 5))


def make_by_mouse(window: MainWindow, services: WindowServices, qtbot: QtBot) -> Path:
    """As `make_by_keys`."""
    new = next(button for button in window.start.findChildren(QPushButton) if "mpty" in button.text())
    click(qtbot, new)
    dialog = window.findChild(NewPackDialog)
    assert dialog is not None
    click(qtbot, dialog.make_button)
    qtbot.waitUntil(lambda: window.pack.editor is not None)
    editor = editor_of(window)
    examples = next(entry for entry in editor.outline.entries if entry.text() == "Examples")
    click(qtbot, examples)
    QGuiApplication.clipboard().setText(ROWS)
    click(qtbot, editor.examples.paste_button)
    checked(window, qtbot)
    assert editor.checker.errors == 2
    click_row(qtbot, editor, 0, 1)
    click(qtbot, editor.problems.kind_button)
    checked(window, qtbot)
    assert editor.checker.errors == 0, [problem.message for problem in editor.problems.problems]
    click(qtbot, editor.bar.save_button)
    qtbot.waitUntil(lambda: not editor.document.modified)
    return services.paths.documents / "my-task"


def test_that_a_new_pack_is_made_by_mouse_alone(
    window: MainWindow, runs: Runs, services: WindowServices, qtbot: QtBot
) -> None:
    folder = make_by_mouse(window, services, qtbot)
    assert_is_whole(folder)
    click(qtbot, editor_of(window).bar.run_button)
    assert runs.planned == [folder]


@pytest.mark.engine
@pytest.mark.parametrize("make", [make_by_keys, make_by_mouse])
def test_that_a_pack_made_by_hand_runs_on_the_starter_model(
    starter_model: Path, make: Make, window: MainWindow, services: WindowServices, qtbot: QtBot
) -> None:
    assert answers_of_starter(make(window, services, qtbot), starter_model, limit=4) == 4


FAULTY = (
    MANIFEST.replace("name: desk", "name: ''")
    .replace("[billing, delivery, returns]", "[billing, delivery, Billing]")
    .replace("max_tokens: 16", "max_tokens: none")
    .replace("temperature: 0", "temperature: -1")
    .replace("runs_per_example: 1", "runs_per_example: 0")
    .replace("context: 2048", "context: 20.5")
)


def faulty_pack(folder: Path) -> Path:
    """Twelve faults: six in task.yaml, one in the prompt, five in examples."""
    files = {f"examples/{number:03d}.json": example(f"message {number}") for number in range(1, 22, 2)}
    files |= {
        f"examples/{number:03d}.json": example(f"message {number}", "delivery") for number in range(2, 22, 2)
    }
    files |= {
        "task.yaml": FAULTY,
        "prompt.md": PROMPT.replace("{{input}}", "{{ Input }}"),
        "examples/003.json": '{"input": "", "expected": "billing"}',
        "examples/005.json": example("message 5", "bill"),
        "examples/007.json": '{"input": "message 7"}',
        "examples/009.json": '{"input": "message 9", "expected": "billing"',
        "examples/011.json": example("message 1"),
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    return folder


CORRECTIONS = {
    "text_required": "desk",
    "number_required": "16",
    "integer_required": "2048",
    "negative": "0",
    "below_one": "1",
    "input_required": "message 3",
    "expected_unfit": "billing",
    "expected_missing": "delivery",
    "duplicate_input": "another message",
}


def test_that_twelve_faults_are_mended_by_twelve_f8_with_a_correction_each(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    folder = faulty_pack(tmp_path / "faulty")
    window.open_paths([str(folder)])
    qtbot.waitUntil(lambda: window.pack.editor is not None)
    editor = editor_of(window)
    real = [
        problem
        for problem in editor.problems.problems
        if problem.code not in ("label_unused", "label_not_in_prompt")
    ]
    assert len(real) == 12, [problem.code for problem in real]
    presses = 0
    while any(
        problem.code not in ("label_unused", "label_not_in_prompt") for problem in editor.problems.problems
    ):
        press(qtbot, Qt.Key.Key_F8)
        presses += 1
        problem = editor.problems.rows.row(editor.problems.table.currentIndex().row())
        if problem.code == "no_placeholder":
            write(qtbot, "{{input}}")
        elif problem.code == "json_syntax":
            press(qtbot, Qt.Key.Key_End, CTRL)
            write(qtbot, "}")
        elif problem.code == "labels_collapse":
            press(qtbot, Qt.Key.Key_Delete)
        else:
            write(qtbot, CORRECTIONS[problem.code])
        assert presses <= 12, [entry.code for entry in editor.problems.problems]
        checked(window, qtbot)
    assert presses == 12
    assert editor.problems.errors.look.text == "No problems"
    assert not editor.problems.problems, "no hint is left either"
    start = {name: (folder / name).read_bytes() for name in editor.document.content.files}
    editor.document.undo.setIndex(0)
    assert dict(editor.document.content.files) == start
