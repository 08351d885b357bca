"""The cell of a cause: shape, colour and letter, readable without colour.

cells = CauseCells(theme)                                  # one for a window
painter.drawPixmap(x, y, cells.pixmap(Cause.WRONG, 18, ratio))
CauseLegend(theme, [Cause.CORRECT, Cause.WRONG])           # widget: cells with their words
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.foundation.colours import CAUSE_ORDER, CauseLook, CauseShape, Tokens
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.cell_delegate import paint_ground
from desktop.gui.widgets.flow import FlowLayout, wraps
from desktop.gui.widgets.painted import Painted
from desktop.gui.widgets.roles import CAUSE_ROLE, RUNS_ROLE
from desktop.gui.widgets.text_runs import Run, Runs, paint_runs, runs_width
from packs.task.outcome import Cause

CELL = 18
"""Design pixels of a cell with its letter."""


def cause_shape(rect: QRectF, shape: CauseShape) -> QPainterPath:
    """Outline of a cell."""
    path = QPainterPath()
    if shape is CauseShape.CIRCLE:
        path.addEllipse(rect)
    elif shape is CauseShape.CUT_CORNER:
        cut = rect.width() * 0.34
        path.moveTo(rect.topLeft() + QPointF(2, 0))
        path.lineTo(rect.right() - cut, rect.top())
        path.lineTo(rect.right(), rect.top() + cut)
        path.lineTo(rect.bottomRight())
        path.lineTo(rect.bottomLeft())
        path.lineTo(rect.topLeft())
        path.closeSubpath()
    else:
        path.addRoundedRect(rect, 2, 2)
    return path


def paint_cause(
    painter: QPainter,
    rect: QRectF,
    look: CauseLook,
    tokens: Tokens,
    font: QFont | None,
    letter: str | None = None,
) -> None:
    """One cell in vectors. font: of the letter; None paints the shape alone. letter: another text than the
    cause's own letter ('C 28' in a bar)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ink = QColor(look.ink)
    if look.shape is CauseShape.DASHED:
        pen = QPen(ink, 1)
        pen.setStyle(Qt.PenStyle.CustomDashLine)
        pen.setDashPattern([2, 2])
        painter.setPen(pen)
        painter.setBrush(QColor(look.fill))
        painter.drawPath(cause_shape(rect.adjusted(0.5, 0.5, -0.5, -0.5), look.shape))
    elif look.shape is CauseShape.HALF:
        inner = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        outline = cause_shape(inner, look.shape)
        painter.fillPath(outline, QColor(tokens.panel))
        lower = QPainterPath()
        lower.addRect(QRectF(rect.left(), rect.center().y(), rect.width(), rect.height() / 2))
        painter.fillPath(outline.intersected(lower), QColor(look.fill))
        painter.setPen(QPen(ink, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(outline)
    else:
        painter.fillPath(cause_shape(rect, look.shape), QColor(look.fill))
    if font is not None:
        painter.setFont(font)
        painter.setPen(ink)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, look.letter if letter is None else letter)
    painter.restore()


class CauseCells:
    """Pictures of the 16 causes, drawn once for each size and screen."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._drawn: dict[tuple[Cause, int, float, bool], QPixmap] = {}
        self._tokens = theme.tokens

    def pixmap(self, cause: Cause, side: int, ratio: float = 1.0) -> QPixmap:
        """side: logical pixels (zoomed already); under 12 there is no letter."""
        if self._tokens is not self._theme.tokens:
            self._drawn.clear()
            self._tokens = self._theme.tokens
        key = (cause, side, ratio, self._theme.tokens.dark)
        if key not in self._drawn:
            pixmap = QPixmap(QSize(side, side) * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            font = self._letter_font(side) if side >= 12 else None
            paint_cause(painter, QRectF(0, 0, side, side), self._tokens.causes[cause], self._tokens, font)
            painter.end()
            self._drawn[key] = pixmap
        return self._drawn[key]

    def _letter_font(self, side: int) -> QFont:
        font = self._theme.font(Type.LETTER)
        font.setPixelSize(max(round(side * 0.62), 8))
        return font


class CauseDelegate(QStyledItemDelegate):
    """A cause's cell and then text: `CAUSE_ROLE` with `RUNS_ROLE` or the display text behind it."""

    def __init__(self, theme: Theme, cells: CauseCells, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cells = cells

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        cause = index.data(CAUSE_ROLE)
        if cause not in CAUSE_ORDER:
            super().paint(painter, option, index)
            return
        theme = self._theme
        room = paint_ground(painter, option, theme)
        side = theme.px(CELL)
        ratio = painter.device().devicePixelRatio()
        at = QPointF(room.left(), round(room.center().y() - side / 2))
        painter.drawPixmap(at, self._cells.pixmap(Cause(cause), side, ratio))
        runs = self._runs(index)
        paint_runs(painter, room.adjusted(side + theme.px(8), 0, 0, 0), runs.parts, theme)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        width = runs_width(self._theme, self._runs(index).parts) + self._theme.px(CELL + 28)
        return QSize(round(width), self._theme.row_height())

    @staticmethod
    def _runs(index: QModelIndex | QPersistentModelIndex) -> Runs:
        value = index.data(RUNS_ROLE)
        if isinstance(value, Runs):
            return value
        return Runs((Run(str(index.data() or ""), kind=Type.MONO),))


class _LegendEntry(Painted):
    def __init__(self, theme: Theme, cells: CauseCells, cause: Cause, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._cells = cells
        self._cause = cause
        self.setAccessibleName(f"{theme.tokens.causes[cause].letter}: {cause.message}")

    def sizeHint(self) -> QSize:
        theme = self._theme
        metrics = theme.metrics(Type.SMALL)
        width = theme.px(CELL - 2) + theme.px(6) + metrics.horizontalAdvance(self._cause.message) + 2
        return QSize(width, max(theme.px(20), metrics.height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _paint(self, painter: QPainter) -> None:
        theme = self._theme
        side = theme.px(CELL - 2)
        pixmap = self._cells.pixmap(self._cause, side, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(0, round((self.height() - side) / 2)), pixmap)
        painter.setFont(theme.font(Type.SMALL))
        painter.setPen(QColor(Tone.MUTED.ink(theme.tokens)))
        box = QRectF(side + theme.px(6), 0, self.width(), self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._cause.message)


class CauseLegend(QWidget):
    """The causes that occur, each cell with its word; goes on in the next line when there is no room."""

    def __init__(self, theme: Theme, causes: Sequence[Cause] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cells = CauseCells(theme)
        self._shown: tuple[Cause, ...] = ()
        self._flow = FlowLayout(self, across=theme.px(14), down=theme.px(6))
        wraps(self)
        self.setAccessibleName("What the letters mean")
        self.set_causes(causes)

    @property
    def causes(self) -> tuple[Cause, ...]:
        return self._shown

    def set_causes(self, causes: Sequence[Cause]) -> None:
        """In the order of the bars, each once. Nothing happens when they are the same."""
        wanted = tuple(cause for cause in CAUSE_ORDER if cause in set(causes))
        if wanted == self._shown:
            return
        self._shown = wanted
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for cause in wanted:
            self._flow.addWidget(_LegendEntry(self._theme, self._cells, cause, self))
        self.updateGeometry()
