"""Paints the plot of right answers against memory, for the window and for paper.

paint_quality_plot(painter, rect, points, PlotStyle.of_theme(theme))
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from desktop.gui.widgets.shape_painter import PlotStyle, paint_shapes, rect_of
from desktop.reports.quality_plot import PlotPoint, lay_out_plot
from desktop.reports.shapes import Box


def paint_quality_plot(
    painter: QPainter, rect: QRectF, points: Sequence[PlotPoint], style: PlotStyle, chosen: int | None = None
) -> dict[int, QRectF]:
    """Draws into `rect`. chosen: index of a point with a ring. Returns where each drawn point is, by index."""
    room = Box(rect.left(), rect.top(), rect.width(), rect.height())
    layout = lay_out_plot(points, room, style.letters(), scale=style.scale)
    places = {index: rect_of(box) for index, box in layout.marks.items()}
    paint_shapes(painter, layout.shapes, style)
    if chosen in places:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(style.tokens.focus), 2))
        painter.drawEllipse(places[chosen].center(), 11 * style.scale, 11 * style.scale)
        painter.restore()
    return places
