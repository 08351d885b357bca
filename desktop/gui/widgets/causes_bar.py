"""What became of the examples: one stacked bar a candidate, each part with its letter and count.

bars.show_rows([CauseRow("gemma-3-1b", {Cause.CORRECT: 28, Cause.WRONG: 2})])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop.foundation.colours import CAUSE_ORDER, CauseLook, CauseShape, Tokens
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.cause_cells import paint_cause
from desktop.gui.widgets.painted import Painted
from packs.task.outcome import Cause


@dataclass(frozen=True, slots=True)
class CauseRow:
    """counts: units by cause; causes that did not occur may be left out."""

    name: str
    counts: Mapping[Cause, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def plain(self) -> str:
        parts = [f"{self.counts[cause]} {cause.message}" for cause in CAUSE_ORDER if self.counts.get(cause)]
        return f"{self.name}: {', '.join(parts) or 'nothing yet'}"


_LETTER_ALONE = 26
"""Under this width (design pixels) a part shows its letter without the count."""


def bar_parts(counts: Mapping[Cause, int], width: float, smallest: float) -> list[tuple[Cause, float, float]]:
    """(cause, start, width) of each part that occurs, in the fixed order, 1 px apart.

    A part is at least `smallest` wide, so that one case in a thousand is still seen; the others give way.
    """
    present = [(cause, counts[cause]) for cause in CAUSE_ORDER if counts.get(cause, 0) > 0]
    total = sum(count for _, count in present)
    if not total or width <= 0:
        return []
    room = width - (len(present) - 1)
    smallest = min(smallest, room / len(present))
    wide = {cause: room * count / total for cause, count in present}
    small = {cause for cause, size in wide.items() if size < smallest}
    rest = sum(count for cause, count in present if cause not in small)
    left = room - smallest * len(small)
    x = 0.0
    parts = []
    for cause, count in present:
        size = smallest if cause in small else left * count / rest
        parts.append((cause, x, size))
        x += size + 1
    return parts


def paint_causes_bar(
    painter: QPainter,
    rect: QRectF,
    counts: Mapping[Cause, int],
    tokens: Tokens,
    font: QFont,
    scale: float = 1.0,
) -> None:
    """One bar that fills `rect`; in vectors, so it serves SVG and PDF too. scale: zoom as a factor."""
    metrics = QFontMetricsF(font)
    for cause, start, width in bar_parts(counts, rect.width(), metrics.horizontalAdvance("W") + 2):
        look = tokens.causes[cause]
        # In a bar every part is a plain box; only what did not happen keeps its dashed edge.
        shape = look.shape if look.shape in (CauseShape.DASHED, CauseShape.HALF) else CauseShape.SQUARE
        boxed = CauseLook(look.letter, shape, look.fill, look.ink)
        message = f"{look.letter} {counts[cause]}"
        if width < max(_LETTER_ALONE * scale, metrics.horizontalAdvance(message) + 4):
            message = look.letter if width >= metrics.horizontalAdvance(look.letter) else ""
        box = QRectF(rect.left() + start, rect.top(), width, rect.height())
        paint_cause(painter, box, boxed, tokens, font, message)


class CausesBar(Painted):
    """Rows of name and bar. The whole is readable as text by assistive tools and as tooltip over each row."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._rows: tuple[CauseRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("What became of the examples")

    def show_rows(self, rows: Sequence[CauseRow]) -> None:
        self._rows = tuple(rows)
        self.setAccessibleDescription("; ".join(row.plain for row in self._rows))
        self.updateGeometry()
        self.update()

    @property
    def rows(self) -> tuple[CauseRow, ...]:
        return self._rows

    def sizeHint(self) -> QSize:
        return QSize(self._theme.chars(60), max(len(self._rows), 1) * self._pitch())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.chars(30), self.sizeHint().height())

    def _paint(self, painter: QPainter) -> None:
        theme, tokens = self._theme, self._theme.tokens
        pitch, name_width = self._pitch(), self._name_width()
        font = theme.font(Type.SMALL, bold=True)
        metrics = theme.metrics()
        for place, row in enumerate(self._rows):
            top = place * pitch
            painter.setFont(theme.font())
            painter.setPen(QColor(tokens.text))
            room = name_width - theme.px(12)
            name = metrics.elidedText(row.name, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(QRectF(0, top, room + 2, pitch), Qt.AlignmentFlag.AlignVCenter, name)
            height = pitch - theme.px(8)
            bar = QRectF(name_width, top + theme.px(4), self.width() - name_width, height)
            paint_causes_bar(painter, bar, row.counts, tokens, font, theme.zoom / 100)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            place = event.pos().y() // max(self._pitch(), 1)
            if 0 <= place < len(self._rows):
                QToolTip.showText(event.globalPos(), self._rows[place].plain, self)
                return True
        return super().event(event)

    def _pitch(self) -> int:
        return max(self._theme.px(28), self._theme.metrics().height() + self._theme.px(10))

    def _name_width(self) -> int:
        metrics = self._theme.metrics()
        longest = max((metrics.horizontalAdvance(row.name) for row in self._rows), default=0)
        return min(longest + self._theme.px(14), max(self.width() * 2 // 5, self._theme.chars(10)))
