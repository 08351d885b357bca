"""What another program wrote beside what is here: one file at a time, the differences marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.difference_view import DifferenceView
from desktop.gui.widgets.field_frame import FieldFrame
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.text_difference import difference

Pair = tuple[str, bytes | None, bytes | None]
"""File, its bytes on disk, its bytes here; None where there is none."""


class DiskDifferenceDialog(QDialog):
    mine = Signal()
    theirs = Signal()

    def __init__(self, theme: Theme, pairs: Sequence[Pair], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Compare with the disk")
        self._pairs = list(pairs)
        self.box = QComboBox()
        self.box.setAccessibleName("File")
        for name, _, _ in pairs[:1000]:
            self.box.addItem(name)
        self.view = DifferenceView(theme, "Differences", lines=18)
        self.keep_button = Button(theme, "&Keep mine")
        self.take_button = Button(theme, "Take &theirs")
        self.back_button = Button(theme, "Go &back", primary=True)
        px = theme.px
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(TextLabel(theme, "What differs from the disk?", kind=Type.SECTION))
        outer.addWidget(TextLabel(theme, "Struck through: only on disk. Underlined: only here.", wrap=True))
        outer.addWidget(FieldFrame(theme, "&File", self.box))
        outer.addWidget(self.view, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        for button in (self.keep_button, self.take_button, self.back_button):
            row.addWidget(button)
        outer.addLayout(row)
        self.setMinimumSize(px(640), px(460))
        self.box.currentIndexChanged.connect(self._show)
        self.keep_button.clicked.connect(self._keep)
        self.take_button.clicked.connect(self._take)
        self.back_button.clicked.connect(self.reject)
        self._show()

    @Slot()
    def _show(self) -> None:
        place = self.box.currentIndex()
        if 0 <= place < len(self._pairs):
            _, disk, here = self._pairs[place]
            self.view.show_runs(difference(_text(here), _text(disk)))

    @Slot()
    def _keep(self) -> None:
        self.accept()
        self.mine.emit()

    @Slot()
    def _take(self) -> None:
        self.accept()
        self.theirs.emit()


def _text(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "replace")
