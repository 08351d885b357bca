"""Other spellings of labels: each once, whatever is typed or pasted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.map_field import MapField
from desktop.gui.theme import Theme
from packs.task.content import PackContent
from tests.fakes.faults import MANIFEST

PATH = ("scorer_params", "aliases")


@pytest.fixture
def field(theme: Theme, qtbot: QtBot, tmp_path: Path) -> Iterator[MapField]:
    manifest = MANIFEST.replace("returns]", "returns]\n  aliases: {bill: billing, parcel: delivery}")
    document = PackDocument(tmp_path, PackContent({"task.yaml": manifest.encode()}))
    made = MapField(theme, document, "task.yaml", PATH, "Aliases", ("Also accepted", "Counts as"))
    document.setParent(made)
    qtbot.addWidget(made)
    document.changed.connect(made.refresh)
    made.refresh()
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    document.changed.disconnect(made.refresh)


def aliases(field: MapField) -> object:
    return field.document.content.value("task.yaml", PATH)


def type_into(field: MapField, qtbot: QtBot, row: int, column: int, text: str) -> QLineEdit:
    field.cells.setCurrentCell(row, column)
    field.cells.setFocus()
    qtbot.keyClick(field.cells, Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    qtbot.keyClick(editor, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    return editor


def test_that_a_spelling_that_is_there_already_is_said_so(field: MapField, qtbot: QtBot) -> None:
    type_into(field, qtbot, 1, 0, "bill")
    qtbot.waitUntil(lambda: field.has_problem)
    assert "“bill” is there already." in field.cells.accessibleDescription()
    assert field.cells.item(1, 0).text() == "parcel"
    assert aliases(field) == {"bill": "billing", "parcel": "delivery"}


def test_that_a_cell_that_is_typed_into_changes_its_place_alone(field: MapField, qtbot: QtBot) -> None:
    with qtbot.waitSignal(field.document.changed):
        type_into(field, qtbot, 1, 1, "returns")
    assert aliases(field) == {"bill": "billing", "parcel": "returns"}
