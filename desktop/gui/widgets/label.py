"""A label in one of the theme's type styles, always plain text."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QWidget

from desktop.gui.theme import Theme, Tone, Type


class TextLabel(QLabel):
    """Keeps its font and colour through theme changes.

    TextLabel(theme, "30 examples", kind=Type.SMALL, tone=Tone.MUTED)
    wrap: breaks lines. firm: its least height is that of all its lines at the width it got, so that what
    stands beside it scrolls instead of being squeezed. elide: cuts in the middle when there is no room, and
    the tooltip has the whole (paths, model names); cut_end: the same at the end, for notes. selectable: can be
    marked and copied by mouse and keyboard.
    """

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        *,
        kind: Type = Type.BODY,
        tone: Tone = Tone.NEUTRAL,
        bold: bool | None = None,
        wrap: bool = False,
        firm: bool = False,
        elide: bool = False,
        cut_end: bool = False,
        selectable: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kind = kind
        self._tone = tone
        self._bold = bold
        self._firm = firm
        self._elide = elide or cut_end
        self._cut = Qt.TextElideMode.ElideRight if cut_end else Qt.TextElideMode.ElideMiddle
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        if wrap:
            policy = self.sizePolicy()
            policy.setHorizontalPolicy(QSizePolicy.Policy.Preferred)
            self.setSizePolicy(policy)
        if selectable:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self.setText(text)
        theme.changed.connect(self._restyle)
        self._restyle()

    @property
    def may_be_cut(self) -> bool:
        """It shows the whole in its tooltip when there is no room."""
        return self._elide

    def set_tone(self, tone: Tone) -> None:
        self._tone = tone
        self._restyle()

    def set_bold(self, bold: bool | None) -> None:
        self._bold = bold
        self._restyle()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._stand_firm()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._stand_firm()

    def _stand_firm(self) -> None:
        if self._firm:
            # A label never says that it needs less than its least height.
            self.setMinimumHeight(0)
            self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        if self._elide:
            hint.setWidth(min(hint.width(), self._theme.chars(8, self._kind)))
        return hint

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._elide:
            super().paintEvent(event)
            return
        inside: QRect = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self._cut, inside.width())
        whole = self.text() if shown != self.text() else ""
        if self.toolTip() != whole:
            self.setToolTip(whole)
        painter = QPainter(self)
        alignment = QStyle.visualAlignment(self.layoutDirection(), self.alignment())
        flags = int(alignment) | int(Qt.TextFlag.TextSingleLine)
        self.style().drawItemText(
            painter, inside, flags, self.palette(), self.isEnabled(), shown, QPalette.ColorRole.WindowText
        )

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(self._kind, bold=self._bold))
        palette = QPalette(self.palette())
        ink = QColor(self._tone.ink(self._theme.tokens))
        for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
            palette.setColor(group, QPalette.ColorRole.WindowText, ink)
        palette.setColor(
            QPalette.ColorGroup.Disabled,
            QPalette.ColorRole.WindowText,
            self._theme.colour(self._theme.tokens.muted, 0.6),
        )
        self.setPalette(palette)
        self._stand_firm()
