"""One table model over a list of frozen rows, its columns as data. Every table of the Runs place is one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

R = TypeVar("R")

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()

SORT_ROLE = int(Qt.ItemDataRole.UserRole) + 201
"""The value to sort by: a number, a text or None (unknown sorts last)."""
ROW_ROLE = SORT_ROLE + 1
"""The whole frozen row."""

UNKNOWN = "–"


@dataclass(frozen=True, slots=True)
class Column(Generic[R]):
    """text: what stands in the cell. sort: its key, the text itself when left out. spoken: the accessible text
    without the heading, the text itself when left out. roles: more for a delegate, by role number."""

    header: str
    text: Callable[[R], str]
    right: bool = False
    """Figures stand on the right."""
    tooltip: Callable[[R], str] | None = None
    sort: Callable[[R], Any] | None = None
    spoken: Callable[[R], str] | None = None
    roles: Mapping[int, Callable[[R], Any]] = field(default_factory=dict)


class RowsModel(QAbstractTableModel, Generic[R]):
    """Rows change in batches: one signal for a batch, whatever its size."""

    def __init__(self, columns: Sequence[Column[R]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: list[R] = []

    @property
    def rows(self) -> Sequence[R]:
        return self._rows

    def row(self, number: int) -> R:
        return self._rows[number]

    def set_rows(self, rows: Iterable[R]) -> None:
        """Everything anew."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def set_columns(self, columns: Sequence[Column[R]], rows: Iterable[R]) -> None:
        """Other columns and rows at once."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self._rows = list(rows)
        self.endResetModel()

    def append(self, rows: Sequence[R]) -> None:
        if not rows:
            return
        first = len(self._rows)
        self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
        self._rows.extend(rows)
        self.endInsertRows()

    def remove_first(self, count: int) -> None:
        count = min(count, len(self._rows))
        if count < 1:
            return
        self.beginRemoveRows(QModelIndex(), 0, count - 1)
        del self._rows[:count]
        self.endRemoveRows()

    def remove(self, number: int) -> R:
        self.beginRemoveRows(QModelIndex(), number, number)
        row = self._rows.pop(number)
        self.endRemoveRows()
        return row

    def insert(self, number: int, row: R) -> None:
        self.beginInsertRows(QModelIndex(), number, number)
        self._rows.insert(number, row)
        self.endInsertRows()

    def change(self, rows: Mapping[int, R]) -> None:
        """Put new rows in place of old ones; one `dataChanged` that spans them all."""
        if not rows:
            return
        for number, row in rows.items():
            self._rows[number] = row
        self.dataChanged.emit(self.index(min(rows), 0), self.index(max(rows), max(0, len(self.columns) - 1)))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == SORT_ROLE:
            return (column.sort or column.text)(row)
        if role == ROW_ROLE:
            return row
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tooltip(row) if column.tooltip is not None else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            message = (column.spoken or column.text)(row)
            return f"{column.header}: {message}" if column.header else message
        more = column.roles.get(role)
        return more(row) if more is not None else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.header
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """In Python, by the columns' own keys; what is unknown stays last either way."""
        if not 0 <= column < len(self.columns):
            return
        chosen = self.columns[column]
        key = chosen.sort or chosen.text
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keyed = [(key(row), place) for place, row in enumerate(self._rows)]
        known = [entry for entry in keyed if entry[0] is not None]
        known.sort(key=lambda entry: entry[0], reverse=order == Qt.SortOrder.DescendingOrder)
        order_of = [place for _, place in known] + [place for value, place in keyed if value is None]
        new_place = {old: new for new, old in enumerate(order_of)}
        self._rows = [self._rows[place] for place in order_of]
        self.changePersistentIndexList(
            before, [self.index(new_place[index.row()], index.column()) for index in before]
        )
        self.layoutChanged.emit()
