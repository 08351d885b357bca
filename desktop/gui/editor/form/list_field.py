"""A list of texts: edited in place, in an order that can be changed, many lines pasted at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import ABSENT, BoundField, as_text
from desktop.gui.editor.form.list_keys import take_list_key
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from packs.documents.problems import FieldPath, Problem

_SHOWN_ROWS = 7
_EDITABLE = Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled


class _Lines(QListWidget):
    """Dragging changes the order; pasting several lines adds several entries."""

    def __init__(self, owner: ListField) -> None:
        super().__init__()
        self._owner = owner
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() is QAbstractItemView.State.EditingState
        if not take_list_key(self._owner, event, editing=editing):
            super().keyPressEvent(event)


class ListField(BoundField):
    """Enter adds or edits, Delete removes, Alt+Up and Alt+Down move, Ctrl+V pastes lines as entries."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        file: str,
        path: FieldPath,
        label: str,
        *,
        entry: str = "entry",
        note: str = "",
    ) -> None:
        """entry: what one is called on the buttons: 'label', 'field'."""
        self.lines = _Lines(self)
        super().__init__(theme, document, file, path, label, self.lines, note=note)
        self._entry = entry
        self._values: list[Any] = []
        self._filling = False
        self.add_button = Button(theme, f"Add {entry}", icon="plus")
        self.remove_button = Button(theme, "Remove", icon="minus")
        self.up_button = Button(theme, "Up", icon="chevron-up")
        self.down_button = Button(theme, "Down", icon="chevron-down")
        self._buttons = QWidget()
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (self.add_button, self.remove_button, self.up_button, self.down_button):
            row.addWidget(button)
        row.addStretch(1)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.lines) + 1, self._buttons)
        self.add_button.clicked.connect(self._add)
        self.remove_button.clicked.connect(self.remove_current)
        self.up_button.clicked.connect(self._up)
        self.down_button.clicked.connect(self._down)
        self.lines.itemChanged.connect(self._typed)
        self.lines.model().rowsMoved.connect(self._dragged)
        self.lines.currentRowChanged.connect(self._enable)
        self.lines.installEventFilter(self)
        theme.changed.connect(self._size)
        self._size()

    def refresh(self) -> None:
        value = self.value()
        values = value if isinstance(value, list) else ([] if value is ABSENT else [value])
        if values == self._values and self.lines.count() == len(values):
            return
        row = self.lines.currentRow()
        self._filling = True
        self.lines.clear()
        self._values = list(values)
        for entry in values:
            item = QListWidgetItem(as_text(entry))
            item.setFlags(item.flags() | _EDITABLE)
            self.lines.addItem(item)
        self._filling = False
        self.lines.setCurrentRow(min(max(row, 0), self.lines.count() - 1))
        self._size()
        self._enable()

    def reveal(self, problem: Problem) -> QWidget:
        self.lines.setFocus()
        place = problem.path[len(self.path)] if len(problem.path) > len(self.path) else None
        if isinstance(place, int) and 0 <= place < self.lines.count():
            self.lines.setCurrentRow(place)
            self.lines.scrollToItem(self.lines.item(place))
        return self.lines

    # What a person does

    def paste(self, text: str) -> None:
        """Each line that is not blank becomes an entry after the current one."""
        lines = [line.strip() for line in text.replace("\t", "\n").splitlines() if line.strip()]
        if not lines:
            return
        at = self.lines.currentRow() + 1 if self._values else 0
        self._replace([*self._values[:at], *lines, *self._values[at:]], at + len(lines) - 1)

    @Slot()
    def remove_current(self) -> None:
        row = self.lines.currentRow()
        if 0 <= row < len(self._values):
            self._replace([*self._values[:row], *self._values[row + 1 :]], row)

    def edit_or_add(self) -> None:
        if self.lines.currentRow() < 0:
            self._add()
        else:
            self.lines.editItem(self.lines.currentItem())

    def move_current(self, step: int) -> None:
        row = self.lines.currentRow()
        target = row + step
        if 0 <= row < len(self._values) and 0 <= target < len(self._values):
            values = list(self._values)
            values.insert(target, values.pop(row))
            self._replace(values, target)

    def _replace(self, values: Sequence[Any], row: int) -> None:
        self.send(list(values))
        self.refresh()
        self.lines.setCurrentRow(min(row, self.lines.count() - 1))

    @Slot()
    def _add(self) -> None:
        number = len(self._values) + 1
        name = f"new {self._entry} {number}"
        at = self.lines.currentRow() + 1 if self._values else 0
        self._replace([*self._values[:at], name, *self._values[at:]], at)
        item = self.lines.item(at)
        if item is not None:
            self.lines.setFocus()
            self.lines.editItem(item)

    @Slot()
    def _up(self) -> None:
        self.move_current(-1)

    @Slot()
    def _down(self) -> None:
        self.move_current(1)

    @Slot(QListWidgetItem)
    def _typed(self, item: QListWidgetItem) -> None:
        row = self.lines.row(item)
        if self._filling or not 0 <= row < len(self._values) or as_text(self._values[row]) == item.text():
            return
        values = list(self._values)
        values[row] = item.text()
        self._values = values
        self.send(values)

    @Slot()
    def _dragged(self) -> None:
        if self._filling:
            return
        by_text: dict[str, list[Any]] = {}
        for value in self._values:
            by_text.setdefault(as_text(value), []).append(value)
        texts = [self.lines.item(row).text() for row in range(self.lines.count())]
        if sorted(texts) == sorted(as_text(value) for value in self._values):
            self._values = [by_text[text].pop(0) for text in texts]
            self.send(list(self._values))

    @Slot()
    def _enable(self) -> None:
        row, count = self.lines.currentRow(), len(self._values)
        self.remove_button.setEnabled(row >= 0)
        self.up_button.setEnabled(row > 0)
        self.down_button.setEnabled(0 <= row < count - 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The list's own keys win over the window's shortcuts while it has the focus.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            own = event.matches(QKeySequence.StandardKey.Paste) or event.key() == Qt.Key.Key_Delete
            if own:
                event.accept()
                return True
        return super().eventFilter(watched, event)

    @Slot()
    def _size(self) -> None:
        self.lines.setFont(self._theme.font(Type.MONO))
        # The row that is highest counts: scripts differ.
        usual = self.lines.fontMetrics().height() + self._theme.px(8)
        rows = range(min(self.lines.count(), _SHOWN_ROWS))
        height = max([usual, *(self.lines.sizeHintForRow(row) for row in rows)])
        seen = min(max(self.lines.count(), 3), _SHOWN_ROWS)
        self.lines.setFixedHeight(height * seen + 2 * self.lines.frameWidth() + self._theme.px(4))
        row = self._buttons.layout()
        if row is not None:
            row.setSpacing(self._theme.px(8))
