"""The line at the bottom: this machine, memory free, what the engine does, and that nothing leaves."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import hline, vline
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.painted import Painted
from desktop.inference.backends.source import SERVER_HERE

OFFLINE = "Offline: nothing has left this computer"


class _Lock(Painted):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.icon = "lock"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = self._theme.px(14)
        return QSize(side, side)

    def _paint(self, painter: QPainter) -> None:
        self._theme.icons.paint(painter, self.icon, QRectF(self.rect()), self._theme.tokens.muted)


class _Rule(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFixedWidth(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        vline(painter, 0, 6, self.height() - 6, self._theme.tokens.border)
        painter.end()


class StatusLine(QWidget):
    """Words are given from outside; unknown ones are said to be that, never 0."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("Status")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.machine = TextLabel(theme, "This computer", kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        self.memory = TextLabel(theme, "Memory: not read yet", kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        self.engine = TextLabel(theme, "Engine: idle", kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        self.network = TextLabel(theme, OFFLINE, kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        self.network.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._lock = _Lock(theme)
        self._sends_elsewhere = False
        self._row = QHBoxLayout(self)
        parts: list[QWidget] = [self.machine, _Rule(theme), self.memory, _Rule(theme), self.engine]
        for part in parts:
            self._row.addWidget(part)
        self._row.addStretch(1)
        self._row.addWidget(self._lock)
        self._row.addWidget(self.network)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_engine(self, message: str) -> None:
        self.engine.setText(f"Engine: {message}")

    def set_machine(self, cores: int | None, total_gib: float | None) -> None:
        parts = []
        if cores is not None:
            parts.append(f"{cores} core" if cores == 1 else f"{cores} cores")
        if total_gib is not None:
            parts.append(f"{total_gib:.0f} GiB" if total_gib >= 10 else f"{total_gib:.1f} GiB")
        self.machine.setText(f"This computer: {', '.join(parts)}" if parts else "This computer")

    def set_free(self, free_gib: float | None, why_not: str = "") -> None:
        """None: not known, with the reason as tooltip."""
        self.memory.setText("memory free: –" if free_gib is None else f"{free_gib:.1f} GiB free")
        self.memory.setAccessibleDescription(why_not)

    def set_sent_to(self, host: str) -> None:
        """Who this session sends to; empty: nobody, and so it says. Another computer stays named when a server
        on this one is used after it."""
        here = host == SERVER_HERE
        if here and self._sends_elsewhere:
            return
        self._sends_elsewhere = bool(host) and not here
        self.network.setText(f"Sends to {host}" if host else OFFLINE)
        self.network.set_tone(Tone.WARN if self._sends_elsewhere else Tone.MUTED)
        self._lock.setVisible(not host)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.window))
        hline(painter, 0, self.width(), 0, tokens.border)
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(12), 1, px(12), 0)
        self._row.setSpacing(px(12))
        self.setFixedHeight(max(px(26), self._theme.metrics(Type.SMALL).height() + px(8)))
