"""The outline of the editor: its pages by name, with badges that count their problems."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame
from desktop.gui.widgets.chip import chip, chip_size, paint_chip


class OutlineEntry(QAbstractButton):
    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.problems = 0
        self.hints = 0
        self.setText(title)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_counts(self, problems: int, hints: int) -> None:
        self.problems, self.hints = problems, hints
        message = [f"{problems} problem{'' if problems == 1 else 's'}"] if problems else []
        message += [f"{hints} hint{'' if hints == 1 else 's'}"] if hints else []
        self.setAccessibleDescription(", ".join(message))
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self._theme.metrics(bold=True)
        width = metrics.horizontalAdvance(self.text()) + self._theme.px(70)
        return QSize(width, max(self._theme.px(28), metrics.height() + self._theme.px(10)))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, tokens = self._theme, self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked():
            painter.fillRect(self.rect(), QColor(tokens.selection))
            painter.fillRect(0, 0, theme.px(3), self.height(), QColor(tokens.accent))
        elif self.underMouse():
            painter.fillRect(self.rect(), QColor(tokens.track))
        painter.setFont(theme.font(bold=self.isChecked()))
        painter.setPen(QColor(tokens.text))
        inside = self.rect().adjusted(theme.px(12), 0, -theme.px(8), 0)
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignVCenter), self.text())
        if self.problems or self.hints:
            tone = Tone.BAD if self.problems else Tone.WARN
            look = chip(f"{self.problems or self.hints}", tone)
            size = chip_size(theme, look)
            box = inside.adjusted(inside.width() - size.width(), (inside.height() - size.height()) // 2, 0, 0)
            box.setSize(size)
            paint_chip(painter, box.toRectF(), look, theme)
        if self.hasFocus():
            frame(painter, self.rect(), fill=None, edge=tokens.focus, width=2, radius=2)
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(Type.BODY))
        self.updateGeometry()
        self.update()


class Outline(QWidget):
    """Arrow keys walk; what is chosen is shown at once."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, titles: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.entries: list[OutlineEntry] = []
        self._group = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(0)
        for number, title in enumerate(titles):
            entry = OutlineEntry(theme, title)
            self.entries.append(entry)
            self._group.addButton(entry, number)
            self._column.addWidget(entry)
        self._column.addStretch(1)
        self._group.idClicked.connect(self.chosen)
        self.setAccessibleName("Pages of the pack")
        theme.changed.connect(self._restyle)
        self._restyle()

    def choose(self, number: int) -> None:
        self.entries[number].setChecked(True)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.tokens.alt))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(self._theme.tokens.border))
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        self._column.setContentsMargins(0, self._theme.px(8), 1, self._theme.px(8))
        self.setMinimumWidth(max(entry.sizeHint().width() for entry in self.entries))
