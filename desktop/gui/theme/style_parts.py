"""What every part of the style draws with: colours, zoom, icons, and the edge of a field."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QProxyStyle, QStyle, QWidget

from desktop.foundation.colours import LIGHT, Tokens
from desktop.gui.theme.icons import Icons
from desktop.gui.theme.strokes import frame, start_bar

_State = QStyle.StateFlag


class StyleParts(QProxyStyle):
    """Fusion with our colours at hand; what is drawn differently is the subclass's."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self.tokens: Tokens = LIGHT
        self.icons: Icons | None = None
        self.roomy = False
        self._zoom = 100

    def restyle(self, tokens: Tokens, zoom: int, roomy: bool, icons: Icons) -> None:
        self.tokens, self._zoom, self.roomy, self.icons = tokens, zoom, roomy, icons

    def px(self, design: float) -> int:
        return round(design * self._zoom / 100)

    def subControlRect(
        self, control: QStyle.ComplexControl, option: Any, sub: QStyle.SubControl, widget: QWidget | None = None
    ) -> QRect:
        return super().subControlRect(control, option, sub, widget)  # type: ignore[arg-type]  # Qt takes none

    def field(
        self, painter: QPainter, rect: QRect, option: Any, widget: QWidget | None, *, filled: bool = True
    ) -> None:
        """Edge of anything one types into: 1 px, 2 px with the focus, `bad` with a start bar at fault."""
        tokens = self.tokens
        at_fault = bool(widget is not None and widget.property("problem"))
        enabled = bool(option.state & _State.State_Enabled)
        focused = bool(option.state & _State.State_HasFocus)
        edge = tokens.bad if at_fault else tokens.control
        if not enabled:
            edge = tokens.border
        width = 1.0
        if focused:
            edge, width = tokens.bad if at_fault else tokens.focus, 2.0
        fill = (tokens.panel if enabled else tokens.window) if filled else None
        frame(painter, rect, fill=fill, edge=edge, width=width)
        if at_fault:
            mirrored = option.direction is Qt.LayoutDirection.RightToLeft
            start_bar(painter, rect.adjusted(0, 1, 0, -1), tokens.bad, self.px(3), mirrored=mirrored)

    def sign(self, painter: QPainter, name: str, rect: QRectF, colour: str, size: int) -> None:
        """An icon in the middle of a rectangle."""
        if self.icons is None:
            return
        side = min(self.px(size), round(rect.width()), round(rect.height()))
        box = QRectF(0, 0, side, side)
        box.moveCenter(rect.center())
        self.icons.paint(painter, name, box, colour)
