from __future__ import annotations

import errno
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from desktop.gui.core.errors import CrashDialog, CrashWindow, ErrorHooks, Sentence, details_of, sentence_for
from desktop.gui.core.tasks import GuiThread
from packs.errors import AppError


class Shown:
    def __init__(self) -> None:
        self.crashes: list[str] = []
        self.sentences: list[Sentence] = []
        self.threads: set[threading.Thread] = set()

    def crash(self, details: str) -> None:
        self.threads.add(threading.current_thread())
        self.crashes.append(details)

    def sentence(self, sentence: Sentence) -> None:
        self.threads.add(threading.current_thread())
        self.sentences.append(sentence)


@pytest.fixture
def shown(qapp: object) -> Iterator[Shown]:
    reported = Shown()
    hooks = ErrorHooks(GuiThread(), reported.crash, reported.sentence)
    hooks.install()
    yield reported
    hooks.remove()


def test_that_an_error_in_a_slot_is_logged_and_then_shown(
    qtbot: QtBot, shown: Shown, caplog: pytest.LogCaptureFixture
) -> None:
    button = QPushButton("Go")
    qtbot.addWidget(button)

    def fail() -> None:
        raise RuntimeError("a fault of ours")

    button.clicked.connect(fail)
    with caplog.at_level(logging.CRITICAL):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(shown.crashes))
    assert "RuntimeError: a fault of ours" in shown.crashes[0]
    assert "a fault of ours" in caplog.text


def test_that_an_error_on_another_thread_is_shown_on_the_gui_thread(qtbot: QtBot, shown: Shown) -> None:
    def fail() -> None:
        raise RuntimeError("off the road")

    thread = threading.Thread(target=fail, name="elsewhere")
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(shown.crashes))
    assert shown.threads == {threading.main_thread()}
    assert "Thread: elsewhere" in shown.crashes[0]


def test_that_an_error_a_person_can_act_on_is_a_sentence_and_no_crash(qtbot: QtBot, shown: Shown) -> None:
    def fail() -> None:
        raise AppError("The disk is full.", "Free some space.", code="disk_full")

    QTimer.singleShot(0, fail)
    qtbot.waitUntil(lambda: bool(shown.sentences))
    assert str(shown.sentences[0]) == "The disk is full. Free some space."
    assert not shown.crashes


def test_that_a_full_disk_is_a_sentence_and_no_mistake_of_ours(qtbot: QtBot, shown: Shown) -> None:
    """As when the one-file program unpacks a part on import, which nobody there expects to write anything."""

    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/_MEI/regex/_regex.so")

    QTimer.singleShot(0, fail)
    qtbot.waitUntil(lambda: bool(shown.sentences))
    assert (
        "No space left on device" in shown.sentences[0].message and "Free some space" in shown.sentences[0].fix
    )
    assert not shown.crashes


def test_that_the_hooks_are_given_back(qapp: object) -> None:
    before = (sys.excepthook, threading.excepthook)
    reported = Shown()
    hooks = ErrorHooks(GuiThread(), reported.crash, reported.sentence)
    hooks.install()
    assert sys.excepthook != before[0]
    hooks.remove()
    assert (sys.excepthook, threading.excepthook) == before


def test_that_details_hold_no_key_and_stay_bounded() -> None:
    error = RuntimeError("api_key=sk-abcdefgh12345678 " + "x" * 100_000)
    text = details_of(RuntimeError, error, None, "MainThread")
    assert "sk-abcdefgh12345678" not in text
    assert len(text) < 21_000


def test_that_copy_details_puts_them_on_the_clipboard_by_keyboard(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = CrashDialog("what happened", tmp_path / "packbench.log")
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.copy_button.setFocus()
    qtbot.keyClick(dialog.copy_button, Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == "what happened"
    assert dialog.text.accessibleName()
    assert not dialog.log_button.isHidden()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_that_many_mistakes_open_one_dialog(qtbot: QtBot) -> None:
    window = CrashWindow(None, None)
    with capture_exceptions() as caught:
        window.show("first")
        dialog = window.open_dialog
        assert dialog is not None
        qtbot.addWidget(dialog)
        window.show("second")
        window.show("third")
        assert dialog.windowTitle() == "Packbench made 3 mistakes"
        dialog.reject()
        assert window.open_dialog is None
    assert not caught


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (FileNotFoundError(2, "No such file", "/a/b"), "“/a/b” is not there."),
        (PermissionError(13, "Permission denied", "/a/b"), "“/a/b” may not be read or written."),
        (OSError(28, "No space left on device", "/a/b"), "No space left on device"),
        (AppError("So it is.", "Do this."), "So it is. Do this."),
        (KeyError("x"), "Packbench made a mistake here."),
    ],
)
def test_that_every_error_has_a_sentence(error: Exception, message: str) -> None:
    assert message in str(sentence_for(error))
