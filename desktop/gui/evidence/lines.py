"""Lines of a panel: a sign with words, or a name with a figure and a chip."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.chip import Chip, ChipLook
from desktop.gui.widgets.label import TextLabel


class SignLine(QWidget):
    """An icon and a sentence that wraps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._look = (Tone.MUTED, "dash")
        self._sign = QLabel()
        self.message = TextLabel(theme, "", wrap=True, selectable=True)
        self.message.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.message, 1)
        theme.changed.connect(self._restyle)

    def show_line(self, tone: Tone, icon: str, message: str) -> None:
        self._look = (tone, icon)
        self.message.setText(message)
        self.message.set_tone(tone)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        theme, (tone, icon) = self._theme, self._look
        ink = tone.ink(theme.tokens)
        ratio = self.devicePixelRatioF()
        self._sign.setPixmap(theme.icons.pixmap(icon, size=16, colour=ink, ratio=ratio))


class FigureLine(QWidget):
    """A name, a figure at the end, and a chip."""

    def __init__(self, theme: Theme, name: str, figure: str, look: ChipLook) -> None:
        super().__init__()
        self.message = TextLabel(theme, name, wrap=True)
        self.figure = TextLabel(theme, figure, kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(8))
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self.message)
        texts.addWidget(self.figure)
        row.addLayout(texts, 1)
        row.addWidget(Chip(theme, look), 0, Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName(f"{name}: {figure}, {look.text}")
