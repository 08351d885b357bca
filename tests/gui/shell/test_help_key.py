"""F1 opens the help where it is pressed, in a dialog that stops the window as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit
from pytestqt.qtbot import QtBot

import desktop.gui
from desktop.application.help_pages import page_names
from desktop.gui.core.window_services import WindowServices
from desktop.gui.shell.help_key import HELP_KEY
from desktop.gui.shell.help_window import PAGE_OF_DIALOG, HelpWindow
from desktop.gui.shell.main_window import MainWindow
from tests.gui.shell.test_main_window import FakeRuns, make_window

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", "does not support raise")


@pytest.fixture
def window(services: WindowServices, qtbot: QtBot) -> MainWindow:
    made = make_window(services, FakeRuns())
    qtbot.addWidget(made)
    made.show()
    qtbot.waitUntil(lambda: made.status.memory.text() == "9.4 GiB free")
    return made


def press_help_in(dialog: QDialog, qtbot: QtBot) -> HelpWindow:
    dialog.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog)
    qtbot.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_F1)
    help_window = dialog.findChild(HelpWindow)
    assert isinstance(help_window, HelpWindow)
    qtbot.waitUntil(help_window.isActiveWindow)
    return help_window


def test_that_the_key_works_in_a_dialog_with_its_own_page(window: MainWindow, qtbot: QtBot) -> None:
    window.menus.new_pack.trigger()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    shown = press_help_in(dialog, qtbot)
    assert shown.page == "packs.md"
    qtbot.keyClicks(shown.search, "typed")
    assert shown.search.text() == "typed", "the dialog does not stop its own help"
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    assert not shown.isVisible() and dialog.isVisible()
    assert press_help_in(dialog, qtbot) is shown, "one help for each dialog"
    dialog.reject()
    assert not shown.isVisible()


def test_that_any_other_dialog_has_the_page_of_its_place_and_the_key_once(
    window: MainWindow, qtbot: QtBot
) -> None:
    dialog = QDialog(window)
    QLineEdit(dialog)
    dialog.open()
    assert press_help_in(dialog, qtbot).page == "start.md"
    keys = [key for key in dialog.findChildren(QShortcut) if key.key().toString() == HELP_KEY]
    assert len(keys) == 1
    dialog.close()


def test_that_every_dialog_with_a_page_is_there_and_so_is_the_page() -> None:
    source = "".join(file.read_text("utf-8") for file in Path(desktop.gui.__path__[0]).rglob("*.py"))
    for name, page in PAGE_OF_DIALOG.items():
        assert f"class {name}(" in source
        assert page in page_names()
