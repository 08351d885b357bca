"""Assistants and dialogs over runs and bundles, in every size: named, nothing cut off, whole by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from build_scripts import dialog_scenes, work_dialog_scenes
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.theme import Scheme, Theme
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel

SCENES = {**dialog_scenes.SCENES, **work_dialog_scenes.SCENES}
KINDS = ("import", "import-japanese", "import-many", "import-faulty", "import-small", "drafting", "several")
WORK = tuple(work_dialog_scenes.SCENES)


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    runner = TaskRunner(GuiThread(qapp))
    yield runner
    runner.shutdown()


def made(kind: str, theme: Theme, tasks: TaskRunner, qtbot: QtBot, folder: Path) -> QDialog:
    def wait(holds: object) -> None:
        qtbot.waitUntil(holds)

    dialog = SCENES[kind](theme, tasks, wait, folder)
    assert isinstance(dialog, QDialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: not tasks.busy)
    QApplication.processEvents()
    return dialog


@pytest.mark.parametrize("zoom", [100, 150, 200])
@pytest.mark.parametrize("kind", (*KINDS, *WORK))
def test_that_no_words_of_a_dialog_are_cut_off(
    theme: Theme, tasks: TaskRunner, qtbot: QtBot, tmp_path: Path, kind: str, zoom: int
) -> None:
    theme.use(zoom=zoom, scheme=Scheme.DARK)
    dialog = made(kind, theme, tasks, qtbot, tmp_path)
    for label in dialog.findChildren(QLabel):
        if not label.isVisible() or not label.text() or (isinstance(label, TextLabel) and label.may_be_cut):
            continue
        needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
        assert label.height() >= needed - 1, f"“{label.text()}” is too low"
    for button in dialog.findChildren(QAbstractButton):
        if button.isVisible() and isinstance(button, Button):
            assert button.width() >= button.sizeHint().width(), button.text()
            corner = button.mapTo(dialog, button.rect().bottomRight())
            assert dialog.rect().contains(corner) or button.text() == "&Browse…", button.text()


@pytest.mark.parametrize("kind", ["import", "drafting", "several"])
def test_that_every_control_of_a_dialog_is_named_and_reached_by_tab(
    theme: Theme, tasks: TaskRunner, qtbot: QtBot, tmp_path: Path, kind: str
) -> None:
    dialog = made(kind, theme, tasks, qtbot, tmp_path)
    dialog.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    wanted = {
        widget
        for widget in dialog.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    for widget in wanted:
        interface = QAccessible.queryAccessibleInterface(widget)
        name = widget.accessibleName() or (interface.text(QAccessible.Text.Name) if interface else "")
        assert name, f"{type(widget).__name__} has no accessible name"
    reached = set()
    for _ in range(len(wanted) + 10):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    # The line inside a spin box is where the spin box's own focus goes.
    left = {widget for widget in wanted - reached if not isinstance(widget.parent(), QAbstractSpinBox)}
    assert not left, [type(widget).__name__ for widget in left]
