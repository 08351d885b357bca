"""F1 in a dialog. The window's own key does not reach there: a dialog in front takes all keys for itself."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QDialog

from desktop.gui.shell.help_window import HelpWindow

HELP_KEY = "F1"


class HelpKey(QObject):
    """Gives the key to each dialog that comes to the front. show: opens the help for the dialog it is given."""

    def __init__(self, show: Callable[[QDialog], None], parent: QObject) -> None:
        super().__init__(parent)
        self._show = show
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.focusWindowChanged.connect(self._give)

    @Slot()
    def _give(self) -> None:
        dialog = QApplication.activeWindow()
        if not isinstance(dialog, QDialog) or isinstance(dialog, HelpWindow):
            return
        if not any(key.key() == QKeySequence(HELP_KEY) for key in dialog.findChildren(QShortcut)):
            QShortcut(QKeySequence(HELP_KEY), dialog).activated.connect(self._asked)

    @Slot()
    def _asked(self) -> None:
        dialog = QApplication.activeWindow()
        if isinstance(dialog, QDialog):
            self._show(dialog)


def help_over(dialog: QDialog, make: Callable[[QDialog], HelpWindow]) -> HelpWindow:
    """The help of this dialog, made once and closed with it. Its child: a modal dialog stops other windows."""
    found = dialog.findChild(HelpWindow)
    if not isinstance(found, HelpWindow):
        found = make(dialog)
        dialog.finished.connect(found.close)
    return found
