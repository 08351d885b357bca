"""The keys by which entries of a list are edited, the same in every list of the editor."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence


class ListOwner(Protocol):
    """The field that a list is shown in."""

    def paste(self, text: str) -> None: ...
    def remove_current(self) -> None: ...
    def edit_or_add(self) -> None: ...
    def move_current(self, step: int) -> None: ...


def take_list_key(owner: ListOwner, event: QKeyEvent, *, editing: bool) -> bool:
    """Do what the key stands for; False for a key that the view itself has to take.

    editing: a line is being typed into. What it did not take, such as the Enter that ended it, is nothing.
    """
    if event.matches(QKeySequence.StandardKey.Paste):
        owner.paste(QGuiApplication.clipboard().text())
    elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
        owner.remove_current()
    elif editing:
        event.ignore()
    elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        owner.edit_or_add()
    elif (
        event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and event.modifiers() & Qt.KeyboardModifier.AltModifier
    ):
        owner.move_current(-1 if event.key() == Qt.Key.Key_Up else 1)
    else:
        return False
    return True
