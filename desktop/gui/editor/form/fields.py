"""Fields that are bound to a place in the document: they show its value and send what the person types.

A value that no field of its kind can show (a number where a text is due) is shown as it is written, so that it
can be seen and corrected.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.example_edits import number_or_text
from desktop.gui.editor.document.undo_keys import UndoKeys
from desktop.gui.theme import Theme
from desktop.gui.widgets.field_frame import FieldFrame
from packs.documents.problems import FieldPath, Problem, Severity
from packs.errors import AppError
from packs.task.content import UnreadableContent
from packs.task.fixes import fix_for

ABSENT = object()


class BoundField(FieldFrame):
    """A framed field for the value at `path` in `file`. Subclasses show a value and read one."""

    refused = Signal(str)
    """An edit that could not be made, as a sentence."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        file: str,
        path: FieldPath,
        label: str,
        widget: QWidget,
        *,
        note: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, label, widget, note=note, parent=parent)
        self.document = document
        self.file = file
        self.path = path
        self._problem_now: Problem | None = None
        self.fix_asked.connect(self._fix_it)

    def value(self) -> Any:
        """As it is in the document; ABSENT when there is none."""
        try:
            return self.document.content.value(self.file, self.path)
        except (KeyError, UnreadableContent):
            return ABSENT

    def send(self, value: Any) -> None:
        """Make the value in the document into this one."""
        try:
            self.document.push(self.document.content.put(self.file, self.path, value))
        except (KeyError, UnreadableContent, AppError) as error:
            self.refused.emit(str(error))

    def owns(self, problem: Problem) -> bool:
        return problem.file == self.file and problem.path[: len(self.path)] == self.path

    def set_problem(self, problem: Problem | None) -> None:
        """Show it beside the field, with a button where there is a safe remedy."""
        self._problem_now = problem
        if problem is None:
            if self.has_problem:
                self.clear_problem()
            return
        fix = fix_for(problem, self.document.content)
        rest = "" if fix else problem.fix
        self.show_problem(
            problem.message, rest, fix.message if fix else "", hint=problem.severity is not Severity.ERROR
        )

    def refresh(self) -> None:
        raise NotImplementedError

    def reveal(self, problem: Problem) -> QWidget:
        """Focus the faulty part and select it; returns the focused widget."""
        self.field.setFocus()
        return self.field

    @Slot()
    def _fix_it(self) -> None:
        if self._problem_now is None:
            return
        fix = fix_for(self._problem_now, self.document.content)
        if fix is not None:
            self.document.push(fix.change)


def as_text(value: Any) -> str:
    """For a text field: a text as it is, anything else as it would be written."""
    if value is ABSENT:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class TextField(BoundField):
    """One line of text."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        file: str,
        path: FieldPath,
        label: str,
        *,
        note: str = "",
        width: int = 0,
    ) -> None:
        self.line = QLineEdit()
        super().__init__(theme, document, file, path, label, self.line, note=note)
        self._width = width
        UndoKeys(self.line, document)
        self.line.textEdited.connect(self._edited)
        theme.changed.connect(self._size)
        self._size()

    def refresh(self) -> None:
        text = as_text(self.value())
        if text != self.line.text():
            self.line.setText(text)

    def reveal(self, problem: Problem) -> QWidget:
        self.line.setFocus()
        self.line.selectAll()
        return self.line

    @Slot(str)
    def _edited(self, text: str) -> None:
        self.send(text)

    @Slot()
    def _size(self) -> None:
        if self._width:
            self.line.setMaximumWidth(self._theme.chars(self._width))


class NumberField(TextField):
    """A number; anything else that is typed goes into the document as text, and the check tells."""

    @Slot(str)
    def _edited(self, text: str) -> None:
        self.send(number_or_text(text))


class ChoiceField(BoundField):
    """One of a few words; another word in the document is shown as it is."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        file: str,
        path: FieldPath,
        label: str,
        choices: Sequence[tuple[str, str]],
        *,
        default: str | None = None,
        note: str = "",
    ) -> None:
        """choices: (value, words). default: what an absent value means."""
        self.box = QComboBox()
        super().__init__(theme, document, file, path, label, self.box, note=note)
        self._choices = list(choices)
        self._default = default
        for value, message in choices:
            self.box.addItem(message, value)
        self.box.activated.connect(self._chosen)

    def refresh(self) -> None:
        value = self.value()
        wanted = self._default if value is ABSENT else value
        place = next((at for at, (known, _) in enumerate(self._choices) if known == wanted), -1)
        extra = self.box.count() > len(self._choices)
        if place < 0 and value is not ABSENT:
            message = f"{as_text(value)} (not known)"
            if extra:
                self.box.setItemText(len(self._choices), message)
            else:
                self.box.addItem(message, value)
            place = len(self._choices)
        elif extra:
            self.box.removeItem(len(self._choices))
        if self.box.currentIndex() != place:
            self.box.setCurrentIndex(place)

    @Slot(int)
    def _chosen(self, place: int) -> None:
        if place < len(self._choices):
            self.send(self._choices[place][0])


class YesNoField(BoundField):
    """A box to tick."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        file: str,
        path: FieldPath,
        label: str,
        message: str,
        *,
        note: str = "",
    ) -> None:
        self.box = QCheckBox(message)
        super().__init__(theme, document, file, path, label, self.box, note=note)
        self.box.clicked.connect(self._clicked)

    def refresh(self) -> None:
        self.box.setChecked(self.value() is True)

    @Slot(bool)
    def _clicked(self, checked: bool) -> None:
        self.send(checked)
