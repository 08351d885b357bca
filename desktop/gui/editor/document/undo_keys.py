"""Ctrl+Z in a field of the editor takes back a step of the document, not of the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QPlainTextEdit, QWidget

if TYPE_CHECKING:
    from desktop.gui.editor.document.document import PackDocument

DOCUMENT_UNDO = "document-undo"
"""Property of widgets whose typing is in the document's history."""


class UndoKeys(QObject):
    """Lives as long as the widget it watches: `UndoKeys(widget, document)`."""

    def __init__(self, widget: QWidget, document: PackDocument) -> None:
        super().__init__(widget)
        self._document = document
        widget.setProperty(DOCUMENT_UNDO, True)
        if isinstance(widget, QPlainTextEdit):
            widget.setUndoRedoEnabled(False)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            return False
        assert isinstance(event, QKeyEvent)
        undo = event.matches(QKeySequence.StandardKey.Undo)
        if not undo and not event.matches(QKeySequence.StandardKey.Redo):
            return False
        event.accept()
        if event.type() is QEvent.Type.KeyPress:
            stack = self._document.undo
            if undo:
                stack.undo()
            else:
                stack.redo()
        return True
