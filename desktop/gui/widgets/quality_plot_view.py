"""The size/quality plot as a widget: points can be chosen by mouse and by arrow keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop.gui.theme import Theme
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.painted import Painted
from desktop.gui.widgets.quality_plot import paint_quality_plot
from desktop.gui.widgets.shape_painter import PlotStyle
from desktop.reports.quality_plot import PlotPoint


class QualityPlot(Painted):
    """plot.show_points(points); plot.point_chosen tells the index in that list."""

    point_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._points: tuple[PlotPoint, ...] = ()
        self._chosen: int | None = None
        self.places: dict[int, QRectF] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Right answers against memory")

    def show_points(self, points: Sequence[PlotPoint]) -> None:
        self._points = tuple(points)
        self._chosen = None
        self.setAccessibleName("Right answers against memory")
        self.setAccessibleDescription("; ".join(point.plain for point in self._points))
        self.update()

    def choose(self, index: int | None) -> None:
        """Mark a point without telling anybody."""
        self._chosen = index
        if index is not None:
            self.setAccessibleName(self._points[index].plain)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.chars(60), self._theme.px(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.chars(36), self._theme.px(180))

    def _paint(self, painter: QPainter) -> None:
        style = PlotStyle.of_theme(self._theme)
        room = QRectF(self.rect()).adjusted(4, 4, -4, -4)
        self.places = paint_quality_plot(painter, room, self._points, style, self._chosen)
        if self.hasFocus():
            frame(painter, self.rect(), fill=None, edge=self._theme.tokens.focus, width=2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}.get(
            Qt.Key(event.key())
        )
        order = sorted(
            (i for i, p in enumerate(self._points) if p.memory_gib is not None),
            key=lambda i: self._points[i].memory_gib or 0.0,
        )
        if step is None or not order:
            super().keyPressEvent(event)
            return
        if self._chosen in order:
            place = min(max(order.index(self._chosen) + step, 0), len(order) - 1)
        else:
            place = 0 if step > 0 else len(order) - 1
        self._notify(order[place])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._under(event.position().x(), event.position().y())
        if index is not None:
            self._notify(index)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            index = self._under(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), "" if index is None else self._points[index].plain, self)
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _under(self, x: float, y: float) -> int | None:
        reach = self._theme.px(6)
        for index, box in self.places.items():
            if box.adjusted(-reach, -reach, reach, reach).contains(x, y):
                return index
        return None

    def _notify(self, index: int) -> None:
        self.choose(index)
        self.point_chosen.emit(index)
