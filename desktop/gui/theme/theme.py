"""The theme in force: joins tokens, palette, type, icons and style, and follows the system."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QToolTip

from desktop.foundation.colours import DARK, LIGHT, Tokens
from desktop.gui.theme.icons import Icons
from desktop.gui.theme.palette import make_palette, tokens_of_high_contrast
from desktop.gui.theme.style import PackbenchStyle
from desktop.gui.theme.type_scale import Type, TypeScale

ZOOM_RANGE = (80, 200)
ZOOM_STEPS = (80, 90, 100, 110, 125, 150, 175, 200)


class Scheme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Theme(QObject):
    """One for the whole program, handed to each widget's constructor.

    `changed` comes after scheme, zoom or roominess changed and palette, font and icons are new already.
    """

    changed = Signal()

    def __init__(
        self, app: QApplication, *, scheme: Scheme = Scheme.SYSTEM, zoom: int = 100, roomy: bool = False
    ) -> None:
        super().__init__(app)
        self._app = app
        self.scheme = scheme
        self.zoom = _bounded(zoom)
        self.roomy = roomy
        self._system_palette = QPalette(app.palette())
        self.tokens = self._choose_tokens()
        self.type_scale = TypeScale.of_system(self.zoom)
        self.icons = Icons(self.tokens, self.zoom, self._ratios())
        self._style = PackbenchStyle()
        app.setStyle(self._style)
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._system_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._system_changed)
        self._apply()

    def use(self, *, scheme: Scheme | None = None, zoom: int | None = None, roomy: bool | None = None) -> None:
        """Change what is given. Zoom outside 80 to 200 % becomes the nearer end."""
        self.scheme = scheme if scheme is not None else self.scheme
        self.zoom = _bounded(zoom) if zoom is not None else self.zoom
        self.roomy = roomy if roomy is not None else self.roomy
        self._apply()

    def zoom_by(self, steps: int) -> None:
        """+1 to the next larger of the usual steps, -1 to the next smaller."""
        if steps > 0:
            larger = [step for step in ZOOM_STEPS if step > self.zoom]
            self.use(zoom=larger[0] if larger else self.zoom)
        elif steps < 0:
            smaller = [step for step in ZOOM_STEPS if step < self.zoom]
            self.use(zoom=smaller[-1] if smaller else self.zoom)

    def px(self, design: float) -> int:
        """Design pixels (at 100 %) at the present zoom."""
        return round(design * self.zoom / 100)

    def font(self, which: Type = Type.BODY, *, bold: bool | None = None) -> QFont:
        return self.type_scale.font(which, bold=bold)

    def figures(self, which: Type = Type.BODY, *, bold: bool | None = None) -> QFont:
        """Digits of one width, for columns of figures."""
        return self.type_scale.figures(which, bold=bold)

    def metrics(self, which: Type = Type.BODY, *, bold: bool | None = None) -> QFontMetrics:
        return QFontMetrics(self.font(which, bold=bold))

    def chars(self, count: float, which: Type = Type.BODY) -> int:
        """Width of `count` average characters: minimum widths are given so, never in pixels."""
        return round(self.metrics(which).averageCharWidth() * count)

    def row_height(self, design: int = 28) -> int:
        """28 for one line, 36 with a bar, 44 for two lines; more where the font or the setting wants it."""
        lines = 2 if design >= 44 else 1
        needed = self.metrics().height() * lines + self.px(8)
        return max(self.px(design), needed) + (self.px(8) if self.roomy else 0)

    @staticmethod
    def colour(value: str, alpha: float = 1.0) -> QColor:
        """A token as QColor; alpha 0 to 1."""
        colour = QColor(value)
        colour.setAlphaF(alpha)
        return colour

    def _apply(self) -> None:
        self.tokens = self._choose_tokens()
        self.type_scale = TypeScale.of_system(self.zoom)
        self.icons.restyle(self.tokens, self.zoom, self._ratios())
        self._style.restyle(self.tokens, self.zoom, self.roomy, self.icons)
        palette = make_palette(self.tokens)
        self._app.setPalette(palette)
        QToolTip.setPalette(palette)
        self._app.setFont(self.font())
        QToolTip.setFont(self.font(Type.SMALL))
        self.changed.emit()

    def _choose_tokens(self) -> Tokens:
        hints = QGuiApplication.styleHints()
        if self.scheme is Scheme.SYSTEM:
            tokens = DARK if hints.colorScheme() is Qt.ColorScheme.Dark else LIGHT
        else:
            tokens = DARK if self.scheme is Scheme.DARK else LIGHT
        if hints.accessibility().contrastPreference() is Qt.ContrastPreference.HighContrast:
            return tokens_of_high_contrast(self._system_palette, tokens)
        return tokens

    def _ratios(self) -> tuple[float, ...]:
        """1 and 2, and what the present screens have (1.25, 1.5), so that icons are sharp on each."""
        return tuple(sorted({1.0, 2.0, *(screen.devicePixelRatio() for screen in QGuiApplication.screens())}))

    @Slot()
    def _system_changed(self) -> None:
        self._apply()


def _bounded(zoom: int) -> int:
    lowest, highest = ZOOM_RANGE
    return min(max(zoom, lowest), highest)
