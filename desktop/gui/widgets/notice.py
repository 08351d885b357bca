"""A strip over a place that says one thing: an error in words, or that something is not there yet.

strip.show_words("The folder is not there any more.", "Look whether it was moved.", Tone.BAD)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone
from desktop.gui.theme.strokes import hline, start_bar
from desktop.gui.widgets.announce import announce
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel

_SIGNS = {Tone.BAD: "problem", Tone.WARN: "warning", Tone.INFO: "info", Tone.GOOD: "tick"}


class NoticeStrip(QWidget):
    """Stays until it is closed or another takes its place. Escape closes it while the focus is inside."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._tone = Tone.INFO
        self._sign = QLabel()
        self.message = TextLabel(theme, bold=True, wrap=True, selectable=True)
        self.fix = TextLabel(theme, wrap=True, selectable=True)
        for label in (self.message, self.fix):
            label.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.button = Button(theme, "Close")
        self.button.setAccessibleName("Close this notice")
        self.button.clicked.connect(self._close)
        message = QVBoxLayout()
        message.setSpacing(2)
        message.addWidget(self.message)
        message.addWidget(self.fix)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(message, 1)
        self.actions_row: list[Button] = []
        self._acts: list[Callable[[], None]] = []
        self._row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.hide()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_text(
        self,
        message: str,
        fix: str = "",
        tone: Tone = Tone.INFO,
        actions: Sequence[tuple[str, Callable[[], None]]] = (),
    ) -> None:
        """actions: words on a button and what it does; each closes the strip first."""
        self._tone = tone
        self._set_actions(actions)
        self.message.setText(message)
        self.fix.setText(fix)
        self.fix.setVisible(bool(fix))
        self.setAccessibleName(f"{message} {fix}".strip())
        self._restyle()
        self.show()
        announce(self, self.accessibleName())

    def _set_actions(self, actions: Sequence[tuple[str, Callable[[], None]]]) -> None:
        for old in self.actions_row:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.actions_row, self._acts = [], []
        for number, (message, act) in enumerate(actions):
            button = Button(self._theme, message)
            button.setProperty("act", number)
            button.clicked.connect(self._act)
            self._row.insertWidget(self._row.count() - 1, button, 0, Qt.AlignmentFlag.AlignTop)
            self.actions_row.append(button)
            self._acts.append(act)

    @Slot()
    def _act(self) -> None:
        act = self._acts[int(self.sender().property("act"))]
        self._close()
        act()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour(self._tone.soft(tokens)))
        start_bar(
            painter, self.rect(), self._tone.ink(tokens), self._theme.px(4), mirrored=self.isRightToLeft()
        )
        hline(painter, 0, self.width(), self.height() - 1, tokens.border)
        painter.end()

    @Slot()
    def _close(self) -> None:
        self.hide()
        self.closed.emit()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(16), px(8), px(16), px(9))
        self._row.setSpacing(px(10))
        sign = _SIGNS.get(self._tone, "info")
        ink = self._tone.ink(self._theme.tokens)
        self._sign.setPixmap(self._theme.icons.pixmap(sign, colour=ink, ratio=self.devicePixelRatioF()))
        self.update()
