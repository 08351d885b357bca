"""The examples as a table that is filtered, sorted and changed row by row: 10,000 of them without a stall."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

from desktop.application.example_rows import ExampleRow
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from packs.task.content import example_order

_ASCENDING = Qt.SortOrder.AscendingOrder


class ExampleList(RowsModel[ExampleRow]):
    """All rows are kept in the order of their files; those shown are found and sorted anew only when asked."""

    def __init__(self, columns: Sequence[Column[ExampleRow]], parent: QObject | None = None) -> None:
        super().__init__(columns, parent)
        self._all: list[ExampleRow] = []
        self._needle = ""
        self._sorting: tuple[int, Qt.SortOrder] | None = None

    @property
    def all_rows(self) -> Sequence[ExampleRow]:
        return self._all

    def set_all(self, rows: Iterable[ExampleRow]) -> None:
        self._all = list(rows)
        self._show()

    def set_filter(self, needle: str) -> None:
        """Only rows that hold these letters, small or capital."""
        self._needle = needle.casefold()
        self._show()

    def place_of(self, file: str) -> int | None:
        """The shown row of a file; None when it is not shown."""
        if self._sorting is None:
            return _find(self.rows, file)
        return next((at for at, row in enumerate(self.rows) if row.file == file), None)

    def put(self, row: ExampleRow) -> None:
        """A new row, or another one for the same file."""
        at = _slot(self._all, row.file)
        known = at < len(self._all) and self._all[at].file == row.file
        if known:
            self._all[at] = row
        else:
            self._all.insert(at, row)
        place = self.place_of(row.file)
        if place is not None:
            self.change({place: row})
        elif not known and self._fits(row):
            self.insert(_slot(self.rows, row.file) if self._sorting is None else len(self.rows), row)

    def take(self, file: str) -> None:
        """Its file is gone."""
        at = _find(self._all, file)
        if at is None:
            return
        del self._all[at]
        place = self.place_of(file)
        if place is not None:
            self.remove(place)

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        """By a column; -1 goes back to the order of the files."""
        self._sorting = (column, order) if column >= 0 else None
        if self._sorting is None:
            self._show()
        else:
            super().sort(column, order)

    def _show(self) -> None:
        rows = [row for row in self._all if self._fits(row)] if self._needle else self._all
        self.set_rows(rows)
        if self._sorting is not None:
            super().sort(*self._sorting)

    def _fits(self, row: ExampleRow) -> bool:
        needle = self._needle
        return (
            not needle
            or needle in row.input.casefold()
            or needle in row.expected.casefold()
            or needle in row.id.casefold()
        )


def _slot(rows: Sequence[ExampleRow], file: str) -> int:
    return bisect_left(rows, example_order(file), key=_order)


def _find(rows: Sequence[ExampleRow], file: str) -> int | None:
    at = _slot(rows, file)
    return at if at < len(rows) and rows[at].file == file else None


def _order(row: ExampleRow) -> bytes:
    return example_order(row.file)


class ExamplesTable(Table):
    """Delete takes the chosen rows away, Ctrl+V adds those of a spreadsheet."""

    delete_asked = Signal()
    paste_asked = Signal()

    def paste(self) -> None:
        self.paste_asked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste):
            self.paste()
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_asked.emit()
        else:
            super().keyPressEvent(event)
