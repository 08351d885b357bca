"""The expected value of an example, in the form that the pack's scorer needs."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.example_edits import number_or_code, number_or_text
from desktop.gui.editor.document.undo_keys import UndoKeys
from desktop.gui.editor.form.fields import ABSENT, BoundField, as_text
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.plain_text import fill, typed_into
from packs.documents.problems import Problem
from packs.documents.strict_json import JsonFault, parse
from packs.task.content import PackContent
from packs.task.scorers import ExpectedShape


class ExpectedField(BoundField):
    """A list of labels, a grid of fields, a number, or JSON; JSON also for a value that does not suit."""

    def __init__(self, theme: Theme, document: PackDocument) -> None:
        self.stack = QStackedWidget()
        super().__init__(theme, document, "", ("expected",), "E&xpected answer", self.stack)
        self.label_box = QComboBox()
        self.label_box.setEditable(True)
        self.label_box.setAccessibleName("Expected label")
        self.number_line = QLineEdit()
        self.number_line.setAccessibleName("Expected number")
        self.json_edit = QPlainTextEdit()
        self.json_edit.setAccessibleName("Expected answer as JSON")
        self.json_edit.setTabChangesFocus(True)
        self._json = ""
        """The JSON that was put there, or typed last."""
        self.grid = _FieldGrid(theme, document)
        self._note_only = TextLabel(
            theme, "This scorer does not look at the expected answer.", tone=Tone.MUTED, wrap=True
        )
        for page in (self.label_box, self.number_line, self.json_edit, self.grid):
            self.stack.addWidget(page)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.stack) + 1, self._note_only)
        self._filling = False
        line = self.label_box.lineEdit()
        assert line is not None
        line.setAccessibleName("Expected label")
        for widget in (self.label_box, line, self.number_line, self.json_edit):
            UndoKeys(widget, document)
        self.label_box.editTextChanged.connect(self._label_typed)
        self.number_line.textEdited.connect(self._number_typed)
        self.json_edit.textChanged.connect(self._json_typed)
        self.grid.typed.connect(self._grid_typed)
        # Queued: the fields inside have their new fonts only after all were told.
        theme.changed.connect(self._size, Qt.ConnectionType.QueuedConnection)
        self._size()

    def show_file(self, file: str) -> None:
        self.file = file
        self.refresh()

    def refresh(self) -> None:
        scorer, params = self.document.content.scorer()
        shape = scorer.shape if scorer is not None else None
        value = self.value()
        self._note_only.setVisible(scorer is not None and not scorer.uses_expected)
        self._filling = True
        try:
            if shape is ExpectedShape.LABEL and (value is ABSENT or isinstance(value, str)):
                self._show_label(labels_of(self.document.content), as_text(value))
            elif shape is ExpectedShape.NUMBER and (
                value is ABSENT or _is_number(value) or isinstance(value, str)
            ):
                self.stack.setCurrentWidget(self.number_line)
                if number_or_text(self.number_line.text()) != value:
                    self.number_line.setText(as_text(value))
            elif scorer is not None and shape is ExpectedShape.FIELDS and isinstance(value, dict):
                self.stack.setCurrentWidget(self.grid)
                self.grid.show_value(value, scorer.fields(params))
            else:
                self._show_json(value)
        finally:
            self._filling = False
        self._size()

    def reveal(self, problem: Problem) -> QWidget:
        page = self.stack.currentWidget()
        if page is self.grid:
            return self.grid.reveal(problem.path[1] if len(problem.path) > 1 else None)
        line = self.label_box.lineEdit() if page is self.label_box else self.number_line
        if page is self.json_edit or line is None:
            self.json_edit.setFocus()
            self.json_edit.selectAll()
            return self.json_edit
        line.setFocus()
        line.selectAll()
        return line

    def _show_label(self, wanted: list[str], text: str) -> None:
        self.stack.setCurrentWidget(self.label_box)
        if [self.label_box.itemText(at) for at in range(self.label_box.count())] != wanted:
            self.label_box.clear()
            self.label_box.addItems(wanted)
        if self.label_box.currentText() != text:
            self.label_box.setEditText(text)

    def _show_json(self, value: Any) -> None:
        self.stack.setCurrentWidget(self.json_edit)
        text = "" if value is ABSENT else json.dumps(value, ensure_ascii=False, indent=2)
        try:
            # By their texts: in Python 1 and true are equal.
            known = bool(self._json.strip()) and value is not ABSENT
            same = known and json.dumps(parse(self._json)) == json.dumps(value)
        except JsonFault:
            same = False
        if not same:
            self._json = text
            fill(self.json_edit, text)

    @Slot(str)
    def _label_typed(self, text: str) -> None:
        if not self._filling:
            self.send(text)

    @Slot(str)
    def _number_typed(self, text: str) -> None:
        self.send(number_or_text(text))

    @Slot()
    def _json_typed(self) -> None:
        text = typed_into(self.json_edit, self._json)
        if self._filling or text == self._json:
            return
        self._json = text
        try:
            value = parse(text)
        except JsonFault as fault:
            self.show_problem("This is not JSON yet, so it is not taken over.", str(fault))
            return
        self.clear_problem()
        self.send(value)

    @Slot(str, str)
    def _grid_typed(self, key: str, text: str) -> None:
        value = self.value()
        if isinstance(value, dict):
            self.send({**value, key: _from_cell(text, value.get(key))})

    @Slot()
    def _size(self) -> None:
        self.json_edit.setFont(self._theme.font(Type.MONO))
        page = self.stack.currentWidget()
        lines = self.json_edit.fontMetrics().height() * 6
        height = lines if page is self.json_edit or page is None else page.sizeHint().height()
        self.stack.setFixedHeight(max(height, self._theme.row_height()))


def labels_of(content: PackContent) -> list[str]:
    """The labels of a pack whose answers are labels, in their order; empty for every other pack."""
    scorer, params = content.scorer()
    return scorer.labels(params) if scorer is not None and scorer.shape is ExpectedShape.LABEL else []


class _FieldGrid(QWidget):
    """One line a field: key fields first. null is written as nothing."""

    typed = Signal(str, str)
    """A key, and what stands in its line now."""

    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__()
        self._theme = theme
        self._document = document
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._lines: dict[str, QLineEdit] = {}
        self._labels: list[TextLabel] = []

    def show_value(self, value: dict[str, Any], key_fields: list[str]) -> None:
        keys = list(dict.fromkeys([*key_fields, *value]))
        if keys != list(self._lines):
            self._make(keys)
        for key, line in self._lines.items():
            text = _to_cell(value[key]) if key in value else ""
            if _from_cell(line.text(), value.get(key)) != value.get(key) or line.text() == "" != text:
                line.setText(text)
            line.setPlaceholderText("" if key in value else "not there")

    def reveal(self, key: object) -> QWidget:
        line = self._lines.get(str(key)) or next(iter(self._lines.values()), None)
        if line is None:
            return self
        line.setFocus()
        line.selectAll()
        return line

    def _make(self, keys: list[str]) -> None:
        for old in (*self._lines.values(), *self._labels):
            self._grid.removeWidget(old)
            old.deleteLater()
        self._lines, self._labels = {}, []
        for row, key in enumerate(keys):
            label, line = TextLabel(self._theme, key), QLineEdit()
            line.setAccessibleName(f"Expected {key}")
            line.setProperty("key", key)
            UndoKeys(line, self._document)
            line.textEdited.connect(self._edited)
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(line, row, 1)
            self._lines[key] = line
            self._labels.append(label)

    @Slot(str)
    def _edited(self, text: str) -> None:
        self.typed.emit(str(self.sender().property("key")), text)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _to_cell(value: Any) -> str:
    if value is None:
        return ""
    return (
        value
        if isinstance(value, str) and number_or_text(value) == value
        else json.dumps(value, ensure_ascii=False)
    )


def _from_cell(text: str, before: Any) -> Any:
    """What a person means: numbers, else texts (codes as well), nothing is null; a text stays a text."""
    if text == "":
        return None if before is None else ("" if before == "" else None)
    if isinstance(before, str) and number_or_text(before) == before and not text.startswith(('"', "[", "{")):
        return text
    if text in ("true", "false"):
        return text == "true"
    if text[:1] in '"[{':
        try:
            return parse(text)
        except JsonFault:
            return text
    return number_or_code(text)
