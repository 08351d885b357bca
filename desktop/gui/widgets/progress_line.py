"""The one progress line: what happens now, what is done, and what remains in words.

line.show_state(now=Runs((Run("SmolLM2-360M", bold=True), Run(" is writing the answer to example 20"))),
                right=Runs((Run("6 min 12 s so far · "), Run("4 to 7 minutes left", bold=True))),
                done=0.55)
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop.gui.theme import Theme
from desktop.gui.widgets.painted import Painted
from desktop.gui.widgets.text_runs import Run, Runs, paint_runs, runs_width


class ProgressLine(Painted):
    """A 6-px bar under one line of words. With an unknown total the bar stays empty: nothing moves, only the
    words count the seconds."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._now = Runs(())
        self._right = Runs(())
        self._done: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._restyle()

    def show_state(self, now: Runs | str, right: Runs | str = "", done: float | None = None) -> None:
        """now: left of the line; right: so far and what is left. done: 0 to 1; None: total unknown."""
        self._now = Runs((Run(now),)) if isinstance(now, str) else now
        self._right = Runs((Run(right),)) if isinstance(right, str) else right
        self._done = None if done is None else min(max(done, 0.0), 1.0)
        self.setAccessibleName(self._now.plain or "Progress")
        share = "" if self._done is None else f"{self._done:.0%} done. ".replace("%", " %")
        self.setAccessibleDescription(f"{share}{self._right.plain}")
        self.update()

    @property
    def done(self) -> float | None:
        return self._done

    def sizeHint(self) -> QSize:
        theme = self._theme
        return QSize(theme.chars(60), theme.metrics().height() + theme.px(8) + theme.px(6))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.chars(20), self.sizeHint().height())

    def _paint(self, painter: QPainter) -> None:
        theme, tokens = self._theme, self._theme.tokens
        line = float(theme.metrics().height())
        width = float(self.width())
        right = min(runs_width(theme, self._right.parts) + 2, width * 0.6)
        paint_runs(painter, QRectF(width - right, 0, right, line), self._right.parts, theme, right=True)
        room = width - right - theme.px(16)
        cut = paint_runs(painter, QRectF(0, 0, room, line), self._now.parts, theme)
        bar = QRectF(0, line + theme.px(8), width, theme.px(6))
        painter.fillRect(bar, QColor(tokens.track))
        if self._done:
            filled = QRectF(bar)
            filled.setWidth(bar.width() * self._done)
            if self.isRightToLeft():
                filled.moveRight(bar.right())
            painter.fillRect(filled, QColor(tokens.accent))
        whole = self._now.plain if cut else ""
        if self.toolTip() != whole:
            self.setToolTip(whole)
