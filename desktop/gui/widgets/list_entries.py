"""Lists of things to open: recent packs and runs, sample packs. One model, one painting delegate, one view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame, hline
from desktop.gui.widgets.chip import ChipLook, chip_size, paint_chip
from desktop.gui.widgets.text_runs import Run, Runs, paint_runs

Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
ENTRY_ROLE = int(Qt.ItemDataRole.UserRole) + 1


@dataclass(frozen=True, slots=True)
class ListEntry:
    """key: what is opened. detail: second line, none for rows of one line. end: small text at the end."""

    key: str
    title: str
    end: str = ""
    icon: str = ""
    detail: Runs | None = None
    chip: ChipLook | None = None
    tooltip: str = ""

    @property
    def plain(self) -> str:
        parts = [self.title, self.detail.plain if self.detail else "", self.chip.text if self.chip else ""]
        return ", ".join(part for part in (*parts, self.end) if part)


class EntryListModel(QAbstractListModel):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._things: tuple[ListEntry, ...] = ()

    def set_things(self, things: Sequence[ListEntry]) -> None:
        if tuple(things) == self._things:
            return
        self.beginResetModel()
        self._things = tuple(things)
        self.endResetModel()

    def thing(self, row: int) -> ListEntry:
        return self._things[row]

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._things)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._things):
            return None
        thing = self._things[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return thing.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return thing.plain
        if role == Qt.ItemDataRole.ToolTipRole:
            return thing.tooltip or thing.plain
        if role == ENTRY_ROLE:
            return thing
        return None


class EntryDelegate(QStyledItemDelegate):
    """Icon, title, second line, chip and end; hairline between rows."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def _end_width(self, index: Index) -> float:
        """The widest of all rows, so that chips stand in one column."""
        model = index.model()
        things = (model.index(row, 0).data(ENTRY_ROLE) for row in range(model.rowCount()))
        metrics = self._theme.metrics(Type.SMALL)
        return max(metrics.horizontalAdvance(thing.end) for thing in things if isinstance(thing, ListEntry)) + 2

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        thing = index.data(ENTRY_ROLE)
        two_lines = isinstance(thing, ListEntry) and thing.detail is not None
        return QSize(self._theme.chars(20), self._theme.row_height(44 if two_lines else 36))

    def whole_width(self, index: Index) -> int:
        """Of a row with nothing cut."""
        thing, px = index.data(ENTRY_ROLE), self._theme.px
        if not isinstance(thing, ListEntry):
            return 0
        message = self._theme.metrics(bold=thing.detail is not None).horizontalAdvance(thing.title)
        width = message + 2 * px(12) + 4
        width += px(32) if thing.icon else 0
        width += round(self._end_width(index)) + px(12) if thing.end else 0
        width += chip_size(self._theme, thing.chip).width() + px(12) if thing.chip is not None else 0
        return width

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        thing = index.data(ENTRY_ROLE)
        if not isinstance(thing, ListEntry):
            return
        theme, tokens = self._theme, self._theme.tokens
        rect = QRectF(option.rect)
        state = option.state
        if state & (QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_HasFocus):
            ground = tokens.selection if state & QStyle.StateFlag.State_HasFocus else tokens.alt
            painter.fillRect(rect, QColor(ground))
        if index.row() < index.model().rowCount() - 1:
            hline(painter, rect.left(), rect.right(), rect.bottom() - 1, tokens.border)
        padding = theme.px(12)
        left, right = rect.left() + padding, rect.right() - padding
        if thing.icon:
            side = theme.px(20)
            box = QRectF(left, rect.center().y() - side / 2, side, side)
            theme.icons.paint(painter, thing.icon, box, tokens.muted)
            left += side + padding
        if thing.end:
            end = (Run(thing.end, kind=Type.SMALL, tone=Tone.MUTED),)
            width = self._end_width(index)
            paint_runs(painter, QRectF(right - width, rect.top(), width, rect.height()), end, theme, right=True)
            right -= width + padding
        if thing.chip is not None:
            size = chip_size(theme, thing.chip)
            box = QRectF(
                right - size.width(), rect.center().y() - size.height() / 2, size.width(), size.height()
            )
            paint_chip(painter, box, thing.chip, theme)
            right -= size.width() + padding
        room = QRectF(left, rect.top(), max(right - left, 1), rect.height() - 1)
        if thing.detail is None:
            paint_runs(painter, room, (Run(thing.title),), theme)
        else:
            body, small = theme.metrics().height(), theme.metrics(Type.SMALL).height()
            top = room.center().y() - (body + small) / 2
            title = QRectF(room.left(), top, room.width(), body)
            paint_runs(painter, title, (Run(thing.title, bold=True),), theme)
            detail = QRectF(room.left(), top + body, room.width(), small)
            paint_runs(painter, detail, thing.detail.parts, theme)
        if state & QStyle.StateFlag.State_HasFocus:
            frame(painter, rect.adjusted(0, 0, 0, -1), fill=None, edge=tokens.focus, width=2, radius=3)


class EntryList(QListView):
    """As high as its rows; a click or Enter opens. `removed` comes with Delete where that is allowed."""

    opened = Signal(str)
    removed = Signal(str)

    def __init__(
        self, theme: Theme, name: str, *, removable: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._removable = removable
        self.things = EntryListModel(self)
        self.setModel(self.things)
        self._delegate = EntryDelegate(theme, self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(name)
        if removable:
            self.setAccessibleDescription("Enter opens, Delete takes it from the list")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        theme.changed.connect(self._restyle)

    def set_things(self, things: Sequence[ListEntry]) -> None:
        self.things.set_things(things)
        self._restyle()
        if things and not self.currentIndex().isValid():
            self.setCurrentIndex(self.things.index(0))

    def sizeHint(self) -> QSize:
        heights = sum(self.sizeHintForRow(row) for row in range(self.things.rowCount()))
        return QSize(self._theme.chars(50), max(heights, 1))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.chars(24), self.sizeHint().height())

    def width_of_whole_rows(self) -> int:
        """So wide that no row has to be cut."""
        return max(
            (self._delegate.whole_width(self.things.index(row)) for row in range(self.things.rowCount())),
            default=0,
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and index.isValid():
            self._open(index)
        elif event.key() == Qt.Key.Key_Delete and self._removable and index.isValid():
            self.removed.emit(self.things.thing(index.row()).key)
        else:
            super().keyPressEvent(event)

    @Slot(QModelIndex)
    def _open(self, index: QModelIndex) -> None:
        if index.isValid():
            self.opened.emit(self.things.thing(index.row()).key)

    @Slot()
    def _restyle(self) -> None:
        self.doItemsLayout()
        self.updateGeometry()
