"""The rows of a two-level table: entries, and below each the spellings that stand for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import (
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QPainter,
    QPalette,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from desktop.gui.editor.form.fields import as_text
from desktop.gui.editor.form.list_keys import take_list_key
from packs.task.spellings import Spellings

_USUAL = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
_Position = QAbstractItemView.DropIndicatorPosition
_ROW = int(Qt.ItemDataRole.UserRole)


class RowKind(Enum):
    ENTRY = "entry"
    OTHER = "other"
    STRAY = "stray"
    """Stands above spellings whose entry is not there."""


@dataclass(frozen=True, slots=True)
class TwoLevelRow:
    """key: number of an entry, a spelling, or what stray spellings stand for. told: the second column.

    spoken: for a screen reader, with all that a person sees.
    """

    kind: RowKind
    key: Any
    text: str
    reported: str
    spoken: str
    below: tuple[TwoLevelRow, ...] = ()


def rows_of(now: Spellings, entry: str, other: str) -> list[TwoLevelRow]:
    """entry, other: what one is called. Strays come last."""
    owned: dict[int, list[str]] = {}
    for spelling, owner in now.owners().items():
        if owner is not None:
            owned.setdefault(owner, []).append(spelling)
    rows = []
    for place, value in enumerate(now.entries):
        text, own = as_text(value), owned.get(place, [])
        reported = _count(len(own), other) if own else ""
        spoken = f"{text}, {entry}" + (f", {reported}" if reported else "")
        rows.append(TwoLevelRow(RowKind.ENTRY, place, text, reported, spoken, _others(own, text)))
    for target, own_strays in now.strays().items():
        reported = f"is no {entry}"
        rows.append(
            TwoLevelRow(
                RowKind.STRAY, target, target, reported, f"{target}, {reported}", _others(own_strays, target)
            )
        )
    return rows


def _others(spellings: Sequence[str], target: str) -> tuple[TwoLevelRow, ...]:
    return tuple(
        TwoLevelRow(RowKind.OTHER, name, as_text(name), "also accepted", f"{as_text(name)}, counts as {target}")
        for name in spellings
    )


def _count(number: int, kind: str) -> str:
    return f"{number} {kind}{'' if number == 1 else 's'}"


class Owner(Protocol):
    """What the rows ask for: each is an edit of the document."""

    def paste(self, text: str) -> None: ...
    def remove_current(self) -> None: ...
    def edit_or_add(self) -> None: ...
    def move_current(self, step: int) -> None: ...
    def move_entry(self, place: int, target: int) -> None: ...
    def move_other(self, spelling: str, target: int) -> None: ...


class _Typed(QStyledItemDelegate):
    """The line that is typed into goes to the end of the row, however short the text is."""

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        above = editor.parentWidget()
        view = above.rect() if above is not None else option.rect
        room = QRect(option.rect)
        if option.direction is Qt.LayoutDirection.RightToLeft:
            room.setLeft(view.left())
            room.setRight(min(room.right(), view.right()))
        else:
            room.setLeft(max(room.left(), view.left()))
            room.setRight(view.right())
        editor.setGeometry(room)


class _SideNote(QStyledItemDelegate):
    """What is told beside a row stands back behind the row's own text."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        muted = option.palette.color(QPalette.ColorRole.PlaceholderText)
        for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
            option.palette.setColor(role, muted)


class TwoLevelRows(QTreeWidget):
    """Shows rows and asks its owner for every edit; a drag never moves a row by itself."""

    def __init__(self, owner: Owner) -> None:
        super().__init__()
        self._owner = owner
        self._rows: list[TwoLevelRow] = []
        self._filling = False
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAllColumnsShowFocus(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setExpandsOnDoubleClick(False)
        self.setItemDelegateForColumn(0, _Typed(self))
        self.setItemDelegateForColumn(1, _SideNote(self))

    @property
    def is_filling(self) -> bool:
        return self._filling

    # What is shown

    def show_rows(self, rows: Sequence[TwoLevelRow]) -> None:
        """In place where the same rows have other words, so that what is folded and chosen stays."""
        if not self.has_shape_of(rows):
            self._make(rows)
        self._rows = list(rows)
        self._filling = True
        for item, row in zip(self._items(), _flat(rows), strict=True):
            item.setData(0, _ROW, row)
            item.setText(0, row.text)
            item.setText(1, row.reported)
            item.setToolTip(0, row.text)
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, row.spoken)
        self._filling = False

    def has_shape_of(self, rows: Sequence[TwoLevelRow]) -> bool:
        """Are there as many entries, and as many spellings below each?"""
        return [(row.kind, len(row.below)) for row in rows] == [
            (row.kind, len(row.below)) for row in self._rows
        ]

    def put_text(self, item: QTreeWidgetItem, text: str) -> None:
        """Without an edit of the document."""
        self._filling = True
        item.setText(0, text)
        self._filling = False

    def _make(self, rows: Sequence[TwoLevelRow]) -> None:
        folded = {row.text for row, item in zip(self._rows, self._top(), strict=True) if not item.isExpanded()}
        number = self.number()
        self._filling = True
        self.clear()
        for row in rows:
            item = QTreeWidgetItem()
            drag = Qt.ItemFlag.NoItemFlags if row.kind is RowKind.STRAY else Qt.ItemFlag.ItemIsDragEnabled
            item.setFlags(_USUAL | drag | Qt.ItemFlag.ItemIsDropEnabled)
            for _ in row.below:
                below = QTreeWidgetItem(item)
                below.setFlags(_USUAL | Qt.ItemFlag.ItemIsDragEnabled | Qt.ItemFlag.ItemIsDropEnabled)
            self.addTopLevelItem(item)
            item.setExpanded(not row.below or row.text not in folded)
        self._rows = list(rows)
        for item, row in zip(self._items(), _flat(rows), strict=True):
            item.setData(0, _ROW, row)
        self._filling = False
        self.go_to_number(number)

    def row_of(self, item: QTreeWidgetItem | None) -> TwoLevelRow | None:
        row = item.data(0, _ROW) if item is not None else None
        return row if isinstance(row, TwoLevelRow) else None

    def row(self) -> TwoLevelRow | None:
        """The current one; None where there is none."""
        return self.row_of(self.currentItem())

    def number(self) -> int:
        """Of the current row among all, spellings counted; 0 for none."""
        current = self.currentItem()
        return next((at for at, item in enumerate(self._items()) if item is current), 0)

    def go_to_number(self, number: int) -> None:
        """The last one where there are not so many."""
        items = list(self._items())
        if items:
            self._go(items[min(number, len(items) - 1)])

    def go_to(self, kind: RowKind, key: object) -> QTreeWidgetItem | None:
        """Choose the row and bring it into view; None where there is no such row."""
        for item in self._items():
            row = self.row_of(item)
            if row is not None and row.kind is kind and row.key == key:
                self._go(item)
                return item
        return None

    def _go(self, item: QTreeWidgetItem) -> None:
        above = item.parent()
        if above is not None:
            above.setExpanded(True)
        self.setCurrentItem(item, 0)
        self.scrollToItem(item)

    def shown_count(self) -> int:
        """Rows that are not folded away."""
        return sum(1 + (item.childCount() if item.isExpanded() else 0) for item in self._top())

    def row_heights(self, maximum: int) -> list[int]:
        """Of the first rows, px."""
        items = [item for item, _ in zip(self._items(), range(maximum), strict=False)]
        return [self.sizeHintForIndex(self.indexFromItem(item, 0)).height() for item in items]

    def _top(self) -> list[QTreeWidgetItem]:
        items = [self.topLevelItem(at) for at in range(self.topLevelItemCount())]
        return [item for item in items if item is not None]

    def _items(self) -> Iterator[QTreeWidgetItem]:
        for item in self._top():
            yield item
            below = [item.child(at) for at in range(item.childCount())]
            yield from (other for other in below if other is not None)

    # What a person does

    def edit(  # type: ignore[override]
        self, index: QModelIndex | QPersistentModelIndex, trigger: QAbstractItemView.EditTrigger, event: QEvent
    ) -> bool:
        """Only the first column is typed into, wherever the row was clicked."""
        return super().edit(index.sibling(index.row(), 0), trigger, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() is QAbstractItemView.State.EditingState
        if not take_list_key(self._owner, event, editing=editing):
            super().keyPressEvent(event)

    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        """The chosen row is marked over its whole width."""
        if self.selectionModel().isSelected(index):
            painter.fillRect(rect, self.palette().highlight())
        super().drawBranches(painter, rect, index)

    def dropEvent(self, event: QDropEvent) -> None:
        target = self.itemAt(event.position().toPoint())
        self.drop(self.currentItem(), target, self.dropIndicatorPosition())
        # The rows are made from the document; the view is to move nothing. It ends what a drag began.
        self.dragLeaveEvent(QDragLeaveEvent())
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()

    def drop(
        self, dragged: QTreeWidgetItem | None, target: QTreeWidgetItem | None, position: _Position
    ) -> None:
        """An entry goes before or after another, a spelling to the entry that it is dropped on or in."""
        row = self.row_of(dragged)
        if row is None:
            return
        above = target.parent() or target if target is not None else None
        over = self.row_of(above)
        last = self._entries() - 1
        place = over.key if over is not None and over.kind is RowKind.ENTRY else last
        if row.kind is RowKind.OTHER and over is not None and over.kind is RowKind.ENTRY:
            self._owner.move_other(row.key, place)
        elif row.kind is RowKind.ENTRY:
            before = target is above and position is _Position.AboveItem
            if place < row.key and not before and over is not None and position is not _Position.OnItem:
                place += 1
            elif place > row.key and before:
                place -= 1
            self._owner.move_entry(row.key, min(place, last))

    def _entries(self) -> int:
        return sum(row.kind is RowKind.ENTRY for row in self._rows)


def _flat(rows: Sequence[TwoLevelRow]) -> Iterator[TwoLevelRow]:
    for row in rows:
        yield row
        yield from row.below
