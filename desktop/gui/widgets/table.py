"""The table all tables are: hairlines between rows, small bold headings, a bar at the chosen row's start.

table = Table(theme, "Candidates")          # the name is said to assistive tools
table.setModel(model)
table.use_delegate(0, RunsDelegate(theme, table))
table.set_widths((28, 12, 8, None))         # in characters; None takes what is left
table.chosen.connect(self._open)            # Enter or double click: int row of the table's own model
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QTableView,
    QWidget,
)

from desktop.gui.theme import Theme, Type

FLEXIBLE_CHARACTERS = 20


class Table(QTableView):
    """Rows of `row_design` design pixels: 28 for one line, 36 with a bar, 44 for two lines.

    Figures stand right by the model's TextAlignmentRole; unknown is "–" with its reason as tooltip.
    framed: its own hairline around it; off inside a panel. Tab leaves the table; arrow keys walk in it.
    """

    chosen = Signal(int)
    """Row that was opened with Enter or a double click."""

    def __init__(
        self,
        theme: Theme,
        name: str,
        *,
        row_design: int = 28,
        framed: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        if not framed:
            self.setFrameShape(QFrame.Shape.NoFrame)
        self._theme = theme
        self._row_design = row_design
        self._widths: tuple[float | None, ...] = ()
        self._flexible_least: float = FLEXIBLE_CHARACTERS
        self._delegates: list[QAbstractItemDelegate] = []
        self.setAccessibleName(name)
        self.setProperty("hairlines", True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        # A fixed height: measuring 100,000 rows one by one takes most of a minute.
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        # Else the style's margin for headings decides how low a row may be.
        self.verticalHeader().setMinimumSectionSize(1)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(theme.px(24))
        header.setAccessibleName(f"{name}: headings")
        self.doubleClicked.connect(self._double_clicked)
        theme.changed.connect(self._restyle)
        self._restyle()

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        self._size_columns()

    def use_delegate(self, column: int, delegate: QAbstractItemDelegate) -> None:
        """Qt does not own delegates; the table keeps them alive."""
        self._delegates.append(delegate)
        self.setItemDelegateForColumn(column, delegate)

    def set_widths(self, characters: Sequence[float | None], least: float = FLEXIBLE_CHARACTERS) -> None:
        """Starting widths by column; the one that is None stretches, and keeps room for `least` characters."""
        self._widths = tuple(characters)
        self._flexible_least = least
        self._size_columns()

    def fit_height(self, max_rows: int = 12) -> None:
        """As high as its rows need, up to `most_rows`."""
        model: QAbstractItemModel | None = self.model()
        rows = min(model.rowCount() if model is not None else 0, max_rows)
        # Without a column the header has no height of its own.
        height = (
            max(0, self.horizontalHeader().sizeHint().height())
            + rows * self.verticalHeader().defaultSectionSize()
        )
        self.setFixedHeight(height + 2 * self.frameWidth())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
            event.accept()
            return
        digit = event.key() - Qt.Key.Key_1
        if event.modifiers() == Qt.KeyboardModifier.AltModifier and 0 <= digit < 9 and self._sort_by(digit):
            event.accept()
            return
        super().keyPressEvent(event)

    def _sort_by(self, number: int) -> bool:
        """By a column, counted from 0 among those that are seen; as a click on its heading does."""
        header = self.horizontalHeader()
        seen = [column for column in range(header.count()) if not self.isColumnHidden(column)]
        if not header.sectionsClickable() or not header.isSortIndicatorShown() or number >= len(seen):
            return False
        column, up = seen[number], Qt.SortOrder.AscendingOrder
        if header.sortIndicatorSection() != column:
            header.setSortIndicator(column, up)
        elif header.sortIndicatorOrder() == up:
            header.setSortIndicator(column, Qt.SortOrder.DescendingOrder)
        else:
            header.setSortIndicator(-1 if header.isSortIndicatorClearable() else column, up)
        return True

    @Slot(QModelIndex)
    def _double_clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        seen = self._sees_current(self.viewport().height())
        self.setFont(theme.font())
        header = self.horizontalHeader()
        header.setFont(theme.font(Type.SMALL, bold=True))
        header.setFixedHeight(max(theme.px(28), theme.metrics(Type.SMALL, bold=True).height() + theme.px(10)))
        self.verticalHeader().setDefaultSectionSize(theme.row_height(self._row_design) + 1)
        self._size_columns()
        if seen:
            self.scrollTo(self.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The current row stays in view when the table becomes lower."""
        seen = self._sees_current(event.oldSize().height())
        super().resizeEvent(event)
        self._stretch()
        if seen:
            self.scrollTo(self.currentIndex())

    def _sees_current(self, height: int) -> bool:
        """Is the current row in view, in a table of this height?"""
        current = self.currentIndex()
        return current.isValid() and 0 <= self.visualRect(current).top() < height

    def _size_columns(self) -> None:
        model: QAbstractItemModel | None = self.model()
        if model is None:
            return
        header = self.horizontalHeader()
        for column, characters in enumerate(self._widths[: model.columnCount()]):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            if characters is not None:
                self.setColumnWidth(column, self._least(column, characters))
        self._stretch()

    def _least(self, column: int, characters: float) -> int:
        """Wide enough for so many characters and for the heading."""
        message = str(self.model().headerData(column, Qt.Orientation.Horizontal) or "")
        heading = self._theme.metrics(Type.SMALL, bold=True).horizontalAdvance(message) + self._theme.px(36)
        return max(self._theme.chars(characters) + self._theme.px(20), heading)

    def _stretch(self) -> None:
        """Columns without a width share what is left, but stay readable; then the table scrolls sideways.

        Qt's own stretching would let them shrink to nothing.
        """
        model: QAbstractItemModel | None = self.model()
        if model is None:
            return
        count = min(model.columnCount(), len(self._widths))
        flexible = [column for column in range(count) if self._widths[column] is None]
        if not flexible:
            return
        fixed = sum(self.columnWidth(column) for column in range(model.columnCount()) if column not in flexible)
        share = (self.viewport().width() - fixed) // len(flexible)
        for column in flexible:
            self.setColumnWidth(column, max(share, self._least(column, self._flexible_least)))
