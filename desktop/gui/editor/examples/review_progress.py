"""How far a review is, example by example."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from desktop.gui.theme import Theme
from desktop.gui.theme.strokes import frame
from packs.task.review import ReviewState


class ReviewProgress(QWidget):
    """A segment an example: accepted full, edited striped, rejected an outline with a cross, now a ring."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._states: list[ReviewState] = []
        self._now = -1
        self.setAccessibleName("Progress of the review")
        theme.changed.connect(self.update)

    def show_states(self, states: Sequence[ReviewState], now: int) -> None:
        self._states, self._now = list(states), now
        decided = sum(state is not ReviewState.DRAFTED for state in states)
        self.setAccessibleDescription(f"{decided} of {len(states)} decided")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(200), self._theme.px(18))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(80), self._theme.px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._states:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        pitch = self.width() / len(self._states)
        gap = 2 if pitch > 6 else 0
        for place, state in enumerate(self._states):
            box = QRectF(place * pitch + gap / 2, 3, max(pitch - gap, 1), self.height() - 6)
            match state:
                case ReviewState.ACCEPTED:
                    painter.fillRect(box, QColor(tokens.good))
                case ReviewState.EDITED:
                    painter.fillRect(box, QColor(tokens.good_soft))
                    painter.setPen(QColor(tokens.good))
                    x = box.left()
                    while x < box.right():
                        painter.drawLine(
                            round(x), round(box.bottom()), round(min(x + 6, box.right())), round(box.top())
                        )
                        x += 5
                case ReviewState.REJECTED:
                    frame(painter, box, fill=None, edge=tokens.control, radius=1)
                    painter.drawLine(box.topLeft(), box.bottomRight())
                    painter.drawLine(box.topRight(), box.bottomLeft())
                case ReviewState.DRAFTED:
                    painter.fillRect(box, QColor(tokens.track))
            if place == self._now:
                frame(painter, box.adjusted(-1, -2, 1, 2), fill=None, edge=tokens.focus, width=2, radius=2)
        painter.end()
