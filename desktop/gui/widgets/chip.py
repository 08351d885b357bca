"""Chips: short words on a coloured ground, always with a sign where they judge.

    Chip(theme, chip("Comfortable", Tone.GOOD, sign="double-tick"))
    Chips((VERDICT_CHIPS["tight"], chip("draft")))        # for ChipDelegate, under CHIPS_ROLE

For display only. What can be chosen is a checkable `Button`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy, QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.cell_delegate import CELL_PADDING, CellDelegate, Index
from desktop.gui.widgets.painted import Painted
from desktop.gui.widgets.roles import CHIPS_ROLE


@dataclass(frozen=True, slots=True)
class ChipLook:
    """text: one or two words. sign: an icon's name, none for a neutral label. outlined: no ground."""

    text: str
    tone: Tone = Tone.NEUTRAL
    sign: str = ""
    outlined: bool = False


@dataclass(frozen=True, slots=True)
class Chips:
    parts: tuple[ChipLook, ...]

    @property
    def plain(self) -> str:
        return ", ".join(part.text for part in self.parts)


def chip(text: str, tone: Tone = Tone.NEUTRAL, *, sign: str = "", outlined: bool = False) -> ChipLook:
    return ChipLook(text, tone, sign, outlined)


VERDICT_CHIPS: Mapping[str, ChipLook] = {
    "comfortable": ChipLook("Comfortable", Tone.GOOD, "double-tick"),
    "fits": ChipLook("Fits", Tone.GOOD, "tick", outlined=True),
    "tight": ChipLook("Tight", Tone.WARN, "warning"),
    "does-not-fit": ChipLook("Does not fit", Tone.BAD, "cross"),
    "unknown": ChipLook("not known", Tone.MUTED, "dash", outlined=True),
    "qualified": ChipLook("QUALIFIED", Tone.GOOD, "tick"),
    "indeterminate": ChipLook("INDETERMINATE", Tone.WARN, "warning"),
    "not-qualified": ChipLook("NOT_QUALIFIED", Tone.BAD, "cross"),
    "met": ChipLook("Met", Tone.GOOD, "tick"),
    "open": ChipLook("Open", Tone.WARN, "warning"),
    "missed": ChipLook("Missed", Tone.BAD, "cross"),
}
"""Verdicts by their stable word; each has its own sign."""

_SIGN = 13
_PADDING = 8
_GAP = 5


def chip_size(theme: Theme, look: ChipLook) -> QSize:
    metrics = QFontMetricsF(theme.font(Type.SMALL))
    width = metrics.horizontalAdvance(look.text) + 2 * theme.px(_PADDING)
    if look.sign:
        width += theme.px(_SIGN) + theme.px(_GAP)
    return QSize(round(width + 0.5), round(max(theme.px(20), metrics.height() + theme.px(4))))


def paint_chip(painter: QPainter, rect: QRectF, look: ChipLook, theme: Theme) -> None:
    """Fills `rect`; text that does not fit is cut in the middle."""
    tokens = theme.tokens
    ink = look.tone.ink(tokens)
    fill = None if look.outlined else look.tone.soft(tokens)
    frame(painter, rect, fill=fill, edge=ink if look.outlined else None, radius=3)
    x = rect.left() + theme.px(_PADDING)
    painter.save()
    if look.sign:
        side = theme.px(_SIGN)
        theme.icons.paint(painter, look.sign, QRectF(x, rect.center().y() - side / 2, side, side), ink)
        x += side + theme.px(_GAP)
    font = theme.font(Type.SMALL)
    painter.setFont(font)
    painter.setPen(QColor(ink))
    room = rect.right() - theme.px(_PADDING) - x + 1
    text = QFontMetricsF(font).elidedText(look.text, Qt.TextElideMode.ElideMiddle, room)
    flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
    painter.drawText(QRectF(x, rect.top(), room + 1, rect.height()), flags, text)
    painter.restore()


class Chip(Painted):
    """One chip as a widget."""

    def __init__(self, theme: Theme, look: ChipLook, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._look = look
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_look(look)

    @property
    def look(self) -> ChipLook:
        return self._look

    def set_look(self, look: ChipLook) -> None:
        self._look = look
        self.setAccessibleName(look.text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return chip_size(self._theme, self._look)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _paint(self, painter: QPainter) -> None:
        paint_chip(painter, QRectF(self.rect()), self._look, self._theme)


class ChipDelegate(CellDelegate[Chips]):
    """Paints `CHIPS_ROLE` in a table cell."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, CHIPS_ROLE, Chips, parent)

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: Chips, option: QStyleOptionViewItem, index: Index
    ) -> None:
        x = room.left()
        for look in value.parts:
            size = chip_size(self._theme, look)
            width = min(float(size.width()), room.right() - x)
            if width < self._theme.px(24):
                break
            box = QRectF(x, room.center().y() - size.height() / 2, width, size.height())
            paint_chip(painter, box, look, self._theme)
            x += width + self._theme.px(4)

    def _size(self, value: Chips) -> QSize:
        widths = sum(chip_size(self._theme, look).width() for look in value.parts)
        gaps = self._theme.px(4) * max(len(value.parts) - 1, 0) + 2 * self._theme.px(CELL_PADDING)
        return QSize(widths + gaps, self._theme.row_height())
