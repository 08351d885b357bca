"""Five sizes of type, all relative to the person's own system font and the zoom."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtGui import QFont, QFontDatabase


class Type(StrEnum):
    ANSWER = "answer"
    """Once on a screen: recommendation, decision, Start's question."""
    SECTION = "section"
    """Heading of a form's section."""
    PAGE = "page"
    """Heading in a page's bar."""
    BODY = "body"
    SMALL = "small"
    """Notes, table headings, chips, status, rail."""
    MONO = "mono"
    """Ids, outputs, prompts, paths."""
    LETTER = "letter"
    """In matrix cells; the smallest there is."""


_RATIO = {
    Type.ANSWER: 1.5,
    Type.SECTION: 1.3,
    Type.PAGE: 1.1,
    Type.BODY: 1.0,
    Type.SMALL: 0.9,
    Type.MONO: 0.9,
    Type.LETTER: 0.8,
}
_HEAVY = {Type.ANSWER, Type.SECTION, Type.PAGE, Type.LETTER}
_SMALLEST_PT = 8.0
_BODY_RANGE_PT = (9.0, 13.0)


class TypeScale:
    """Fonts by name.

    `base` is the system font: its size is body where it lies within 9 to 13 pt, else the nearer end.
    `fixed` is the system's fixed font. `zoom` in percent.
    """

    def __init__(self, base: QFont, fixed: QFont, zoom: int) -> None:
        self._base = base
        self._fixed = fixed
        lowest, highest = _BODY_RANGE_PT
        size = base.pointSizeF()
        self.body_pt = min(max(size if size > 0 else 10.0, lowest), highest)
        self._zoom = zoom

    @classmethod
    def of_system(cls, zoom: int) -> TypeScale:
        database = QFontDatabase.SystemFont
        return cls(
            QFontDatabase.systemFont(database.GeneralFont), QFontDatabase.systemFont(database.FixedFont), zoom
        )

    def font(self, which: Type, *, bold: bool | None = None) -> QFont:
        """A new font. `bold` is weight 600; left out, the style's own weight."""
        font = QFont(self._fixed if which is Type.MONO else self._base)
        heavy = which in _HEAVY if bold is None else bold
        font.setWeight(QFont.Weight.DemiBold if heavy else QFont.Weight.Normal)
        font.setPointSizeF(self.points(which) * self._zoom / 100)
        return font

    def figures(self, which: Type = Type.BODY, *, bold: bool | None = None) -> QFont:
        """For figures in columns: every digit has the same width where the font can do it."""
        font = self.font(which, bold=bold)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def points(self, which: Type) -> float:
        """Size before zooming."""
        return max(self.body_pt * _RATIO[which], _SMALLEST_PT)
