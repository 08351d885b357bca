"""Labels and their aliases as one table: whatever is done to a label, its spellings go with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.params_form import params_fields
from desktop.gui.editor.form.two_level_field import TwoLevelField
from desktop.gui.editor.form.two_level_rows import RowKind
from desktop.gui.theme import Theme
from packs.documents.problems import Problem
from packs.task.content import PackContent

FILE = "task.yaml"
PATH = ("scorer_params",)
TEXT = """# Our desk.
task: "routing"
scorer: exact-label
scorer_params:
  # In the order of the form.
  labels:
    - billing   # money
    - 'delivery'
    - "returns"
  # Old words.
  aliases:
    bill: billing
    "parcel": delivery   # from the post
    post: 'delivery'
"""
Position = QAbstractItemView.DropIndicatorPosition


@pytest.fixture
def field(theme: Theme, qtbot: QtBot, tmp_path: Path) -> Iterator[TwoLevelField]:
    document = PackDocument(tmp_path, PackContent({FILE: TEXT.encode()}))
    made = params_fields(theme, document, "exact-label", PATH)
    assert len(made) == 1
    field = made[0]
    assert isinstance(field, TwoLevelField)
    document.setParent(field)
    qtbot.addWidget(field)
    document.changed.connect(field.refresh)
    field.refresh()
    field.show()
    field.activateWindow()
    qtbot.waitUntil(field.isActiveWindow)
    yield field
    document.changed.disconnect(field.refresh)


def text(field: TwoLevelField) -> str:
    return field.document.content.files[FILE].decode()


def shown(field: TwoLevelField) -> list[str]:
    found = []
    for at in range(field.rows.topLevelItemCount()):
        item = field.rows.topLevelItem(at)
        assert item is not None
        found.append(item.text(0))
        found += [f"  {item.child(below).text(0)}" for below in range(item.childCount())]
    return found


def item(field: TwoLevelField, kind: RowKind, key: object) -> QTreeWidgetItem:
    found = field.rows.go_to(kind, key)
    assert found is not None
    return found


def type_now(qtbot: QtBot, message: str) -> None:
    """Into the line that is open."""
    line = QApplication.focusWidget()
    assert isinstance(line, QLineEdit)
    qtbot.keyClick(line, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(line, message)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not isinstance(QApplication.focusWidget(), QLineEdit))


def type_into(field: TwoLevelField, qtbot: QtBot, kind: RowKind, key: object, message: str) -> None:
    item(field, kind, key)
    field.rows.setFocus()
    qtbot.keyClick(field.rows, Qt.Key.Key_F2)
    type_now(qtbot, message)


def undo_all(field: TwoLevelField) -> list[str]:
    """The names of the steps, the last one first; the bytes are those of the start then."""
    names = []
    while field.document.undo.canUndo():
        names.append(field.document.undo.undoText())
        field.document.undo.undo()
    assert text(field) == TEXT
    assert shown(field) == ["billing", "  bill", "delivery", "  parcel", "  post", "returns"]
    return names


def test_that_spellings_stand_below_their_label(field: TwoLevelField) -> None:
    assert shown(field) == ["billing", "  bill", "delivery", "  parcel", "  post", "returns"]
    role = Qt.ItemDataRole.AccessibleTextRole
    assert item(field, RowKind.ENTRY, 1).data(0, role) == "delivery, label, 2 spellings"
    assert item(field, RowKind.OTHER, "bill").data(0, role) == "bill, counts as billing"
    assert field.rows.accessibleName() == "Labels"


def test_that_a_renamed_label_takes_its_spellings_along_and_all_else_stays(
    field: TwoLevelField, qtbot: QtBot
) -> None:
    type_into(field, qtbot, RowKind.ENTRY, 1, "shipping")
    wanted = TEXT.replace("'delivery'\n    - ", "'shipping'\n    - ").replace(": delivery ", ": shipping ")
    assert text(field) == wanted.replace("post: 'delivery'", "post: 'shipping'")
    assert shown(field) == ["billing", "  bill", "shipping", "  parcel", "  post", "returns"]
    row = field.rows.row()
    assert row is not None
    assert (row.kind, row.key) == (RowKind.ENTRY, 1)
    assert undo_all(field) == ["Rename label delivery"]


def test_that_the_line_that_is_typed_into_reaches_to_the_end_of_the_row(
    field: TwoLevelField, qtbot: QtBot
) -> None:
    item(field, RowKind.OTHER, "bill")
    field.rows.setFocus()
    qtbot.keyClick(field.rows, Qt.Key.Key_F2)
    line = QApplication.focusWidget()
    assert isinstance(line, QLineEdit)
    assert line.geometry().right() == field.rows.viewport().rect().right()
    row = field.rows.visualItemRect(field.rows.currentItem())
    assert (line.geometry().left(), line.height()) == (row.left(), row.height())
    type_now(qtbot, "bill")
    assert undo_all(field) == []


def test_that_a_renamed_spelling_changes_its_key_alone(field: TwoLevelField, qtbot: QtBot) -> None:
    type_into(field, qtbot, RowKind.OTHER, "bill", "invoice")
    assert text(field) == TEXT.replace("bill: billing", "invoice: billing")
    assert undo_all(field) == ["Rename spelling bill"]


def test_that_a_label_is_added_and_named_in_one_step(field: TwoLevelField, qtbot: QtBot) -> None:
    item(field, RowKind.OTHER, "bill")
    qtbot.mouseClick(field.add_button, Qt.MouseButton.LeftButton)
    type_now(qtbot, "refunds")
    assert shown(field)[:3] == ["billing", "  bill", "refunds"]
    qtbot.mouseClick(field.add_other_button, Qt.MouseButton.LeftButton)
    type_now(qtbot, "money back")
    assert shown(field)[:4] == ["billing", "  bill", "refunds", "  money back"]
    assert field.document.content.value(FILE, (*PATH, "aliases", "money back")) == "refunds"
    type_into(field, qtbot, RowKind.ENTRY, 1, "refund")
    assert field.document.content.value(FILE, (*PATH, "aliases", "money back")) == "refund"
    assert undo_all(field) == ["Rename label refunds", "Add spelling of refunds", "Add label"]


def test_that_a_label_is_removed_with_its_spellings(field: TwoLevelField, qtbot: QtBot) -> None:
    item(field, RowKind.ENTRY, 1)
    field.rows.setFocus()
    qtbot.keyClick(field.rows, Qt.Key.Key_Delete)
    assert shown(field) == ["billing", "  bill", "returns"]
    assert "post" not in text(field)
    item(field, RowKind.OTHER, "bill")
    qtbot.mouseClick(field.remove_button, Qt.MouseButton.LeftButton)
    assert shown(field) == ["billing", "returns"]
    assert undo_all(field) == ["Remove spelling bill", "Remove label delivery"]


def test_that_keys_move_a_label_in_the_order_and_a_spelling_to_the_next_label(
    field: TwoLevelField, qtbot: QtBot
) -> None:
    alt = Qt.KeyboardModifier.AltModifier
    item(field, RowKind.ENTRY, 1)
    field.rows.setFocus()
    qtbot.keyClick(field.rows, Qt.Key.Key_Up, alt)
    assert shown(field) == ["delivery", "  parcel", "  post", "billing", "  bill", "returns"]
    item(field, RowKind.OTHER, "bill")
    assert field.down_button.isEnabled()
    qtbot.keyClick(field.rows, Qt.Key.Key_Down, alt)
    assert shown(field) == ["delivery", "  parcel", "  post", "billing", "returns", "  bill"]
    assert not field.down_button.isEnabled()
    qtbot.keyClick(field.rows, Qt.Key.Key_Down, alt)
    assert undo_all(field) == ["Count bill as returns", "Move label delivery"]


@pytest.mark.parametrize(
    ("dragged", "target", "position", "order"),
    [
        (0, 2, Position.BelowItem, ["delivery", "returns", "billing"]),
        (0, 2, Position.AboveItem, ["delivery", "billing", "returns"]),
        (2, 0, Position.AboveItem, ["returns", "billing", "delivery"]),
        (2, 0, Position.BelowItem, ["billing", "returns", "delivery"]),
        (0, None, Position.OnViewport, ["delivery", "returns", "billing"]),
        (1, 1, Position.OnItem, ["billing", "delivery", "returns"]),
    ],
)
def test_that_a_dragged_label_goes_to_its_new_place_with_its_spellings(
    field: TwoLevelField, dragged: int, target: int | None, position: Position, order: list[str]
) -> None:
    onto = None if target is None else field.rows.topLevelItem(target)
    field.rows.drop(field.rows.topLevelItem(dragged), onto, position)
    assert [line for line in shown(field) if not line.startswith(" ")] == order
    assert shown(field)[shown(field).index("delivery") + 1] == "  parcel"
    undo_all(field)


def test_that_a_dragged_spelling_counts_as_the_label_it_is_dropped_on(field: TwoLevelField) -> None:
    returns, post = field.rows.topLevelItem(2), item(field, RowKind.OTHER, "post")
    field.rows.drop(post, returns, Position.OnItem)
    assert text(field) == TEXT.replace("post: 'delivery'", "post: 'returns'")
    bill = item(field, RowKind.OTHER, "bill")
    field.rows.drop(item(field, RowKind.OTHER, "post"), bill, Position.BelowItem)
    assert text(field) == TEXT.replace("post: 'delivery'", "post: 'billing'")
    assert undo_all(field) == ["Count post as billing", "Count post as returns"]


def test_that_a_drop_leaves_the_rows_to_the_document(field: TwoLevelField) -> None:
    item(field, RowKind.ENTRY, 0)
    place = field.rows.visualItemRect(field.rows.topLevelItem(2)).center()
    event = QDropEvent(
        QPointF(place),
        Qt.DropAction.MoveAction,
        QMimeData(),
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    field.rows.dropEvent(event)
    assert event.dropAction() is Qt.DropAction.IgnoreAction
    assert [line for line in shown(field) if line[0] != " "] == field.document.content.value(
        FILE, (*PATH, "labels")
    )
    undo_all(field)


def test_that_pasted_lines_become_labels_beside_a_label_and_spellings_beside_a_spelling(
    field: TwoLevelField, qtbot: QtBot
) -> None:
    item(field, RowKind.ENTRY, 0)
    field.rows.setFocus()
    QGuiApplication.clipboard().setText("refunds\n\n  فواتير  \nRückerstattungsangelegenheiten\n")
    qtbot.keyClick(field.rows, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert shown(field)[:5] == ["billing", "  bill", "refunds", "فواتير", "Rückerstattungsangelegenheiten"]
    item(field, RowKind.OTHER, "bill")
    QGuiApplication.clipboard().setText("invoice\nbill\nfee")
    qtbot.keyClick(field.rows, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert shown(field)[:4] == ["billing", "  bill", "  invoice", "  fee"]
    assert undo_all(field) == ["Paste 2 spellings", "Paste 3 labels"]


@pytest.mark.parametrize(
    ("kind", "key", "name"), [(RowKind.OTHER, "post", "bill"), (RowKind.ENTRY, 0, "returns")]
)
def test_that_a_name_that_is_there_already_is_said_so(
    field: TwoLevelField, qtbot: QtBot, kind: RowKind, key: object, name: str
) -> None:
    type_into(field, qtbot, kind, key, name)
    assert field.has_problem
    assert f"“{name}” is there already." in field.rows.accessibleDescription()
    assert undo_all(field) == []


def test_that_spellings_of_no_label_are_shown_and_find_their_label(field: TwoLevelField, qtbot: QtBot) -> None:
    type_into(field, qtbot, RowKind.ENTRY, 1, "shipping")
    field.document.push(field.document.content.put(FILE, (*PATH, "aliases", "odd"), "nowhere"))
    assert shown(field)[-2:] == ["nowhere", "  odd"]
    problem = Problem(FILE, (*PATH, "aliases", "odd"), "param", "It stands for no label.", "Use a label.")
    assert field.owns(problem)
    field.reveal(problem)
    current = field.rows.currentItem()
    assert current is not None
    assert current.text(0) == "odd"
    assert current.parent().text(1) == "is no label"
    type_into(field, qtbot, RowKind.STRAY, "nowhere", "shipping")
    qtbot.waitUntil(lambda: shown(field)[2:6] == ["shipping", "  parcel", "  post", "  odd"])
    assert undo_all(field)[0] == "Count as shipping: spelling odd"


def test_that_what_was_folded_stays_folded(field: TwoLevelField, qtbot: QtBot) -> None:
    item(field, RowKind.ENTRY, 1).setExpanded(False)
    item(field, RowKind.ENTRY, 0)
    qtbot.mouseClick(field.add_other_button, Qt.MouseButton.LeftButton)
    type_now(qtbot, "fee")
    assert not item(field, RowKind.ENTRY, 1).isExpanded()
    problem = Problem(FILE, (*PATH, "aliases", "post"), "param", "It stands for no label.", "Use a label.")
    field.reveal(problem)
    assert item(field, RowKind.ENTRY, 1).isExpanded()


@pytest.mark.parametrize("aliases", ["aliases: [a]", "aliases: 3", "aliases: {1: billing, x: null}", ""])
def test_that_odd_parameters_are_shown_and_can_be_edited(
    theme: Theme, qtbot: QtBot, tmp_path: Path, aliases: str
) -> None:
    manifest = f"scorer: exact-label\nscorer_params:\n  labels: [1, null, a]\n  {aliases}\n"
    document = PackDocument(tmp_path, PackContent({FILE: manifest.encode()}))
    field = TwoLevelField(theme, document, FILE, (*PATH, "labels"), "aliases", "Labels", entry="label")
    document.setParent(field)
    qtbot.addWidget(field)
    field.refresh()
    assert [line for line in shown(field) if line[0] != " "][:3] == ["1", "null", "a"]
    item(field, RowKind.ENTRY, 2)
    field.paste("b")
    assert document.content.value(FILE, (*PATH, "labels")) == [1, None, "a", "b"]
    document.undo.undo()
    assert document.content.files[FILE].decode() == manifest


def test_that_many_labels_are_shown_in_the_order_of_the_pack(field: TwoLevelField, qtbot: QtBot) -> None:
    item(field, RowKind.ENTRY, 2)
    field.paste("\n".join(f"label {number}" for number in range(30)))
    assert len(shown(field)) == 36
    qtbot.waitUntil(lambda: field.rows.verticalScrollBar().maximum() > 0)
    field.rows.go_to(RowKind.ENTRY, 20)
    current = field.rows.visualItemRect(field.rows.currentItem())
    assert field.rows.viewport().rect().contains(current.center())


@pytest.mark.parametrize("zoom", [100, 200])
def test_that_a_label_that_is_too_wide_can_be_scrolled_to_and_covers_no_row(
    field: TwoLevelField, theme: Theme, qtbot: QtBot, zoom: int
) -> None:
    theme.use(zoom=zoom)
    item(field, RowKind.ENTRY, 2)
    field.paste("Donaudampfschifffahrtselektrizitätenhauptbetriebswerkrechnung " * 3)
    field.resize(5 * zoom, 8 * zoom)
    qtbot.waitUntil(lambda: field.rows.horizontalScrollBar().maximum() > 0)
    qtbot.waitUntil(lambda: field.rows.verticalScrollBar().maximum() == 0)
