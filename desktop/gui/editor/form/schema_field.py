"""A JSON Schema: a simple table of fields where the schema is simple, and its source beside it."""

from __future__ import annotations

import json
from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.undo_keys import UndoKeys
from desktop.gui.editor.form.allowed_values import allowed_text, allowed_values
from desktop.gui.editor.form.fields import ABSENT, BoundField
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.plain_text import fill, typed_into
from packs.documents.files import FileTrouble, clean_path
from packs.documents.problems import FieldPath, Problem
from packs.documents.strict_json import JsonFault, parse
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST

TYPES = ("string", "number", "integer", "boolean", "array", "object")
_TEXTS = ("text", "number", "whole number", "yes or no", "list", "object")
_SIMPLE = {"type", "properties", "required", "additionalProperties", "$schema", "title", "description"}


class SchemaField(BoundField):
    """The schema may stand in task.yaml or in a file that is named there; it is edited where it stands."""

    def __init__(
        self, theme: Theme, document: PackDocument, path: FieldPath, label: str, *, note: str = ""
    ) -> None:
        self.source = QPlainTextEdit()
        super().__init__(theme, document, MANIFEST, path, label, self.source, note=note)
        self.table = QTableWidget(0, 4)
        self.table.setAccessibleName("Fields of the answer")
        self.table.setHorizontalHeaderLabels(["Field", "Kind", "Required", "Allowed values"])
        self.table.verticalHeader().hide()
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        self.add_button = Button(theme, "Add field", icon="plus")
        self.remove_button = Button(theme, "Remove field", icon="minus")
        self._not_simple = TextLabel(
            theme, "This schema says more than a table can show; edit its source.", wrap=True
        )
        self._table_part = QWidget()
        part = QVBoxLayout(self._table_part)
        part.setContentsMargins(0, 0, 0, 0)
        part.addWidget(self.table)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        part.addLayout(buttons)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        at = layout.indexOf(self.source)
        layout.insertWidget(at, self._not_simple)
        layout.insertWidget(at, self._table_part)
        self._filling = False
        self._shown = ""
        """The source that was put there, or sent last."""
        UndoKeys(self.source, document)
        self.source.setTabChangesFocus(True)
        self.source.textChanged.connect(self._typed)
        self.table.itemChanged.connect(self._cell_changed)
        self.add_button.clicked.connect(self._add)
        self.remove_button.clicked.connect(self._remove)
        theme.changed.connect(self._size)
        self._size()

    # Where the schema stands

    def _file(self) -> str | None:
        """The file that holds it; None when it stands in task.yaml."""
        value = self.value()
        if not isinstance(value, str):
            return None
        try:
            return clean_path(value)
        except FileTrouble:
            return None

    def _text(self) -> str:
        file = self._file()
        if file is not None:
            try:
                return self.document.content.text(file)
            except UnreadableContent:
                return ""
        value = self.value()
        return "" if value is ABSENT else json.dumps(value, ensure_ascii=False, indent=2)

    def _schema(self) -> Any:
        try:
            return parse(self._text())
        except JsonFault:
            return None

    def owns(self, problem: Problem) -> bool:
        file = self._file()
        return super().owns(problem) or (file is not None and problem.file == file)

    def refresh(self) -> None:
        text = self._text()
        if not _same_json(text, self._shown):
            self._filling = True
            self._shown = text
            fill(self.source, text)
            self._filling = False
        self._fill_table()

    def reveal(self, problem: Problem) -> QWidget:
        self.source.setFocus()
        line = problem.line if problem.file != MANIFEST else None
        block = self.source.document().findBlockByNumber((line or 1) - 1)
        cursor = self.source.textCursor()
        cursor.setPosition(block.position() if block.isValid() else 0)
        cursor.movePosition(cursor.MoveOperation.EndOfBlock, cursor.MoveMode.KeepAnchor)
        self.source.setTextCursor(cursor)
        return self.source

    def _store(self, schema: Any) -> None:
        file = self._file()
        if file is None:
            self.send(schema)
        else:
            self.document.push(self.document.content.put(file, (), schema, "change the schema"))

    @Slot()
    def _typed(self) -> None:
        if self._filling:
            return
        text = typed_into(self.source, self._shown)
        # A change of colours or fonts is told as one of the text too.
        if text == self._shown:
            return
        self._shown = text
        file = self._file()
        if file is not None:
            # A file may hold what is no JSON yet; the check tells, and nothing that was typed is lost.
            self.document.push(self.document.content.put_text(file, text, "change the schema"))
            return
        try:
            schema = parse(text)
        except JsonFault as fault:
            self.show_problem("This is not JSON yet, so it is not taken over.", str(fault))
            return
        self.clear_problem()
        self.send(schema)

    # The table

    def _fill_table(self) -> None:
        schema = self._schema()
        simple = _is_simple(schema)
        self._table_part.setVisible(simple)
        self._not_simple.setVisible(not simple and bool(self._text().strip()))
        if not simple:
            return
        fields = schema.get("properties", {}) if isinstance(schema, dict) else {}
        required = schema.get("required", []) if isinstance(schema, dict) else []
        self._filling = True
        self.table.setRowCount(len(fields))
        for row, (name, described) in enumerate(fields.items()):
            self.table.setItem(row, 0, QTableWidgetItem(name))
            box = QComboBox()
            box.setAccessibleName(f"Kind of {name}")
            for value, message in zip(TYPES, _TEXTS, strict=True):
                box.addItem(message, value)
            box.setCurrentIndex(TYPES.index(described.get("type", "string")))
            box.setProperty("field", name)
            box.activated.connect(self._kind_chosen)
            self.table.setCellWidget(row, 1, box)
            tick = QTableWidgetItem()
            tick.setFlags(
                Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            )
            tick.setCheckState(Qt.CheckState.Checked if name in required else Qt.CheckState.Unchecked)
            self.table.setItem(row, 2, tick)
            self.table.setItem(row, 3, QTableWidgetItem(allowed_text(described.get("enum", []))))
        self._filling = False
        self._size()

    @Slot(QTableWidgetItem)
    def _cell_changed(self, item: QTableWidgetItem) -> None:
        schema = self._schema()
        if self._filling or not isinstance(schema, dict):
            return
        fields = schema.get("properties", {})
        names = list(fields)
        if not 0 <= item.row() < len(names):
            return
        name = names[item.row()]
        required = [entry for entry in schema.get("required", []) if entry in fields]
        if item.column() == 0 and item.text().strip() and item.text() not in fields:
            fields = {item.text() if key == name else key: value for key, value in fields.items()}
            required = [item.text() if entry == name else entry for entry in required]
        elif item.column() == 2:
            required = [entry for entry in required if entry != name]
            if item.checkState() == Qt.CheckState.Checked:
                required = [entry for entry in fields if entry in required or entry == name]
        elif item.column() == 3:
            values = allowed_values(item.text(), fields[name].get("type", "string"))
            described = {key: value for key, value in fields[name].items() if key != "enum"}
            fields = {**fields, name: {**described, "enum": values} if values else described}
        self._store({**schema, "properties": fields, "required": required})
        self.refresh()

    @Slot()
    def _kind_chosen(self) -> None:
        box = self.sender()
        schema = self._schema()
        if not isinstance(box, QComboBox) or not isinstance(schema, dict):
            return
        name = box.property("field")
        described = {**schema.get("properties", {}).get(name, {}), "type": box.currentData()}
        if described.get("enum"):
            # Words that are allowed for a number would let nothing pass.
            described["enum"] = allowed_values(allowed_text(described["enum"]), box.currentData())
        self._store({**schema, "properties": {**schema.get("properties", {}), name: described}})

    @Slot()
    def _add(self) -> None:
        schema = self._schema()
        schema = schema if isinstance(schema, dict) else {"type": "object"}
        fields = schema.get("properties", {})
        number = len(fields) + 1
        while f"field_{number}" in fields:
            number += 1
        name = f"field_{number}"
        required = [*schema.get("required", []), name]
        changed = {**schema, "properties": {**fields, name: {"type": "string"}}, "required": required}
        self._store(changed)
        self.refresh()
        item = self.table.item(len(fields), 0)
        if item is not None:
            self.table.setFocus()
            self.table.setCurrentItem(item)
            self.table.editItem(item)

    @Slot()
    def _remove(self) -> None:
        schema = self._schema()
        row = self.table.currentRow()
        if not isinstance(schema, dict) or row < 0:
            return
        fields = dict(schema.get("properties", {}))
        name = list(fields)[row]
        fields.pop(name)
        required = [entry for entry in schema.get("required", []) if entry != name]
        self._store({**schema, "properties": fields, "required": required})
        self.refresh()

    @Slot()
    def _size(self) -> None:
        theme = self._theme
        self.source.setFont(theme.font(Type.MONO))
        self.source.setMinimumHeight(self.source.fontMetrics().height() * 8)
        self.table.setFont(theme.font())
        self.table.horizontalHeader().setFont(theme.font(Type.SMALL, bold=True))
        self.table.verticalHeader().setDefaultSectionSize(theme.row_height())
        rows = min(max(self.table.rowCount(), 2), 8)
        self.table.setFixedHeight(theme.row_height() * (rows + 1) + theme.px(8))


def _is_simple(schema: Any) -> bool:
    if not isinstance(schema, dict) or not set(schema) <= _SIMPLE or schema.get("type", "object") != "object":
        return False
    fields, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(fields, dict) or not isinstance(required, list):
        return False
    return all(
        isinstance(described, dict)
        and set(described) <= {"type", "enum", "description", "title"}
        and described.get("type", "string") in TYPES
        and isinstance(described.get("enum", []), list)
        for described in fields.values()
    )


def _same_json(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        # By their texts: in Python 1 and true are equal.
        return json.dumps(parse(one)) == json.dumps(parse(other))
    except JsonFault:
        return False
