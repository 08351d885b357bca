"""A short word that something was done, with Undo. Never for errors.

toasts = Toast(theme, window)
toasts.show_words("Run deleted.", undo=self._bring_back)
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer, QVariantAnimation, Slot
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsOpacityEffect, QHBoxLayout, QWidget

from desktop.gui.theme import Theme
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.announce import announce
from desktop.gui.widgets.button import LinkButton
from desktop.gui.widgets.label import TextLabel

SHOWN_MS = 6000
FADE_MS = 120


class Toast(QWidget):
    """Bottom centre of its window, over the status line; 6 s, longer while mouse or focus rest on it.

    `fade`: 120 ms, the only motion of the program; off by a setting. `above`: height to keep free below.
    """

    def __init__(self, theme: Theme, window: QWidget, *, fade: bool = True, above: int = 26) -> None:
        super().__init__(window)
        self._theme = theme
        self._above = above
        self.fade = fade
        self._undo: Callable[[], None] | None = None
        self._message = TextLabel(theme)
        self.undo_button = LinkButton(theme, "Undo")
        self.undo_button.clicked.connect(self._undo_clicked)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._message)
        self._row.addWidget(self.undo_button)
        self.timer = QTimer(self)
        self.timer.setSingleShot(True)
        self.timer.setInterval(SHOWN_MS)
        self.timer.timeout.connect(self._time_out)
        self._fading = QVariantAnimation(self)
        self._fading.setDuration(FADE_MS)
        self._fading.setStartValue(0.0)
        self._fading.setEndValue(1.0)
        self._fading.valueChanged.connect(self._set_opacity)
        self._fading.finished.connect(self._faded)
        self.undo_button.installEventFilter(self)
        window.installEventFilter(self)
        self.hide()
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_text(self, message: str, undo: Callable[[], None] | None = None) -> None:
        """Takes the place of the one before."""
        self._undo = undo
        self._message.setText(message)
        self.setAccessibleName(message)
        self.undo_button.setVisible(undo is not None)
        self.adjustSize()
        self._to_place()
        self.raise_()
        self.show()
        if self.fade:
            self.setGraphicsEffect(QGraphicsOpacityEffect(self))
            self._fading.start()
        self.timer.start()
        announce(self, message)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not hasattr(self, "undo_button"):
            # The window goes down: Qt still delivers events to a toast that Python has taken apart.
            return False
        if watched is self.parentWidget() and event.type() is QEvent.Type.Resize:
            self._to_place()
        elif watched is self.undo_button and event.type() is QEvent.Type.FocusIn:
            self.timer.stop()
        elif watched is self.undo_button and event.type() is QEvent.Type.FocusOut and self.isVisible():
            self.timer.start()
        return False

    def enterEvent(self, event: QEnterEvent) -> None:
        self.timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self.timer.start()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        frame(painter, self.rect(), fill=tokens.panel, edge=tokens.control)
        painter.end()

    def _to_place(self) -> None:
        window = self.parentWidget()
        if window is not None:
            bottom = window.height() - self.height() - self._theme.px(self._above + 12)
            self.move((window.width() - self.width()) // 2, bottom)

    @Slot()
    def _undo_clicked(self) -> None:
        undo, self._undo = self._undo, None
        self.timer.stop()
        self.hide()
        if undo is not None:
            undo()

    @Slot()
    def _time_out(self) -> None:
        self.hide()

    @Slot(object)
    def _set_opacity(self, value: object) -> None:
        effect = self.graphicsEffect()
        if isinstance(effect, QGraphicsOpacityEffect) and isinstance(value, float):
            effect.setOpacity(value)

    @Slot()
    def _faded(self) -> None:
        self.setGraphicsEffect(None)  # type: ignore[arg-type]  # Qt takes none to remove it

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(16), px(8), px(12), px(8))
        self._row.setSpacing(px(12))
        self.adjustSize()
        self._to_place()
