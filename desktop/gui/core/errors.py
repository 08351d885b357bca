"""Errors that nobody caught: logged first, then told once, on the GUI thread, in words a person can use.

PySide6 sends what slots, virtual methods and `QThread.run` raise to `sys.excepthook`, the last on the worker's
own thread; plain threads use `threading.excepthook`. Both are taken over here.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QFont, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop.foundation.error_messages import Sentence as Sentence
from desktop.foundation.error_messages import details_of as details_of
from desktop.foundation.error_messages import disk_is_full
from desktop.foundation.error_messages import sentence_for as sentence_for
from desktop.gui.core.tasks import GuiThread
from desktop.gui.widgets.plain_text import fill
from packs.errors import AppError

log = logging.getLogger(__name__)

TEXTS = (
    "What is saved is safe, and you can go on working. Copy the details and pass them on, so that it can be "
    "mended."
)


class CrashDialog(QDialog):
    """Says that a fault of ours happened, gives the details to copy and the way to the log."""

    def __init__(
        self, details: str, log_file: Path | None, parent: QWidget | None = None, *, message: str = TEXTS
    ) -> None:
        super().__init__(parent)
        self._details = details
        self._log_file = log_file
        self.setWindowTitle("Packbench made a mistake")
        self.setMinimumWidth(560)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        self.heading = QLabel("Packbench made a mistake", self)
        # The dialog stands on its own: it must open even when the theme is what failed.
        large = QFont(self.heading.font())
        large.setPointSizeF(large.pointSizeF() * 1.3)
        large.setWeight(QFont.Weight.DemiBold)
        self.heading.setFont(large)
        reported = QLabel(self)
        # The theme may be what failed, so the format is set here as well.
        reported.setTextFormat(Qt.TextFormat.PlainText)
        reported.setText(message)
        reported.setWordWrap(True)
        self.text = QPlainTextEdit(self)
        fill(self.text, details, editable=False)
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setAccessibleName("Details of the mistake")
        self.text.setTabChangesFocus(True)
        self.text.setMinimumHeight(self.fontMetrics().lineSpacing() * 9)

        buttons = QDialogButtonBox(self)
        self.copy_button = QPushButton("Copy details", self)
        buttons.addButton(self.copy_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.clicked.connect(self.copy_details)
        self.log_button = QPushButton("Show the log", self)
        if log_file is not None:
            buttons.addButton(self.log_button, QDialogButtonBox.ButtonRole.ActionRole)
            self.log_button.clicked.connect(self.show_log)
        else:
            self.log_button.hide()
        close = buttons.addButton("Go on", QDialogButtonBox.ButtonRole.RejectRole)
        close.setDefault(True)
        buttons.rejected.connect(self.reject)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(8)
        layout.addWidget(self.heading)
        layout.addWidget(reported)
        layout.addWidget(self.text, 1)
        if log_file is not None:
            place = QLabel(self)
            place.setTextFormat(Qt.TextFormat.PlainText)
            place.setText(f"It is kept in {log_file}")
            place.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            place.setWordWrap(True)
            layout.addWidget(place)
        layout.addWidget(buttons)
        close.setFocus()

    @Slot()
    def copy_details(self) -> None:
        QGuiApplication.clipboard().setText(self._details)
        self.copy_button.setText("Copied")

    @Slot()
    def show_log(self) -> None:
        if self._log_file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._log_file)))


ShowCrash = Callable[[str], None]
ShowSentence = Callable[[Sentence], None]


class ErrorHooks:
    """Takes over both hooks between `install` and `remove`. Never raises itself."""

    def __init__(self, gui: GuiThread, show_crash: ShowCrash, show_sentence: ShowSentence) -> None:
        """show_crash(details) and show_sentence(sentence) are called on the GUI thread."""
        self._gui = gui
        self._show_crash = show_crash
        self._show_sentence = show_sentence
        self._old = (sys.excepthook, threading.excepthook)

    def install(self) -> None:
        self._old = (sys.excepthook, threading.excepthook)
        sys.excepthook = self._on_error
        threading.excepthook = self._on_thread_error

    def remove(self) -> None:
        sys.excepthook, threading.excepthook = self._old

    def report(self, error: BaseException) -> None:
        """The same way for an error that a background job brought. Any thread."""
        self._on_error(type(error), error, error.__traceback__)

    def _on_error(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._old[0](kind, error, trace)
            return
        where = threading.current_thread().name
        if isinstance(error, AppError) or disk_is_full(error):
            log.warning("an error reached the window: %s", error)
            self._gui.call(partial(self._show_sentence, sentence_for(error)))
            return
        log.critical("an error that nobody caught, on %s", where, exc_info=(kind, error, trace))
        self._gui.call(partial(self._show_crash, details_of(kind, error, trace, where)))

    def _on_thread_error(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is None or issubclass(args.exc_type, SystemExit):
            return
        self._on_error(args.exc_type, args.exc_value, args.exc_traceback)


class CrashWindow:
    """Shows one crash dialog at a time; the details of later mistakes are added to the one that is open."""

    def __init__(self, parent: QWidget | None, log_file: Path | None) -> None:
        self._parent = parent
        self._log_file = log_file
        self.open_dialog: CrashDialog | None = None
        self._more = 0

    def show(self, details: str) -> None:
        if self.open_dialog is not None:
            self._more += 1
            self.open_dialog.setWindowTitle(f"Packbench made {self._more + 1} mistakes")
            return
        self._more = 0
        dialog = CrashDialog(details, self._log_file, self._parent)
        dialog.finished.connect(self._closed)
        self.open_dialog = dialog
        dialog.open()

    def _closed(self, _result: int) -> None:
        self.open_dialog = None
