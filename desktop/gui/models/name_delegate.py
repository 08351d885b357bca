"""The name of a model in a cell: where there is no room the family is cut, never the quantization."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from desktop.gui.theme import Theme
from desktop.gui.widgets.cell_delegate import Index
from desktop.gui.widgets.text_runs import Run, Runs, RunsDelegate, paint_runs, run_font, runs_width


class NameDelegate(RunsDelegate):
    """Runs of family, quantization and the rest, in this order."""

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: Runs, option: QStyleOptionViewItem, index: Index
    ) -> None:
        paint_runs(painter, room, fitted(value.parts, room.width(), self._theme), self._theme)


def fitted(parts: tuple[Run, ...], width: float, theme: Theme) -> tuple[Run, ...]:
    """What stands behind the quantization goes first, then the middle of the family."""
    while len(parts) > 2 and runs_width(theme, parts) > width:
        parts = parts[:-1]
    rest = runs_width(theme, parts[1:])
    room = max(width - rest, 0.0)
    metrics = QFontMetricsF(run_font(theme, parts[0]))
    if metrics.horizontalAdvance(parts[0].text) <= room:
        return parts
    return (
        replace(parts[0], text=metrics.elidedText(parts[0].text, Qt.TextElideMode.ElideMiddle, room)),
        *parts[1:],
    )
