"""A list of texts with the other spellings of each in rows below it: labels and their aliases, as one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QTreeWidgetItem, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.form.fields import ABSENT, BoundField, as_text
from desktop.gui.editor.form.two_level_rows import RowKind, TwoLevelRows, rows_of
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from packs.documents.problems import FieldPath, Problem
from packs.errors import AppError
from packs.task.content import Change, UnreadableContent
from packs.task.spellings import Spellings

_SHOWN_ROWS = 12


class TwoLevelField(BoundField):
    """Enter edits, Delete removes, Alt+Up and Alt+Down move, Ctrl+V pastes lines, Left and Right fold.

    An entry takes its spellings along when it is renamed, moved or removed; a spelling is moved or dragged to
    another entry. Each act is one step of undo.
    """

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        file: str,
        path: FieldPath,
        others: str,
        label: str,
        *,
        entry: str = "entry",
        other: str = "spelling",
        note: str = "",
    ) -> None:
        """path: of the list. others: name of the mapping beside it. entry, other: what one is called."""
        self.rows = TwoLevelRows(self)
        super().__init__(theme, document, file, path, label, self.rows, note=note)
        self._others = others
        self._entry = entry
        self._other = other
        self._now = Spellings()
        self._typing = False
        self._new: tuple[RowKind, Any, FieldPath] | None = None
        """The row that was just added, and the place of that step: naming it belongs to it."""
        self._count_new = 0
        self.add_button = Button(theme, f"Add {entry}", icon="plus")
        self.add_other_button = Button(theme, f"Add {other}", icon="plus")
        self.remove_button = Button(theme, "Remove", icon="minus")
        self.up_button = Button(theme, "Up", icon="chevron-up")
        self.down_button = Button(theme, "Down", icon="chevron-down")
        self._buttons = QWidget()
        line = QHBoxLayout(self._buttons)
        line.setContentsMargins(0, 0, 0, 0)
        for button in self._all_buttons():
            line.addWidget(button)
        line.addStretch(1)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.rows) + 1, self._buttons)
        self.add_button.clicked.connect(self.add)
        self.add_other_button.clicked.connect(self.add_other)
        self.remove_button.clicked.connect(self.remove_current)
        self.up_button.clicked.connect(self._up)
        self.down_button.clicked.connect(self._down)
        self.rows.itemChanged.connect(self._typed)
        self.rows.currentItemChanged.connect(self._enable)
        self.rows.itemExpanded.connect(self._size)
        self.rows.itemCollapsed.connect(self._size)
        self.rows.horizontalScrollBar().rangeChanged.connect(self._size)
        self.rows.installEventFilter(self)
        theme.changed.connect(self._size)
        self.rows.show_rows(rows_of(self._now, self._entry, self._other))
        self._enable()
        self._size()

    def _all_buttons(self) -> tuple[Button, ...]:
        return (self.add_button, self.add_other_button, self.remove_button, self.up_button, self.down_button)

    @property
    def _beside(self) -> FieldPath:
        return (*self.path[:-1], self._others)

    def owns(self, problem: Problem) -> bool:
        beside = problem.file == self.file and problem.path[: len(self._beside)] == self._beside
        return beside or super().owns(problem)

    def refresh(self) -> None:
        listed = self.value()
        entries = listed if isinstance(listed, list) else ([] if listed is ABSENT else [listed])
        others = self._value_beside()
        now = Spellings(tuple(entries), dict(others) if isinstance(others, dict) else {})
        # The order of spellings counts too: dicts are equal in any order.
        if (now.entries, list(now.others.items())) == (self._now.entries, list(self._now.others.items())):
            return
        self._now = now
        rows = rows_of(now, self._entry, self._other)
        if self._typing and not self.rows.has_shape_of(rows):
            # The line of the row is still open: its row must not go yet.
            QTimer.singleShot(0, self._show_all)
        else:
            self.rows.show_rows(rows)
        self._size()
        self._enable()

    def reveal(self, problem: Problem) -> QWidget:
        self.rows.setFocus()
        for path, kind in ((self._beside, RowKind.OTHER), (self.path, RowKind.ENTRY)):
            if problem.path[: len(path)] == path and len(problem.path) > len(path):
                self.rows.go_to(kind, problem.path[len(path)])
        return self.rows

    # What a person does

    def paste(self, text: str) -> None:
        """Each line that is not blank becomes an entry after the current one, or a spelling beside one."""
        lines = [line.strip() for line in text.replace("\t", "\n").splitlines() if line.strip()]
        row = self.rows.row()
        if not lines:
            return
        if row is not None and row.kind is RowKind.OTHER:
            new = [line for line in dict.fromkeys(lines) if line not in self._now.others]
            if not new:
                self._say_known(lines[0])
                return
            self._do(
                self._now.add_spellings(new, self._now.others[row.key]), _reported("paste", new, self._other)
            )
            self.rows.go_to(RowKind.OTHER, new[-1])
            return
        at = self._after()
        self._do(self._now.add(at, lines), _reported("paste", lines, self._entry))
        self.rows.go_to(RowKind.ENTRY, at + len(lines) - 1)

    @Slot()
    def add(self) -> None:
        at = self._after()
        self._count_new += 1
        number = len(self._now.entries) + 1
        while f"new {self._entry} {number}" in self._now.entries:
            number += 1
        place: FieldPath = (*self.path, at, "new", self._count_new)
        self._do(self._now.add(at, [f"new {self._entry} {number}"]), f"add {self._entry}", place)
        self._edit_new(RowKind.ENTRY, at, place)

    @Slot()
    def add_other(self) -> None:
        """For the current entry, or that of the current spelling."""
        target = self._current_target()
        if target is None:
            return
        self._count_new += 1
        number = 1
        while f"new {self._other} {number}" in self._now.others:
            number += 1
        name = f"new {self._other} {number}"
        place: FieldPath = (*self._beside, "new", self._count_new)
        self._do(self._now.add_spellings([name], target), f"add {self._other} of {as_text(target)}", place)
        self._edit_new(RowKind.OTHER, name, place)

    @Slot()
    def remove_current(self) -> None:
        row = self.rows.row()
        if row is None:
            return
        below = self.rows.number()
        if row.kind is RowKind.ENTRY:
            self._do(self._now.remove(row.key), f"remove {self._entry} {row.text}")
        elif row.kind is RowKind.OTHER:
            self._do(self._now.remove_spellings([row.key]), f"remove {self._other} {row.text}")
        else:
            gone = self._now.strays()[row.key]
            self._do(self._now.remove_spellings(gone), _reported("remove", gone, self._other))
        self.rows.go_to_number(below)

    def edit_or_add(self) -> None:
        item = self.rows.currentItem()
        if item is None:
            self.add()
        else:
            self.rows.editItem(item, 0)

    def move_current(self, step: int) -> None:
        """An entry in the order; a spelling to the entry before or after its own."""
        row = self.rows.row()
        if row is None:
            return
        count = len(self._now.entries)
        if row.kind is RowKind.ENTRY and 0 <= row.key + step < count:
            self.move_entry(row.key, row.key + step)
        elif row.kind is RowKind.OTHER:
            owner = self._now.owners()[row.key]
            target = (count - 1 if step < 0 else count) if owner is None else owner + step
            if 0 <= target < count:
                self.move_other(row.key, target)

    def move_entry(self, place: int, target: int) -> None:
        """target: its number when it has moved."""
        if place != target:
            name = as_text(self._now.entries[place])
            self._do(self._now.move(place, target), f"move {self._entry} {name}")
            self.rows.go_to(RowKind.ENTRY, target)

    def move_other(self, spelling: str, target: int) -> None:
        """It counts as the entry of that number then."""
        entry = self._now.entries[target]
        if self._now.owners()[spelling] != target:
            self._do(self._now.add_spellings([spelling], entry), f"count {spelling} as {as_text(entry)}")
            self.rows.go_to(RowKind.OTHER, spelling)

    @Slot(QTreeWidgetItem)
    def _typed(self, item: QTreeWidgetItem) -> None:
        row = self.rows.row_of(item)
        text = item.text(0)
        if self.rows.is_filling or row is None or row.text == text:
            return
        is_new = self._new is not None and self._new[:2] == (row.kind, row.key)
        place = self._new[2] if self._new is not None and is_new else None
        self._typing = True
        if row.kind is RowKind.ENTRY and text not in self._now.entries:
            self._do(self._now.rename(row.key, text), f"rename {self._entry} {row.text}", place)
        elif row.kind is RowKind.OTHER and text not in self._now.others:
            self._do(self._now.rename_spelling(row.key, text), f"rename {self._other} {row.text}", place)
        elif row.kind is RowKind.STRAY:
            strays = self._now.strays()[row.key]
            self._do(self._now.add_spellings(strays, text), _reported(f"count as {text}:", strays, self._other))
        else:
            self.rows.put_text(item, row.text)
            self._say_known(text)
        self._typing = False

    @Slot()
    def _show_all(self) -> None:
        self.rows.show_rows(rows_of(self._now, self._entry, self._other))
        self._size()
        self._enable()

    @Slot()
    def _up(self) -> None:
        self.move_current(-1)

    @Slot()
    def _down(self) -> None:
        self.move_current(1)

    # How it is done

    def _do(self, new: Spellings, message: str, place: FieldPath | None = None) -> None:
        """One step. place: steps with the same one after the other are one, such as adding and naming."""
        self._new = None
        try:
            change = self._change(new, message)
        except (KeyError, UnreadableContent, AppError) as error:
            self.refused.emit(str(error))
            return
        self.document.push(replace(change, place=None if place is None else (self.file, place)))
        self.refresh()

    def _change(self, new: Spellings, message: str) -> Change:
        content = self.document.content
        above = self.path[:-1]
        try:
            held = content.value(self.file, above)
        except KeyError:
            held = {}
        if not isinstance(held, dict):
            raise KeyError(above)
        both: dict[str, Any] = {**held, str(self.path[-1]): list(new.entries)}
        if new.others != self._now.others or list(new.others) != list(self._now.others):
            both[self._others] = dict(new.others)
        return content.put(self.file, above, both, message)

    def _value_beside(self) -> Any:
        try:
            return self.document.content.value(self.file, self._beside)
        except (KeyError, UnreadableContent):
            return ABSENT

    def _after(self) -> int:
        """Where a new entry goes: after the current one, at the end from elsewhere."""
        row = self.rows.row()
        if row is not None and row.kind is RowKind.ENTRY:
            return int(row.key) + 1
        owner = self._now.owners()[row.key] if row is not None and row.kind is RowKind.OTHER else None
        return len(self._now.entries) if owner is None else owner + 1

    def _current_target(self) -> Any:
        row = self.rows.row()
        if row is None:
            return None
        if row.kind is RowKind.ENTRY:
            return self._now.entries[row.key]
        return self._now.others[row.key] if row.kind is RowKind.OTHER else row.key

    def _edit_new(self, kind: RowKind, key: Any, place: FieldPath) -> None:
        self.rows.setFocus()
        item = self.rows.go_to(kind, key)
        if item is not None:
            self.rows.editItem(item, 0)
            self._new = (kind, key, place)

    def _say_known(self, name: str) -> None:
        self.show_problem(f"“{name}” is there already.", "Change the row that has it.", hint=True)

    @Slot()
    def _enable(self) -> None:
        row, count = self.rows.row(), len(self._now.entries)
        self.remove_button.setEnabled(row is not None)
        self.add_other_button.setEnabled(row is not None)
        place: int | None = None
        if row is not None:
            place = row.key if row.kind is RowKind.ENTRY else None
            if row.kind is RowKind.OTHER:
                owner = self._now.owners().get(row.key)
                place = count if owner is None else owner
        self.up_button.setEnabled(place is not None and place > 0)
        self.down_button.setEnabled(place is not None and place < count - 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The table's own keys win over the window's shortcuts while it has the focus.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            own = event.matches(QKeySequence.StandardKey.Paste) or event.key() == Qt.Key.Key_Delete
            if own:
                event.accept()
                return True
        return super().eventFilter(watched, event)

    @Slot()
    def _size(self) -> None:
        theme = self._theme
        self.rows.setFont(theme.font(Type.MONO))
        self.rows.setIndentation(theme.px(20))
        usual = self.rows.fontMetrics().height() + theme.px(8)
        # The row that is highest counts: scripts differ.
        heights = self.rows.row_heights(_SHOWN_ROWS)
        seen = min(max(self.rows.shown_count(), 3), _SHOWN_ROWS)
        bar = self.rows.horizontalScrollBar()
        room = bar.sizeHint().height() if bar.maximum() > 0 else 0
        height = max([usual, *heights]) * seen + 2 * self.rows.frameWidth() + theme.px(4) + room
        self.rows.setFixedHeight(height)
        line = self._buttons.layout()
        if line is not None:
            line.setSpacing(theme.px(8))


def _reported(act: str, names: Sequence[str], kind: str) -> str:
    return f"{act} {kind} {names[0]}" if len(names) == 1 else f"{act} {len(names)} {kind}s"
