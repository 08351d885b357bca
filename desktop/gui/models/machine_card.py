"""This machine in four figures, each with the probe that said so, and the way to correct it."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from desktop.application import model_wording
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame, vline
from desktop.gui.widgets.button import LinkButton
from desktop.gui.widgets.label import TextLabel
from desktop.inference.machine.machine import Machine

_NARROW = 720


class _Cell(QWidget):
    """Heading, figure, source."""

    def __init__(self, theme: Theme, heading: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading = heading
        self.heading = TextLabel(theme, heading, kind=Type.SMALL, tone=Tone.MUTED)
        self.figure = TextLabel(theme, "…", bold=True, elide=True)
        self.source = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for label in (self.heading, self.figure, self.source):
            column.addWidget(label)

    def show_text(self, figure: str, source: str) -> None:
        self.figure.setText(figure)
        self.source.setText(source)
        self.setAccessibleName(f"{self._heading}: {figure}")
        self.setAccessibleDescription(source)


class MachineCard(QWidget):
    correct_asked = Signal()
    copy_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName("This computer")
        self.processor = _Cell(theme, "Processor")
        self.memory = _Cell(theme, "Memory")
        self.graphics = _Cell(theme, "Graphics")
        self.speed = _Cell(theme, "Memory speed")
        self.cells = (self.processor, self.memory, self.graphics, self.speed)
        self.correct = LinkButton(theme, "Correct…")
        self.correct.clicked.connect(self.correct_asked)
        self.copy = LinkButton(theme, "Copy details")
        self.copy.clicked.connect(self.copy_asked)
        self._links = QVBoxLayout()
        self._links.addWidget(self.correct)
        self._links.addWidget(self.copy)
        self._links.addStretch(1)
        self._grid = QGridLayout()
        row = QHBoxLayout(self)
        row.addLayout(self._grid, 1)
        row.addLayout(self._links)
        self._row = row
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_machine(self, machine: Machine) -> None:
        self.processor.show_text(*model_wording.processor_text(machine.processor))
        self.show_memory(machine)
        self.graphics.show_text(*model_wording.graphics_text(machine))
        self.speed.show_text(*model_wording.bandwidth_text(machine.bandwidth))

    def show_memory(self, machine: Machine) -> None:
        self.memory.show_text(*model_wording.memory_text(machine.memory))

    def resizeEvent(self, event: object) -> None:
        self._place_cells()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        frame(painter, self.rect(), fill=tokens.panel, edge=tokens.border)
        if self._columns() == 4:
            gap = self._theme.px(12)
            for cell in self.cells[1:]:
                vline(painter, cell.geometry().left() - gap, 1, self.height() - 1, tokens.border)
            vline(painter, self.correct.geometry().left() - gap, 1, self.height() - 1, tokens.border)
        painter.end()

    def _columns(self) -> int:
        return 4 if self.width() >= self._theme.px(_NARROW) else 2

    def _place_cells(self) -> None:
        columns = self._columns()
        for number, cell in enumerate(self.cells):
            self._grid.addWidget(cell, number // columns, number % columns)
        for column in range(4):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self.update()

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(16), px(10), px(12), px(10))
        self._row.setSpacing(px(24))
        self._grid.setHorizontalSpacing(px(24))
        self._grid.setVerticalSpacing(px(8))
        self._links.setSpacing(0)
        self._place_cells()
