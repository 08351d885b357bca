"""Examples × candidates, one cell each, coloured and lettered by cause; fills in while a run goes on.

    matrix = CauseMatrix(theme)
    matrix.set_axes(["SmolLM2-135M", "gemma-3-270m"], ["001", "002", "003"])
    matrix.set_cells([(0, 0, Cause.CORRECT), (0, 1, Cause.WRONG)])      # (candidate, example, cause)
    matrix.set_current(0, 2)                                            # being written now
    matrix.cell_opened.connect(self._open)                              # Enter or double click
Up to 1,000 × 20 cells; only changed cells are painted again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QToolTip, QWidget

from desktop.gui.theme import Theme, Type
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.cause_cells import CELL, CauseCells
from desktop.gui.widgets.matrix_geometry import MatrixGeometry, lay_out
from packs.task.outcome import Cause

# Which cause a narrow column shows when it stands for several examples: what most wants to be looked at.
_DARKEST = (
    Cause.WRONG,
    Cause.GATE_FAILED,
    Cause.UNREADABLE,
    Cause.CRASHED,
    Cause.OUT_OF_MEMORY,
    Cause.SERVER_ERROR,
    Cause.TIMED_OUT,
    Cause.TEMPLATE_SUSPECTED,
    Cause.INPUT_CUT,
    Cause.ANSWER_CUT,
    Cause.REASONING_USED_IT_UP,
    Cause.EMPTY,
    Cause.PARTLY_CORRECT,
    Cause.CORRECT,
    Cause.CANCELLED,
    Cause.NOT_RUN,
)
_RANK = {cause: place for place, cause in enumerate(_DARKEST)}


class CauseMatrix(QAbstractScrollArea):
    """Arrow keys, Home, End and Page keys walk; the cell under the cursor becomes the accessible name."""

    cell_chosen = Signal(int, int)
    """The cursor came to (candidate, example)."""
    cell_opened = Signal(int, int)
    """Enter or double click on (candidate, example)."""

    def __init__(self, theme: Theme, name: str = "Examples by model", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = name
        self._cells = CauseCells(theme)
        self._candidates: tuple[str, ...] = ()
        self._examples: tuple[str, ...] = ()
        self._causes: list[list[Cause | None]] = []
        self._current: tuple[int, int] | None = None
        self._cursor = (0, 0)
        self._open_pixmap: tuple[object, QPixmap] | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(name)
        self.cell_layout = self._lay_out()
        theme.changed.connect(self._restyle)

    # --- content --------------------------------------------------------------------------------------------

    def set_axes(self, candidates: Sequence[str], examples: Sequence[str]) -> None:
        """Start anew with open cells."""
        self._candidates, self._examples = tuple(candidates), tuple(examples)
        self._causes = [[None] * len(self._examples) for _ in self._candidates]
        self._current = None
        self._cursor = (0, 0)
        self._place()
        self._say()

    def set_cells(self, changes: Iterable[tuple[int, int, Cause | None]]) -> None:
        """(candidate, example, cause); None opens a cell again. Only these cells are painted again."""
        for candidate, example, cause in changes:
            if self._causes[candidate][example] is not cause:
                self._causes[candidate][example] = cause
                self._repaint(candidate, example)
                if (candidate, example) == self._cursor:
                    self._say()

    def set_current(self, candidate: int | None, example: int | None) -> None:
        """The cell being worked on; None for none."""
        before = self._current
        self._current = None if candidate is None or example is None else (candidate, example)
        for place in (before, self._current):
            if place is not None:
                self._repaint(*place)

    def cause(self, candidate: int, example: int) -> Cause | None:
        return self._causes[candidate][example]

    @property
    def cursor_cell(self) -> tuple[int, int]:
        """(candidate, example)."""
        return self._cursor

    def present(self) -> list[Cause]:
        """The causes that occur, for a legend."""
        return list({cause for row in self._causes for cause in row if cause is not None})

    def message(self, candidate: int, example: int) -> str:
        """'example 016, SmolLM2-360M, unreadable'."""
        cause = self._causes[candidate][example]
        if cause is None:
            state = "being written" if (candidate, example) == self._current else "open"
        else:
            state = cause.message
        return f"example {self._examples[example]}, {self._candidates[candidate]}, {state}"

    def move_to(self, candidate: int, example: int) -> None:
        """Put the cursor there and bring it into view; places outside become the nearest inside."""
        if not self._candidates or not self._examples:
            return
        place = (
            min(max(candidate, 0), len(self._candidates) - 1),
            min(max(example, 0), len(self._examples) - 1),
        )
        before, self._cursor = self._cursor, place
        self._show(place)
        self._repaint(*before)
        self._repaint(*place)
        self._say()
        self.cell_chosen.emit(*place)

    # --- geometry -------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        bar = self.horizontalScrollBar()
        extra = bar.sizeHint().height() if self.cell_layout.width > self.viewport().width() else 0
        return QSize(self._theme.chars(80), self.cell_layout.height + extra + 2)

    def minimumSizeHint(self) -> QSize:
        theme = self._theme
        rows = min(max(len(self._candidates), 1), 4)
        return QSize(theme.chars(30), self.cell_layout.top + rows * self.cell_layout.row_pitch + 2)

    def _lay_out(self) -> MatrixGeometry:
        theme = self._theme
        px = theme.px
        metrics = theme.metrics(Type.SMALL)
        longest = max((metrics.horizontalAdvance(name) for name in (*self._candidates, "Example")), default=0)
        left = min(longest + px(14), max(self.viewport().width() // 3, theme.chars(8)))
        return lay_out(
            rows=len(self._candidates),
            examples=len(self._examples),
            width=self.viewport().width(),
            left=left,
            top=max(px(22), metrics.height() + px(6)),
            cell=px(CELL),
            narrow=px(24),
            wide=px(34),
            row_pitch=max(px(24), metrics.height() + px(4)),
        )

    def _place(self) -> None:
        self.cell_layout = self._lay_out()
        view = self.viewport()
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setRange(0, max(self.cell_layout.width - view.width(), 0))
        across.setPageStep(max(view.width() - self.cell_layout.left, 1))
        across.setSingleStep(self.cell_layout.column_pitch)
        down.setRange(0, max(self.cell_layout.height - view.height(), 0))
        down.setPageStep(max(view.height() - self.cell_layout.top, 1))
        down.setSingleStep(self.cell_layout.row_pitch)
        self.updateGeometry()
        view.update()

    def rect_of(self, candidate: int, example: int) -> QRect:
        """On the viewport."""
        x, y, width, height = self.cell_layout.box(candidate, self.cell_layout.column_of(example))
        return QRect(
            x - self.horizontalScrollBar().value(), y - self.verticalScrollBar().value(), width, height
        )

    def _repaint(self, candidate: int, example: int) -> None:
        if candidate < len(self._candidates) and example < len(self._examples):
            self.viewport().update(self.rect_of(candidate, example).adjusted(-4, -4, 4, 4))

    def _show(self, place: tuple[int, int]) -> None:
        x, y, width, height = self.cell_layout.box(place[0], self.cell_layout.column_of(place[1]))
        view, margin = self.viewport(), self._theme.px(8)
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(
            min(max(across.value(), x + width + margin - view.width()), x - self.cell_layout.left - margin)
        )
        down.setValue(min(max(down.value(), y + height + margin - view.height()), y - self.cell_layout.top))

    # --- events ---------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._repaint(*self._cursor)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._repaint(*self._cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        candidate, example = self._cursor
        key = event.key()
        step = -1 if self.isRightToLeft() else 1
        page = (
            max(self.viewport().width() // max(self.cell_layout.column_pitch, 1), 1)
            * self.cell_layout.per_column
        )
        target = {
            Qt.Key.Key_Left: (candidate, example - step * self.cell_layout.per_column),
            Qt.Key.Key_Right: (candidate, example + step * self.cell_layout.per_column),
            Qt.Key.Key_Up: (candidate - 1, example),
            Qt.Key.Key_Down: (candidate + 1, example),
            Qt.Key.Key_Home: (candidate, 0),
            Qt.Key.Key_End: (candidate, len(self._examples) - 1),
            Qt.Key.Key_PageUp: (candidate, example - page),
            Qt.Key.Key_PageDown: (candidate, example + page),
        }.get(Qt.Key(key))
        if target is not None:
            self.move_to(*target)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._candidates and self._examples:
            self.cell_opened.emit(candidate, example)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._under(event.position().toPoint())
        if place is not None and event.button() is Qt.MouseButton.LeftButton:
            self.move_to(*place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        # Taken with the press; else it would go on to whatever lies behind.
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self._under(event.position().toPoint())
        if place is not None:
            self.cell_opened.emit(*place)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            place = self._under(event.pos())
            QToolTip.showText(event.globalPos(), self.tooltip_of(place) if place else "", self)
            return True
        return super().viewportEvent(event)

    def _under(self, at: QPoint) -> tuple[int, int] | None:
        if at.x() < self.cell_layout.left or at.y() < self.cell_layout.top:
            return None
        return self.cell_layout.at(
            at.x() + self.horizontalScrollBar().value(), at.y() + self.verticalScrollBar().value()
        )

    def tooltip_of(self, place: tuple[int, int]) -> str:
        candidate, example = place
        span = self.cell_layout.span(self.cell_layout.column_of(example))
        if len(span) == 1:
            return self.message(candidate, example)
        counted = Counter(self._causes[candidate][each] for each in span)
        parts = [f"{counted[cause]} {cause.message}" for cause in _DARKEST if counted[cause]]
        if counted[None]:
            parts.append(f"{counted[None]} open")
        first, last = self._examples[span[0]], self._examples[span[-1]]
        return f"examples {first} to {last}, {self._candidates[candidate]}: {', '.join(parts)}"

    def _say(self) -> None:
        message = self.message(*self._cursor) if self._candidates and self._examples else self._name
        self.setAccessibleName(message)
        self.setAccessibleDescription(self._name)

    # --- painting -------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        view, geometry = self.viewport(), self.cell_layout
        painter = QPainter(view)
        dirty = event.rect()
        self._paint_names(painter)
        self._paint_numbers(painter)
        room = QRect(geometry.left - 4, geometry.top - 4, view.width(), view.height())
        painter.setClipRect(room.intersected(dirty))
        dx, dy = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        first_column = max((dirty.left() + dx - geometry.left) // geometry.column_pitch, 0)
        last_column = min((dirty.right() + dx - geometry.left) // geometry.column_pitch, geometry.columns - 1)
        first_row = max((dirty.top() + dy - geometry.top) // geometry.row_pitch, 0)
        last_row = min((dirty.bottom() + dy - geometry.top) // geometry.row_pitch, geometry.rows - 1)
        for row in range(first_row, last_row + 1):
            if geometry.letters:
                self._paint_lettered(painter, row, range(first_column, last_column + 1), dx, dy)
            else:
                self._paint_narrow(painter, row, range(first_column, last_column + 1), dx, dy)
        if self.hasFocus() and self._candidates and self._examples:
            ring = QRectF(self.rect_of(*self._cursor)).adjusted(-3, -3, 3, 3)
            frame(painter, ring, fill=None, edge=self._theme.tokens.focus, width=2, radius=3)
        painter.end()

    def _paint_names(self, painter: QPainter) -> None:
        theme, geometry = self._theme, self.cell_layout
        metrics = theme.metrics(Type.SMALL)
        painter.save()
        painter.setClipRect(QRect(0, geometry.top - 2, geometry.left, self.viewport().height()))
        painter.setFont(theme.font(Type.SMALL))
        painter.setPen(QColor(theme.tokens.text))
        room = geometry.left - theme.px(12)
        for row, name in enumerate(self._candidates):
            top = geometry.top + row * geometry.row_pitch - self.verticalScrollBar().value()
            text = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(QRectF(0, top, room + 2, geometry.row_pitch), Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _paint_numbers(self, painter: QPainter) -> None:
        """1, 5, 10 … over the columns, as far apart as the figures need."""
        theme, geometry = self._theme, self.cell_layout
        metrics = theme.metrics(Type.SMALL)
        height = geometry.top
        painter.save()
        painter.setFont(theme.font(Type.SMALL, bold=True))
        painter.setPen(QColor(theme.tokens.text))
        painter.drawText(QRectF(0, 0, geometry.left, height - 2), Qt.AlignmentFlag.AlignVCenter, "Example")
        painter.setClipRect(QRect(geometry.left, 0, self.viewport().width(), height))
        painter.setFont(theme.font(Type.SMALL))
        painter.setPen(QColor(theme.tokens.muted))
        needed = metrics.horizontalAdvance(str(len(self._examples))) + theme.px(10)
        per_example = geometry.column_pitch / geometry.per_column
        step = next((s for s in (5, 10, 20, 50, 100, 200, 500) if s * per_example >= needed), 1000)
        dx = self.horizontalScrollBar().value()
        for number in (1, *range(step, len(self._examples) + 1, step)):
            column = geometry.column_of(number - 1)
            middle = geometry.left + (column + 0.5) * geometry.column_pitch - dx
            box = QRectF(middle - needed, 0, 2 * needed, height - 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(number))
        painter.restore()

    def _paint_lettered(self, painter: QPainter, row: int, columns: range, dx: int, dy: int) -> None:
        theme, geometry = self._theme, self.cell_layout
        ratio = self.devicePixelRatioF()
        causes = self._causes[row]
        for column in columns:
            x, y, width, height = geometry.box(row, column)
            cause = causes[column]
            if cause is not None:
                painter.drawPixmap(x - dx, y - dy, self._cells.pixmap(cause, width, ratio))
            elif (row, column) == self._current:
                box = QRectF(x - dx, y - dy, width, height).adjusted(-1, -1, 1, 1)
                frame(painter, box, fill=theme.tokens.panel, edge=theme.tokens.focus, width=2, radius=3)
            else:
                painter.drawPixmap(x - dx, y - dy, self._open(width, ratio))

    def _paint_narrow(self, painter: QPainter, row: int, columns: range, dx: int, dy: int) -> None:
        tokens, geometry = self._theme.tokens, self.cell_layout
        fills = {cause: QColor(look.fill) for cause, look in tokens.causes.items()}
        # Without letters the pale "did not happen" needs a ground of its own.
        fills[Cause.NOT_RUN] = fills[Cause.CANCELLED] = QColor(tokens.border)
        open_fill, now_fill = QColor(tokens.track), QColor(tokens.focus)
        causes = self._causes[row]
        for column in columns:
            x, y, width, height = geometry.box(row, column)
            span = geometry.span(column)
            present = [cause for cause in causes[span.start : span.stop] if cause is not None]
            fill = open_fill
            if present:
                fill = fills[min(present, key=_RANK.__getitem__)]
            if self._current is not None and self._current[0] == row and self._current[1] in span:
                fill = now_fill
            painter.fillRect(x - dx, y - dy, width, height, fill)

    def _open(self, side: int, ratio: float) -> QPixmap:
        key = (side, ratio, self._theme.tokens)
        if self._open_pixmap is None or self._open_pixmap[0] != key:
            pixmap = QPixmap(QSize(side, side) * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            edge = self._theme.tokens.border
            frame(painter, QRectF(0, 0, side, side), fill=None, edge=edge, radius=2, dashed=True)
            painter.end()
            self._open_pixmap = (key, pixmap)
        return self._open_pixmap[1]

    @Slot()
    def _restyle(self) -> None:
        self._place()
