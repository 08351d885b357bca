"""Own stroke icons: SVG files on a 20 × 20 grid, drawn in any colour and size, kept once drawn."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.foundation.colours import Tokens
from desktop.foundation.resource_files import resource

_GRID = 20
_STROKE = 1.5


class Icons:
    """`icon("folder")` in the colour of text, `icon("play", colour=tokens.on_accent)` in another.

    Known names are the file names in `resources/icons`. An unknown name raises FileNotFoundError.
    `zoom` in percent; sizes are design pixels: 16 on buttons, 20 in rail and lists, 32 in the drop area.
    """

    def __init__(self, tokens: Tokens, zoom: int, ratios: tuple[float, ...] = (1.0, 2.0)) -> None:
        self._tokens = tokens
        self._zoom = zoom
        self._ratios = ratios
        self._sources: dict[str, str] = {}
        self._pixmaps: dict[tuple[str, str, int, float, bool], QPixmap] = {}
        self._icons: dict[tuple[str, str, int], QIcon] = {}

    def restyle(self, tokens: Tokens, zoom: int, ratios: tuple[float, ...]) -> None:
        """Forget what was drawn for other colours."""
        self._tokens, self._zoom, self._ratios = tokens, zoom, ratios
        self._pixmaps.clear()
        self._icons.clear()

    def icon(self, name: str, *, size: int = 16, colour: str | None = None) -> QIcon:
        """With a paler picture for the disabled state."""
        ink = colour or self._tokens.text
        key = (name, ink, size)
        if key not in self._icons:
            icon = QIcon()
            faint = QColor(self._tokens.muted)
            faint.setAlphaF(0.6)
            for ratio in self._ratios:
                icon.addPixmap(self.pixmap(name, size=size, colour=ink, ratio=ratio))
                pale = self.pixmap(name, size=size, colour=faint.name(QColor.NameFormat.HexArgb), ratio=ratio)
                icon.addPixmap(pale, QIcon.Mode.Disabled)
            self._icons[key] = icon
        return self._icons[key]

    def pixmap(
        self,
        name: str,
        *,
        size: int = 16,
        colour: str | None = None,
        ratio: float = 1.0,
        mirrored: bool = False,
    ) -> QPixmap:
        """size: design pixels, zoomed here; ratio: device pixels per logical pixel."""
        ink = colour or self._tokens.text
        key = (name, ink, size, ratio, mirrored)
        if key not in self._pixmaps:
            side = max(round(size * self._zoom / 100), 1)
            renderer = self._renderer(name, ink, size)
            pixmap = QPixmap(QSize(side, side) * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            if mirrored:
                painter.translate(side, 0)
                painter.scale(-1, 1)
            renderer.render(painter, QRectF(0, 0, side, side))
            painter.end()
            self._pixmaps[key] = pixmap
        return self._pixmaps[key]

    def paint(self, painter: QPainter, name: str, rect: QRectF, colour: str | None = None) -> None:
        """Draw into a rectangle of any size, in vectors (plots, SVG, PDF)."""
        self._renderer(name, colour or self._tokens.text, 16).render(painter, rect)

    def _renderer(self, name: str, ink: str, size: int) -> QSvgRenderer:
        if name not in self._sources:
            self._sources[name] = resource("icons", f"{name}.svg").read_text("utf-8")
        colour = QColor(ink)
        # The stroke is 1.5 px at every size, so on a smaller picture it takes more of the grid.
        width = _STROKE * _GRID / min(size, _GRID) if size <= _GRID else _STROKE * _GRID / size * 1.2
        text = self._sources[name].replace("currentColor", colour.name())
        text = text.replace(
            'stroke-width="1.5"', f'stroke-width="{width:.2f}" stroke-opacity="{colour.alphaF():.2f}"'
        )
        return QSvgRenderer(QByteArray(text.encode("utf-8")))
