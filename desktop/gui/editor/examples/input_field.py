"""The input of an example, many lines if it has them."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.undo_keys import UndoKeys
from desktop.gui.editor.form.fields import BoundField, as_text
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.plain_text import fill, typed_into
from packs.documents.problems import Problem
from packs.task.content import UnreadableContent

STAND_IN = "replace_me"
"""The key of the examples that a new pack begins with (format, section 11)."""


class InputField(BoundField):
    """The input of the chosen example, many lines if it has them."""

    def __init__(self, theme: Theme, document: PackDocument, lines: int = 4) -> None:
        """lines: so many are seen at least."""
        self._lines = lines
        self.edit = QPlainTextEdit()
        self.edit.setTabChangesFocus(True)
        super().__init__(theme, document, "", ("input",), "&Input", self.edit)
        self._filling = False
        UndoKeys(self.edit, document)
        self.edit.textChanged.connect(self._typed)
        theme.changed.connect(self._size)
        self._size()

    def show_file(self, file: str) -> None:
        self.file = file
        self.refresh()

    def refresh(self) -> None:
        text = as_text(self.value())
        self._filling = True
        fill(self.edit, text)
        self._filling = False

    def owns(self, problem: Problem) -> bool:
        return problem.file == self.file and problem.path[:1] != ("expected",)

    def reveal(self, problem: Problem) -> QWidget:
        self.edit.setFocus()
        self.edit.selectAll()
        return self.edit

    @Slot()
    def _typed(self) -> None:
        if self._filling:
            return
        before = as_text(self.value())
        text = typed_into(self.edit, before)
        if text == before:
            return
        try:
            tree = self.document.content.tree(self.file)
        except UnreadableContent:
            tree = None
        if isinstance(tree, dict) and STAND_IN in tree:
            # With an input of its own it is no stand-in any more.
            real = {key: value for key, value in tree.items() if key != STAND_IN}
            self.path = ()
            self.send({**real, "input": text})
            self.path = ("input",)
        else:
            self.send(text)

    @Slot()
    def _size(self) -> None:
        self.edit.setFont(self._theme.font(Type.MONO))
        self.edit.setMinimumHeight(self.edit.fontMetrics().height() * self._lines)
