"""A mapping of texts to texts, such as other spellings and the label each stands for, as a table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import ABSENT, BoundField, as_text
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from packs.documents.problems import FieldPath, Problem


class _Cells(QTableWidget):
    def __init__(self, owner: MapField) -> None:
        super().__init__(0, 2)
        self._owner = owner

    def paste(self) -> None:
        self._owner.paste(QGuiApplication.clipboard().text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif event.key() == Qt.Key.Key_Delete:
            self._owner.remove_current()
        else:
            super().keyPressEvent(event)


class MapField(BoundField):
    """Two columns. Delete removes a row; pasting two columns from a spreadsheet adds rows."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        file: str,
        path: FieldPath,
        label: str,
        headers: tuple[str, str],
        *,
        note: str = "",
    ) -> None:
        self.cells = _Cells(self)
        super().__init__(theme, document, file, path, label, self.cells, note=note)
        self._rows: list[tuple[str, Any]] = []
        self._filling = False
        self.cells.setHorizontalHeaderLabels(headers)
        self.cells.verticalHeader().hide()
        self.cells.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.cells.setTabKeyNavigation(False)
        self.cells.setShowGrid(False)
        self.add_button = Button(theme, "Add spelling", icon="plus")
        self.remove_button = Button(theme, "Remove", icon="minus")
        self._buttons = QWidget()
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.add_button)
        row.addWidget(self.remove_button)
        row.addStretch(1)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.cells) + 1, self._buttons)
        self.add_button.clicked.connect(self._add)
        self.remove_button.clicked.connect(self.remove_current)
        self.cells.itemChanged.connect(self._typed)
        theme.changed.connect(self._size)
        self._size()

    def refresh(self) -> None:
        value = self.value()
        rows = list(value.items()) if isinstance(value, dict) else []
        if rows == self._rows and self.cells.rowCount() == len(rows):
            return
        self._fill(rows)

    def reveal(self, problem: Problem) -> QWidget:
        self.cells.setFocus()
        key = problem.path[len(self.path)] if len(problem.path) > len(self.path) else None
        for place, (name, _) in enumerate(self._rows):
            if name == key:
                self.cells.setCurrentCell(place, 0)
        return self.cells

    def paste(self, text: str) -> None:
        pairs = [line.split("\t", 1) for line in text.splitlines() if line.strip()]
        added = {pair[0].strip(): pair[1].strip() if len(pair) > 1 else "" for pair in pairs}
        self._send({**dict(self._rows), **added})

    @Slot()
    def remove_current(self) -> None:
        row = self.cells.currentRow()
        if 0 <= row < len(self._rows):
            self._send(dict(self._rows[:row] + self._rows[row + 1 :]))

    def _fill(self, rows: list[tuple[str, Any]]) -> None:
        row, column = self.cells.currentRow(), max(self.cells.currentColumn(), 0)
        self._filling = True
        self._rows = rows
        self.cells.setRowCount(len(rows))
        for place, (key, value) in enumerate(rows):
            self.cells.setItem(place, 0, QTableWidgetItem(key))
            self.cells.setItem(place, 1, QTableWidgetItem(as_text(value)))
        self._filling = False
        if rows:
            self.cells.setCurrentCell(min(max(row, 0), len(rows) - 1), column)
        self.remove_button.setEnabled(bool(rows))
        self._size()

    def _send(self, value: dict[str, Any]) -> None:
        if value or self.value() is not ABSENT:
            self.send(value)
        self.refresh()

    @Slot()
    def _add(self) -> None:
        number = 1
        while f"spelling {number}" in dict(self._rows):
            number += 1
        self._send({**dict(self._rows), f"spelling {number}": ""})
        self.cells.setCurrentCell(len(self._rows) - 1, 0)
        self.cells.setFocus()
        item = self.cells.item(len(self._rows) - 1, 0)
        if item is not None:
            self.cells.editItem(item)

    @Slot(QTableWidgetItem)
    def _typed(self, item: QTableWidgetItem) -> None:
        row = item.row()
        if self._filling or not 0 <= row < len(self._rows):
            return
        rows = list(self._rows)
        key, value = rows[row]
        rows[row] = (item.text(), value) if item.column() == 0 else (key, item.text())
        if rows == self._rows:
            return
        if len({name for name, _ in rows}) < len(rows):
            name = item.text()
            # The cells are made anew: `item` is gone after this.
            self._fill(self._rows)
            self.show_problem(f"“{name}” is there already.", "Change the row that has it.", hint=True)
            return
        self._rows = rows
        self.send(dict(rows))

    @Slot()
    def _size(self) -> None:
        theme = self._theme
        self.cells.setFont(theme.font(Type.MONO))
        self.cells.horizontalHeader().setFont(theme.font(Type.SMALL, bold=True))
        self.cells.verticalHeader().setDefaultSectionSize(theme.row_height())
        rows = min(max(self.cells.rowCount(), 2), 6)
        self.cells.setFixedHeight(theme.row_height() * (rows + 1) + theme.px(8))
        layout = self._buttons.layout()
        if layout is not None:
            layout.setSpacing(theme.px(8))
