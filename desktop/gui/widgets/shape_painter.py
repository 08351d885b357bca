"""Paints the shapes of a drawing (`desktop.reports.shapes`) in the fonts and colours of window or paper."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from desktop.foundation.colours import LIGHT, Tokens
from desktop.gui.theme import Theme, Type
from desktop.reports.shapes import Bar, Box, Letters, Line, Ring, Shape, Square, Way, Words


@dataclass(frozen=True, slots=True)
class PlotStyle:
    """scale: zoom as a factor."""

    tokens: Tokens
    small: QFont
    bold: QFont
    scale: float = 1.0

    @classmethod
    def of_theme(cls, theme: Theme) -> PlotStyle:
        small, bold = theme.font(Type.SMALL), theme.font(Type.SMALL, bold=True)
        return cls(theme.tokens, small, bold, theme.zoom / 100)

    @classmethod
    def for_paper(cls) -> PlotStyle:
        """Light, at 100 %, in a font every reader has."""
        small = QFont("sans-serif")
        small.setPixelSize(12)
        bold = QFont(small)
        bold.setWeight(QFont.Weight.DemiBold)
        return cls(LIGHT, small, bold)

    def letters(self) -> Letters:
        """How large its text is."""
        metrics = {False: QFontMetricsF(self.small), True: QFontMetricsF(self.bold)}

        def cut(text: str, room: float, bold: bool) -> str:
            return metrics[bold].elidedText(text, Qt.TextElideMode.ElideMiddle, room)

        height = max(each.height() for each in metrics.values())
        ascent = max(each.ascent() for each in metrics.values())
        return Letters(lambda text, bold: metrics[bold].horizontalAdvance(text), cut, height, ascent)


def paint_shapes(painter: QPainter, shapes: Iterable[Shape], style: PlotStyle) -> None:
    """In their order, smooth."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for shape in shapes:
        _paint(painter, shape, style)
    painter.restore()


def rect_of(box: Box) -> QRectF:
    """As Qt has it."""
    return QRectF(box.left, box.top, box.width, box.height)


def _paint(painter: QPainter, shape: Shape, style: PlotStyle) -> None:
    ink, paper = QColor(getattr(style.tokens, shape.tone)), QColor(style.tokens.panel)
    match shape:
        case Line(ruled=True):
            across, down = max(shape.x2 - shape.x1, 0.0), max(shape.y2 - shape.y1, 0.0)
            x, y = (round(shape.x1), shape.y1) if down else (shape.x1, round(shape.y1))
            painter.fillRect(QRectF(x, y, across or shape.width, down or shape.width), ink)
        case Line():
            painter.setPen(QPen(ink, shape.width, c=Qt.PenCapStyle.FlatCap))
            painter.drawLine(QPointF(shape.x1, shape.y1), QPointF(shape.x2, shape.y2))
        case Way():
            pen = QPen(ink, 1)
            pen.setStyle(Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            painter.drawPolyline([QPointF(x, y) for x, y in shape.points])
        case Bar():
            painter.fillRect(rect_of(shape.box), ink)
        case Square():
            painter.setPen(QPen(paper, 1.5 * style.scale))
            painter.setBrush(ink)
            painter.drawRect(rect_of(shape.box))
        case Ring():
            painter.setPen(QPen(ink, 2 * style.scale))
            painter.setBrush(paper)
            painter.drawEllipse(rect_of(shape.box))
        case Words():
            _write(painter, shape, ink, style)


def _write(painter: QPainter, words: Words, ink: QColor, style: PlotStyle) -> None:
    font = style.bold if words.bold else style.small
    width = QFontMetricsF(font).horizontalAdvance(words.text)
    back = {"start": 0.0, "middle": width / 2, "end": width}[words.anchor]
    at = QPointF(words.x - back, words.y)
    if words.halo:
        path = QPainterPath()
        path.addText(at, font, words.text)
        painter.setPen(QPen(QColor(style.tokens.panel), 3 * style.scale, j=Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(at, words.text)
