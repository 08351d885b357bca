"""The table of models with its filter: columns that follow the width, and rows looked up by what they are."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtWidgets import QWidget

from desktop.application.model_entries import ModelRow
from desktop.gui.models import table_model as columns
from desktop.gui.models.name_delegate import NameDelegate
from desktop.gui.models.table_model import ModelsFilter, ModelsTableModel
from desktop.gui.theme import Theme
from desktop.gui.widgets.chip import ChipDelegate
from desktop.gui.widgets.memory_bar import MemoryDelegate
from desktop.gui.widgets.rows_model import ROW_ROLE
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import RunsDelegate

ROW_DESIGN = 36
_NAME_CHARS = (34, 54)
"""Least and usual width of the names."""
_BAR_LEAST = 150
_WIDTHS = (_NAME_CHARS[1], 20, 7, 18, 25, 12, 12)


class ModelsTable(Table):
    """`rows_model` holds the rows, `rows_filter` is what the table shows of them, in which order."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Models", row_design=ROW_DESIGN, parent=parent)
        self._sizes = theme
        self.rows_model = ModelsTableModel(self)
        self.rows_filter = ModelsFilter(self)
        self.rows_filter.setSourceModel(self.rows_model)
        self.setModel(self.rows_filter)
        self.use_delegate(columns.NAME, NameDelegate(theme, self))
        self.use_delegate(columns.MEMORY, MemoryDelegate(theme, self))
        self.use_delegate(columns.VERDICT, ChipDelegate(theme, self))
        self.use_delegate(columns.SPEED, RunsDelegate(theme, self))
        self.set_widths(_WIDTHS)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.viewport().installEventFilter(self)
        theme.changed.connect(self._follow_theme)
        self._follow_theme()

    def chosen_row(self) -> ModelRow | None:
        return _row_of(self.currentIndex().siblingAtColumn(0).data(ROW_ROLE))

    def choose(self, fits: Callable[[ModelRow], bool]) -> bool:
        """Go to the first row shown for which `fits` holds; False when there is none."""
        for number in range(self.rows_filter.rowCount()):
            index = self.rows_filter.index(number, 0)
            row = _row_of(index.data(ROW_ROLE))
            if row is not None and fits(row):
                self.setCurrentIndex(index)
                return True
        return False

    def rows_in_sight(self) -> list[int]:
        """Numbers in `rows_model` of what is seen now, and of the chosen row."""
        top = max(self.rowAt(0), 0)
        bottom = self.rowAt(self.viewport().height() - 1)
        last = bottom if bottom >= 0 else self.rows_filter.rowCount() - 1
        current = self.currentIndex().row()
        seen = {*range(top, last + 1), *((current,) if current >= 0 else ())}
        return [
            self.rows_filter.mapToSource(self.rows_filter.index(number, 0)).row() for number in sorted(seen)
        ]

    def sort_again(self) -> None:
        """Rows were put in anew: as the headings say."""
        header = self.horizontalHeader()
        self.rows_model.sort(header.sortIndicatorSection(), header.sortIndicatorOrder())

    def minimumSizeHint(self) -> QSize:
        """Two rows and the headings: with these the place has room in the smallest window."""
        least = super().minimumSizeHint()
        heading, row = self.horizontalHeader().height(), self.verticalHeader().defaultSectionSize()
        return QSize(least.width(), heading + 2 * row + self.horizontalScrollBar().sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.viewport() and event.type() is QEvent.Type.Resize:
            self._fit_columns()
        return super().eventFilter(watched, event)

    def _fit_columns(self) -> None:
        """The bars take what is left; where that is little, names get shorter, and then the table scrolls."""
        theme = self._sizes
        others = sum(self.columnWidth(number) for number in range(columns.GIB, columns.MEASURED + 1))
        room = self.viewport().width() - others
        least, usual = (theme.chars(count) + theme.px(20) for count in _NAME_CHARS)
        bar = theme.px(_BAR_LEAST)
        name = min(usual, max(least, room - bar))
        self.setColumnWidth(columns.NAME, name)
        self.setColumnWidth(columns.MEMORY, max(bar, room - name))

    @Slot()
    def _follow_theme(self) -> None:
        self.updateGeometry()
        self._fit_columns()


def _row_of(value: object) -> ModelRow | None:
    return value if isinstance(value, ModelRow) else None
