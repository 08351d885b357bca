"""The table of a simple schema: what is typed there means what a person means by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.allowed_values import allowed_text, allowed_values
from desktop.gui.editor.form.schema_field import SchemaField
from desktop.gui.theme import Theme
from packs.task.content import PackContent
from tests.fakes.faults import scorer

SCHEMA = "  schema: {type: object, properties: {grade: {type: integer, enum: [1, 2]}, tone: {type: string}}}"
PATH = ("scorer_params", "schema")


@pytest.fixture
def field(theme: Theme, qtbot: QtBot, tmp_path: Path) -> Iterator[SchemaField]:
    manifest = scorer("json-schema", SCHEMA)
    document = PackDocument(tmp_path, PackContent({"task.yaml": manifest.encode()}))
    made = SchemaField(theme, document, PATH, "Schema")
    document.setParent(made)
    qtbot.addWidget(made)
    document.changed.connect(made.refresh)
    made.refresh()
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    document.changed.disconnect(made.refresh)


def described(field: SchemaField, name: str) -> dict[str, Any]:
    found = field.document.content.value("task.yaml", (*PATH, "properties", name))
    assert isinstance(found, dict)
    return found


def type_into(field: SchemaField, qtbot: QtBot, row: int, text: str) -> None:
    field.table.setCurrentCell(row, 3)
    field.table.setFocus()
    qtbot.keyClick(field.table, Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    qtbot.keyClick(editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(editor, text)
    # What was typed is taken over after the key.
    with qtbot.waitSignal(field.document.changed):
        qtbot.keyClick(editor, Qt.Key.Key_Return)


def test_that_allowed_values_of_a_whole_number_are_whole_numbers(field: SchemaField, qtbot: QtBot) -> None:
    type_into(field, qtbot, 0, "1, 2, 3")
    assert described(field, "grade") == {"type": "integer", "enum": [1, 2, 3]}


def test_that_allowed_values_of_a_text_stay_texts(field: SchemaField, qtbot: QtBot) -> None:
    type_into(field, qtbot, 1, "1, kind, true")
    assert described(field, "tone") == {"type": "string", "enum": ["1", "kind", "true"]}


def test_that_another_kind_takes_the_allowed_values_along(field: SchemaField) -> None:
    box = field.table.cellWidget(0, 1)
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findData("string"))
    box.activated.emit(box.currentIndex())
    assert described(field, "grade") == {"type": "string", "enum": ["1", "2"]}


@pytest.mark.parametrize(
    ("values", "kind", "text"),
    [
        (["red", "green"], "string", "red, green"),
        (["red, or so", "green"], "string", '["red, or so", "green"]'),
        ([" blank", ""], "string", '[" blank", ""]'),
        ([1, 2.5], "number", "1, 2.5"),
        ([True, False], "boolean", "true, false"),
        (["[1]"], "string", '["[1]"]'),
        ([[1, 2]], "array", "[[1, 2]]"),
        ([], "string", ""),
    ],
)
def test_that_allowed_values_read_back_as_they_were(values: list[Any], kind: str, text: str) -> None:
    assert allowed_text(values) == text
    assert allowed_values(text, kind) == values


@pytest.mark.parametrize("text", ["[", "[1,", ",,,", '"', "9" * 5000, "1e999", "NaN"])
def test_that_odd_allowed_values_do_no_harm(text: str) -> None:
    for kind in ("string", "number", "integer", "boolean", "array", "object"):
        assert isinstance(allowed_values(text, kind), list)
