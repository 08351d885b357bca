"""The list of events: time, sign, the candidate's name strong, and the words on as many lines as needed."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QColor, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.application.live_run import EventLine
from desktop.gui.runs.live.events_model import EventsModel, event_text
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.rows_model import ROW_ROLE

Index = QModelIndex | QPersistentModelIndex

_SIGNS = {"good": ("tick", Tone.GOOD), "bad": ("problem", Tone.BAD), "warn": ("warning", Tone.WARN)}
_NOTE = ("play", Tone.MUTED)


class EventsDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line = index.data(ROW_ROLE)
        if not isinstance(line, EventLine):
            return
        theme, tokens = self._theme, self._theme.tokens
        rect = QRectF(option.rect)
        pad = theme.px(4)
        top = rect.top() + pad
        painter.save()
        painter.setFont(theme.figures(Type.SMALL))
        painter.setPen(QColor(tokens.muted))
        left = rect.left() + theme.px(12)
        height = theme.metrics(Type.SMALL).height()
        painter.drawText(QRectF(left, top, self._time_width(), height), Qt.AlignmentFlag.AlignLeft, line.at)
        sign, tone = _SIGNS.get(line.kind, _NOTE)
        side = theme.px(14)
        at = QRectF(left + self._time_width() + theme.px(8), top + (height - side) / 2, side, side)
        theme.icons.paint(painter, sign, at, tone.ink(tokens))
        painter.setPen(QColor(tokens.text))
        layout = self._layout(line, self._message_width(self._row_width(option)))
        layout.draw(painter, QPointF(rect.left() + self._indent(), top))
        if option.state & option.state.State_HasFocus:
            frame(painter, rect, fill=None, edge=tokens.focus, width=2.0, radius=2.0)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = index.data(ROW_ROLE)
        width = self._row_width(option)
        if not isinstance(line, EventLine):
            return QSize(width, self._theme.px(24))
        height = self._layout(line, self._message_width(width)).boundingRect().height()
        return QSize(width, round(height) + self._theme.px(8))

    @staticmethod
    def _row_width(option: QStyleOptionViewItem) -> int:
        """Without the scroll bar, whether it is there or not: else rows would be measured for another width."""
        view = option.widget
        if not isinstance(view, QAbstractItemView):
            return 320
        return view.width() - view.verticalScrollBar().sizeHint().width() - 2 * view.frameWidth()

    def _layout(self, line: EventLine, width: float) -> QTextLayout:
        layout = QTextLayout(event_text(line), self._theme.font(Type.SMALL))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        if line.subject:
            strong = QTextCharFormat()
            strong.setFontWeight(600)
            part = QTextLayout.FormatRange()
            part.start, part.length, part.format = 0, len(line.subject) + 1, strong
            layout.setFormats([part])
        layout.beginLayout()
        top = 0.0
        while (one := layout.createLine()).isValid():
            one.setLineWidth(max(width, 40.0))
            one.setPosition(QPointF(0, top))
            top += one.height()
        layout.endLayout()
        return layout

    def _time_width(self) -> int:
        return self._theme.metrics(Type.SMALL).horizontalAdvance("00:00:00") + self._theme.px(2)

    def _indent(self) -> int:
        return self._theme.px(12) + self._time_width() + self._theme.px(8 + 14 + 8)

    def _message_width(self, whole: int) -> float:
        return whole - self._indent() - self._theme.px(12)


class EventsView(QListView):
    """Stays at the newest event unless the person has scrolled up."""

    def __init__(self, theme: Theme, model: EventsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model
        self.setModel(model)
        self.setItemDelegate(EventsDelegate(theme, self))
        self.setAccessibleName("Events of the run")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(False)
        model.rowsAboutToBeInserted.connect(self._note_end)
        model.rowsInserted.connect(self._follow)
        self._at_end = True
        theme.changed.connect(self._restyle)

    @Slot()
    def _note_end(self) -> None:
        bar = self.verticalScrollBar()
        self._at_end = bar.value() >= bar.maximum() - self._theme.px(8)

    @Slot()
    def _follow(self) -> None:
        if self._at_end:
            # Rows are laid out in the next turn of the event loop; before that there is no bottom yet.
            QTimer.singleShot(0, self, self.scrollToBottom)

    @Slot()
    def _restyle(self) -> None:
        self.scheduleDelayedItemsLayout()
