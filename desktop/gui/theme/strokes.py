"""Lines and frames that stay sharp: drawing helpers shared by the style and the painted widgets."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen


def frame(
    painter: QPainter,
    rect: QRect | QRectF,
    *,
    fill: str | QColor | None,
    edge: str | QColor | None,
    width: float = 1.0,
    radius: float = 4.0,
    dashed: bool = False,
) -> None:
    """A rounded box whose edge lies wholly inside `rect`."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    box = QRectF(rect)
    if edge is None:
        painter.setPen(Qt.PenStyle.NoPen)
    else:
        pen = QPen(QColor(edge), width)
        if dashed:
            pen.setStyle(Qt.PenStyle.CustomDashLine)
            # Flat ends, or the dashes grow into the gaps; the pattern counts in widths of the pen.
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern([3, 2] if width <= 1 else [4, 3])
        painter.setPen(pen)
        half = width / 2
        box.adjust(half, half, -half, -half)
    painter.setBrush(QColor(fill) if fill is not None else Qt.BrushStyle.NoBrush)
    if radius > 0:
        painter.drawRoundedRect(box, radius, radius)
    else:
        painter.drawRect(box)
    painter.restore()


def hline(
    painter: QPainter, left: float, right: float, y: float, colour: str | QColor, width: float = 1.0
) -> None:
    """A horizontal line of `width` whose upper edge is `y`; filled, so it falls on whole device pixels."""
    painter.fillRect(QRectF(left, y, right - left, width), QColor(colour))


def vline(
    painter: QPainter, x: float, top: float, bottom: float, colour: str | QColor, width: float = 1.0
) -> None:
    """A vertical line of `width` whose left edge is `x`."""
    painter.fillRect(QRectF(x, top, width, bottom - top), QColor(colour))


def stripes(
    painter: QPainter, rect: QRectF, colour: str | QColor, *, pitch: float = 5.0, width: float = 1.4
) -> None:
    """45° lines clipped to `rect`. A hatched brush would turn into a grey at 200 %."""
    painter.save()
    painter.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), width))
    x = rect.left() - rect.height() + (-rect.left() % pitch)
    while x < rect.right():
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()))
        x += pitch
    painter.restore()


def start_bar(
    painter: QPainter, rect: QRect | QRectF, colour: str | QColor, width: float, *, mirrored: bool
) -> None:
    """A bar at the side where reading starts."""
    box = QRectF(rect)
    left = box.right() - width if mirrored else box.left()
    painter.fillRect(QRectF(left, box.top(), width, box.height()), QColor(colour))
