"""The memory of one model as a sum that can be read: four parts, the total, and what the bar's colours mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from desktop.application.model_wording import gib
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame, hline, stripes
from desktop.gui.widgets.label import TextLabel
from desktop.inference.memory_fit.fit import Prediction

PARTS = ("weights", "chat", "working", "program")


class Swatch(QWidget):
    """A square in the colour and pattern of one part of the bar; `loading` is the thin outline."""

    def __init__(self, theme: Theme, part: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._part = part
        theme.changed.connect(self._restyle)
        self._restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        box = QRectF(self.rect())
        if self._part == "loading":
            frame(painter, box, fill=tokens.track, edge=tokens.muted, radius=0)
        else:
            painter.fillRect(box, QColor(getattr(tokens.memory, self._part)))
            if self._part == "chat":
                stripes(painter, box, tokens.panel, pitch=self._theme.px(5))
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        side = self._theme.px(12)
        self.setFixedSize(side, side)
        self.update()


class Legend(QWidget):
    """One line under the table."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        self._row = row
        for part, text in (
            ("weights", "weights"),
            ("chat", "chat memory (KV cache)"),
            ("working", "working memory"),
            ("program", "program"),
            ("loading", "only while loading"),
        ):
            row.addWidget(Swatch(theme, part), 0, Qt.AlignmentFlag.AlignVCenter)
            row.addWidget(TextLabel(theme, text, kind=Type.SMALL, tone=Tone.MUTED))
        row.addStretch(1)
        self.note = TextLabel(
            theme,
            "Mark: free now. Hatched: kept for others.",
            kind=Type.SMALL,
            tone=Tone.MUTED,
            elide=True,
        )
        row.addWidget(self.note)
        theme.changed.connect(self._restyle)
        self._restyle()

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._theme.px(8))


class SumView(QWidget):
    """Weights + chat memory + working memory + program = needed, in GiB."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._names: list[TextLabel] = []
        self._figures: list[TextLabel] = []
        for number, part in enumerate(PARTS):
            self._grid.addWidget(Swatch(theme, part), number, 0, Qt.AlignmentFlag.AlignVCenter)
            self._add_line(number)
        self._add_line(len(PARTS), bold=True)
        self._add_line(len(PARTS) + 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_prediction(self, found: Prediction | None, context_tokens: int, base_is_measured: bool) -> None:
        """None: nothing is known, the view is empty."""
        self.setVisible(found is not None)
        if found is None:
            return
        program = "Program, as measured here" if base_is_measured else "Program"
        lines = (
            ("Weights", found.weights),
            (f"Chat memory, {context_tokens:,} tokens", found.chat_memory),
            ("Working memory", found.working_memory),
            (program, found.program),
            ("Needed", found.need),
            ("Highest, while loading", found.peak),
        )
        for number, (name, mib) in enumerate(lines):
            last = number == len(PARTS)
            self._names[number].setText(name)
            self._figures[number].setText(f"{gib(mib)} GiB" if last else gib(mib))
        spoken = ", ".join(f"{name} {gib(mib)}" for name, mib in lines)
        self.setAccessibleName(f"The sum in GiB: {spoken}")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        above, below = self._names[len(PARTS) - 1].geometry(), self._names[len(PARTS)].geometry()
        hline(painter, 0, self.width(), (above.bottom() + below.top()) // 2, self._theme.tokens.border)
        painter.end()

    def _add_line(self, number: int, *, bold: bool = False) -> None:
        muted = number > len(PARTS)
        tone = Tone.MUTED if muted else Tone.NEUTRAL
        name = TextLabel(self._theme, "", kind=Type.SMALL, tone=tone, bold=bold or None)
        figure = TextLabel(self._theme, "", kind=Type.SMALL, tone=tone, bold=bold or None)
        figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(name, number, 1)
        self._grid.addWidget(figure, number, 2)
        self._names.append(name)
        self._figures.append(figure)

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._grid.setHorizontalSpacing(px(8))
        self._grid.setVerticalSpacing(px(6))
        self.setMinimumWidth(self._theme.chars(34))
