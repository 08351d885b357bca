"""Why this model and not another: every other one with its reason, and the arithmetic for who wants it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.reports.data import ReportData


class WhyDialog(QDialog):
    """Reading only; Esc and Enter close it."""

    def __init__(self, theme: Theme, report: ReportData, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Why this one?")
        px = theme.px
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, px(8), 0)
        column.setSpacing(px(6))
        answer = report.answer
        column.addWidget(TextLabel(theme, answer.headline, kind=Type.SECTION, wrap=True, selectable=True))
        for message in (answer.reason, *answer.limits):
            if message:
                column.addWidget(TextLabel(theme, message, wrap=True, selectable=True))
        if answer.runners_up:
            column.addSpacing(px(8))
            column.addWidget(TextLabel(theme, "The others", bold=True))
        for other in answer.runners_up:
            column.addWidget(TextLabel(theme, other.name, bold=True, wrap=True))
            column.addWidget(TextLabel(theme, other.sentence, tone=Tone.MUTED, wrap=True, selectable=True))
        if answer.arithmetic:
            column.addSpacing(px(8))
            column.addWidget(TextLabel(theme, "The arithmetic", bold=True))
        for line in answer.arithmetic:
            column.addWidget(TextLabel(theme, line, kind=Type.SMALL, wrap=True, selectable=True))
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        scroll.setAccessibleName("Reasons")
        scroll.setAccessibleDescription(
            " ".join((answer.headline, answer.reason, *answer.limits, *(o.sentence for o in answer.runners_up)))
        )
        close = Button(theme, "&Close", primary=True)
        close.clicked.connect(self.accept)
        close.setDefault(True)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(20), px(16), px(20), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(scroll, 1)
        outer.addLayout(row)
        self.resize(px(620), px(440))
        close.setFocus()
