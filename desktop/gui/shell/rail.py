"""The rail at the side: five places, each an icon with its word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QVBoxLayout, QWidget

from desktop.gui.core.place import PlaceName
from desktop.gui.theme import Theme, Type
from desktop.gui.theme.strokes import frame, start_bar


@dataclass(frozen=True, slots=True)
class RailEntry:
    place: PlaceName
    message: str
    icon: str


ENTRIES: Sequence[RailEntry] = (
    RailEntry(PlaceName.START, "Start", "home"),
    RailEntry(PlaceName.PACK, "Pack", "pack"),
    RailEntry(PlaceName.MODELS, "Models", "model"),
    RailEntry(PlaceName.RUNS, "Runs", "runs"),
    RailEntry(PlaceName.EVIDENCE, "Evidence", "evidence"),
)


class RailButton(QAbstractButton):
    """60 × 80; the active one has a soft ground and a bar at its start."""

    def __init__(self, theme: Theme, entry: RailEntry, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = entry.icon
        self._hot = False
        self.place = entry.place
        self.setText(entry.message)
        self.setAccessibleName(entry.message)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)

    def sizeHint(self) -> QSize:
        theme = self._theme
        metrics = theme.metrics(Type.SMALL, bold=True)
        width = max(theme.px(80), metrics.horizontalAdvance(self.text()) + theme.px(16))
        return QSize(width, max(theme.px(60), theme.px(36) + metrics.height() + theme.px(8)))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, tokens = self._theme, self._theme.tokens
        painter = QPainter(self)
        active = self.isChecked()
        ink = tokens.accent if active else tokens.text if self._hot else tokens.muted
        if active:
            painter.fillRect(self.rect(), QColor(tokens.accent_soft))
            start_bar(painter, self.rect(), tokens.accent, theme.px(3), mirrored=self.isRightToLeft())
        elif self._hot:
            painter.fillRect(self.rect(), QColor(tokens.track))
        side = theme.px(20)
        metrics = theme.metrics(Type.SMALL, bold=active)
        content = side + theme.px(5) + metrics.height()
        top = (self.height() - content) / 2
        theme.icons.paint(painter, self._icon, QRectF((self.width() - side) / 2, top, side, side), ink)
        painter.setFont(theme.font(Type.SMALL, bold=active))
        painter.setPen(QColor(ink))
        message = QRectF(0, top + side + theme.px(5), self.width(), metrics.height())
        painter.drawText(message, Qt.AlignmentFlag.AlignCenter, self.text())
        if self.hasFocus():
            frame(painter, self.rect().adjusted(4, 2, -4, -2), fill=None, edge=tokens.focus, width=2)
        painter.end()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._hot = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hot = False
        self.update()

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class Rail(QWidget):
    """Tells `chosen` with the place when the person picks one; `show_place` marks one without telling."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("Places")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._group = QButtonGroup(self)
        self._layout = QVBoxLayout(self)
        self.buttons: dict[PlaceName, RailButton] = {}
        for number, entry in enumerate(ENTRIES, start=1):
            button = RailButton(theme, entry, self)
            button.setToolTip(f"{entry.message} (Ctrl+{number})")
            self._group.addButton(button)
            self._layout.addWidget(button)
            self.buttons[entry.place] = button
        self._layout.addStretch(1)
        self._group.idToggled.connect(self._toggled)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_place(self, place: PlaceName) -> None:
        self._group.blockSignals(True)
        self.buttons[place].setChecked(True)
        self._group.blockSignals(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.rail))
        edge = 0 if self.isRightToLeft() else self.width() - 1
        painter.fillRect(QRectF(edge, 0, 1, self.height()), QColor(tokens.border))
        painter.end()

    @Slot(int, bool)
    def _toggled(self, number: int, checked: bool) -> None:
        button = self._group.button(number)
        if checked and isinstance(button, RailButton):
            self.chosen.emit(button.place.value)

    @Slot()
    def _restyle(self) -> None:
        self._layout.setContentsMargins(0, self._theme.px(8), 1, self._theme.px(8))
        self._layout.setSpacing(0)
        self.updateGeometry()
        self.update()
