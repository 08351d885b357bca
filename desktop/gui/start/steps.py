"""Three steps for the first time: open a sample, run it on the starter model, read the report."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.theme.strokes import frame, hline
from desktop.gui.widgets.button import Button, LinkButton
from desktop.gui.widgets.label import TextLabel

TEXTS = ("Open a sample pack", "Run it on the starter model", "Read the report")
BUTTONS = (("Open it", "folder"), ("Run it", "play"), ("Read it", "eye"))


class _StepSign(QWidget):
    """A number in a circle, or a tick when the step is done."""

    def __init__(self, theme: Theme, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._number = number
        self._done = False
        self._now = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_state(self, done: bool, now: bool) -> None:
        self._done, self._now = done, now
        self.update()

    def sizeHint(self) -> QSize:
        side = max(self._theme.px(24), self._theme.metrics(Type.SMALL).height() + self._theme.px(6))
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, tokens = self._theme, self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = tokens.accent if self._done or self._now else tokens.control
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(QColor(ink), 1.5))
        painter.setBrush(QColor(tokens.panel))
        painter.drawEllipse(box)
        if self._done:
            inset = box.width() * 0.22
            theme.icons.paint(painter, "tick", box.adjusted(inset, inset, -inset, -inset), tokens.accent)
        else:
            painter.setFont(theme.font(Type.SMALL, bold=True))
            painter.setPen(QColor(tokens.accent if self._now else tokens.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(self._number))
        painter.end()


class _Rule(QWidget):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumSize(8, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        hline(painter, 0, self.width(), 0, self._theme.tokens.border)
        painter.end()


class FirstSteps(QWidget):
    """`set_done(n)`: the first n steps are done. Signals tell which step was asked for, and "hide this"."""

    asked = Signal(int)
    """0, 1 or 2."""
    hidden_for_good = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._done = 0
        self.setAccessibleName("First time here: three steps")
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.addWidget(TextLabel(theme, "First time here", tone=Tone.MUTED))
        self._signs: list[_StepSign] = []
        self._message: list[TextLabel] = []
        self.buttons: list[Button] = []
        self._rules: list[_Rule] = []
        self._rows: list[QHBoxLayout] = []
        self._whole = theme.chars(120)
        for number, (message, (verb, icon)) in enumerate(zip(TEXTS, BUTTONS, strict=True)):
            row = QHBoxLayout()
            sign, label, button = (
                _StepSign(theme, number + 1),
                TextLabel(theme, message),
                Button(theme, verb, icon=icon),
            )
            button.setAccessibleName(f"{verb}: step {number + 1}, {message}")
            button.clicked.connect((self._first, self._second, self._third)[number])
            for widget in (sign, label, button):
                row.addWidget(widget)
            row.addStretch(0)
            self._layout.addLayout(row)
            self._rows.append(row)
            if number < len(TEXTS) - 1:
                rule = _Rule(theme)
                self._layout.addWidget(rule, 1)
                self._rules.append(rule)
            self._signs.append(sign)
            self._message.append(label)
            self.buttons.append(button)
        self.hide_button = LinkButton(theme, "Hide", small=True)
        self.hide_button.setAccessibleName("Hide the three steps")
        self.hide_button.clicked.connect(self.hidden_for_good)
        self._layout.addWidget(self.hide_button)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self._restyle)
        self.set_done(0)
        self._restyle()

    def set_done(self, done: int) -> None:
        self._done = done
        for number, (sign, label, button) in enumerate(
            zip(self._signs, self._message, self.buttons, strict=True)
        ):
            sign.set_state(number < done, number == done)
            label.set_tone(Tone.MUTED if number < done else Tone.NEUTRAL)
            label.set_bold(number == done)
            button.setVisible(number == done)
        self._turn()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        frame(painter, self.rect(), fill=tokens.panel, edge=tokens.border)
        painter.end()

    def minimumSizeHint(self) -> QSize:
        """Of the upright form: beside each other the steps may need more than a small window has."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), self._theme.chars(40)), hint.height())

    def _turn(self) -> None:
        """Below each other when they do not fit beside each other."""
        beside = self._width_beside() <= self.width() or self.width() < 10
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if self._layout.direction() is not direction:
            self._layout.setDirection(direction)
            self.updateGeometry()
        for rule in self._rules:
            rule.setVisible(beside)

    def _width_beside(self) -> int:
        px = self._theme.px
        width = px(32)
        for index in range(self._layout.count()):
            item = self._layout.itemAt(index)
            if item is not None and item.widget() not in self._rules:
                width += item.sizeHint().width() + px(16)
        return width + px(24) * 2

    @Slot()
    def _first(self) -> None:
        self.asked.emit(0)

    @Slot()
    def _second(self) -> None:
        self.asked.emit(1)

    @Slot()
    def _third(self) -> None:
        self.asked.emit(2)

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._layout.setContentsMargins(px(16), px(12), px(16), px(12))
        self._layout.setSpacing(px(16))
        for row in self._rows:
            row.setSpacing(px(10))
        for sign in self._signs:
            sign.updateGeometry()
        self._turn()
        self.update()
