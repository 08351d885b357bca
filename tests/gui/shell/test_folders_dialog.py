"""Help, "Where files are kept…": every folder is named and can be opened and copied."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from desktop.application.help_pages import page_text
from desktop.foundation.paths import user_paths
from desktop.gui.core.window_services import WindowServices
from desktop.gui.shell.folders_dialog import PlacesDialog
from desktop.gui.shell.menus import Menus
from desktop.gui.shell.start_window import make_window
from desktop.gui.theme import Theme


def test_that_every_folder_is_shown_and_can_be_opened(theme: Theme, qtbot: QtBot) -> None:
    paths = user_paths()
    paths.data.mkdir(parents=True)
    opened: list[Path] = []
    dialog = PlacesDialog(theme, paths, None, open_place=opened.append)
    qtbot.addWidget(dialog)
    dialog.show()
    usable = [button for button in dialog.buttons if button.isEnabled()]
    assert len(usable) == 1 and len(dialog.buttons) == 6
    usable[0].setFocus()
    qtbot.keyClick(usable[0], Qt.Key.Key_Space)
    assert opened == [paths.data]
    dialog.copy_button.click()
    copied = QGuiApplication.clipboard().text()
    for folder in (paths.data, paths.models, paths.config, paths.logs, paths.documents, paths.cache):
        assert str(folder) in copied


def test_that_the_menu_leads_there(services: WindowServices, qtbot: QtBot) -> None:
    window = make_window(services)
    qtbot.addWidget(window)
    window.show()
    window.menus.show_places.trigger()
    dialog = window.findChild(PlacesDialog)
    assert dialog is not None and dialog.isVisible()
    dialog.accept()
    window.close()


def test_that_every_key_of_the_menus_is_in_the_help(services: WindowServices, qtbot: QtBot) -> None:
    window = make_window(services)
    qtbot.addWidget(window)
    keys = page_text("keys.md")
    assert isinstance(window.menus, Menus)
    checked = 0
    for menu in window.menuBar().actions():
        inner = menu.menu()
        assert isinstance(inner, QMenu)
        for action in inner.actions():
            for shortcut in action.shortcuts():
                message = shortcut.toString(QKeySequence.SequenceFormat.PortableText)
                # Told as a range, or a second spelling of one that is told.
                if message not in ("Ctrl+2", "Ctrl+3", "Ctrl+4", "Ctrl+=", "Ctrl+Y"):
                    assert message in keys, f"{action.text()}: {message}"
                    checked += 1
    assert checked > 20
    QApplication.processEvents()
    window.close()
