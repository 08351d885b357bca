"""The labels of a pack as a row of keys: 1 to 9 choose one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.flow import FlowLayout, wraps
from desktop.gui.widgets.label import TextLabel

MAX = 9
"""So many labels have a key."""
_SHOWN_CHARACTERS = 32


class LabelKeys(QWidget):
    """`show_labels` says which there are and which one stands now; the chosen one has a tick."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._labels: tuple[str, ...] = ()
        self.buttons: list[Button] = []
        self._row = wraps(QWidget())
        self._flow = FlowLayout(self._row, across=theme.px(8), down=theme.px(6))
        self.more = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._row)
        column.addWidget(self.more)
        theme.changed.connect(self._space)

    def show_labels(self, labels: Sequence[str], now: object) -> None:
        """now: the expected value as it stands, a label or not. Hidden where there are no labels."""
        if tuple(labels) != self._labels:
            self._labels = tuple(labels)
            self._make()
        for button, label in zip(self.buttons, self._labels, strict=False):
            button.setChecked(label == now)
        self.setVisible(bool(self.buttons))

    def _make(self) -> None:
        for button in self.buttons:
            self._flow.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        for number, label in enumerate(self._labels[:MAX], 1):
            button = Button(self._theme, _short(label).replace("&", "&&"), key=str(number))
            button.setCheckable(True)
            button.setAccessibleName(f"{label} is right")
            button.setToolTip(f"{label}: choose it and go on")
            button.setProperty("label", label)
            button.clicked.connect(self._press)
            self.buttons.append(button)
            self._flow.addWidget(button)
        left = len(self._labels) - len(self.buttons)
        self.more.setText(f"{left} more in the list: E edits." if left else "")
        self.more.setVisible(bool(left))

    @Slot()
    def _press(self) -> None:
        self.chosen.emit(str(self.sender().property("label")))

    @Slot()
    def _space(self) -> None:
        self._flow.set_gaps(self._theme.px(8), self._theme.px(6))


def _short(label: str) -> str:
    """Cut in the middle: labels that begin alike often differ at their end."""
    half = (_SHOWN_CHARACTERS - 1) // 2
    return label if len(label) <= _SHOWN_CHARACTERS else f"{label[:half]}…{label[-half:]}"
