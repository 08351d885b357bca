"""Two dialogs to read: what differs between two bundles, and one failed case whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFormLayout, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.state_delegate import STATE_ROLE, StateDelegate, StateLook
from desktop.gui.widgets.table import Table

if TYPE_CHECKING:
    from desktop.application.evidence.cases import FailedCase
    from desktop.application.evidence.work import ComparedBundles, Flipped

Figure = tuple[str, str, str]


class _Reading(QDialog):
    """Esc and the one button close it."""

    def __init__(self, theme: Theme, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme.px
        self.body = QVBoxLayout()
        self.body.setSpacing(px(8))
        close = Button(theme, "&Close", primary=True)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(20), px(16), px(20), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(TextLabel(theme, title, kind=Type.PAGE, wrap=True))
        outer.addLayout(self.body, 1)
        outer.addLayout(row)


class BundlesDialog(_Reading):
    def __init__(self, theme: Theme, compared: ComparedBundles, parent: QWidget | None = None) -> None:
        super().__init__(theme, compared.title, parent)
        self.setWindowTitle("Two bundles compared")
        self.sentences = [
            TextLabel(theme, message, wrap=True, selectable=True) for message in compared.sentences
        ]
        for label in self.sentences:
            self.body.addWidget(label)
        self.figures: RowsModel[Figure] = RowsModel(
            [
                Column("Figure", lambda row: row[0], tooltip=lambda row: row[0]),
                Column("Before", lambda row: row[1]),
                Column("After", lambda row: row[2]),
            ]
        )
        self.figures.set_rows(compared.figures)
        self.flips: RowsModel[Flipped] = RowsModel(
            [
                Column("Case", lambda row: row.case, tooltip=lambda row: row.case),
                Column("Test", lambda row: row.test, tooltip=lambda row: row.test),
                Column("Cases", lambda row: row.corpus),
                Column("After", _after, roles={STATE_ROLE: _after_look}),
            ]
        )
        self.flips.set_rows(compared.flipped)
        figures = Table(theme, "Figures of both bundles", framed=False)
        figures.setModel(self.figures)
        figures.set_widths((None, 20, 20))
        self.table = Table(theme, "Cases whose outcome changed", framed=False)
        self.table.setModel(self.flips)
        self.table.use_delegate(3, StateDelegate(theme, self.table))
        self.table.set_widths((24, None, 18, 14))
        better = sum(row.better for row in compared.flipped)
        note = f"{better} better, {len(compared.flipped) - better} worse" if compared.flipped else "none"
        for heading, message, table in (
            ("Figures", "", figures),
            ("Cases whose outcome changed", note, self.table),
        ):
            panel = Panel(theme, heading, message, padding=0, ruled=True)
            panel.body.addWidget(table)
            self.body.addWidget(panel, 1)
        self.resize(theme.chars(120), theme.px(600))


def _after(row: Flipped) -> str:
    return "passes" if row.better else "fails"


def _after_look(row: Flipped) -> StateLook:
    return StateLook(_after(row), Tone.GOOD if row.better else Tone.BAD, "tick" if row.better else "cross")


class CaseDialog(_Reading):
    def __init__(self, theme: Theme, case: FailedCase, parent: QWidget | None = None) -> None:
        super().__init__(theme, f"Case {case.case}", parent)
        self.setWindowTitle(f"Case {case.case}")
        content = QWidget()
        form = QFormLayout(content)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.setHorizontalSpacing(theme.px(16))
        form.setVerticalSpacing(theme.px(8))
        self.message: list[TextLabel] = []
        for name, text, kind in (
            ("Test", f"{case.test}, {case.corpus} cases", Type.BODY),
            ("What is wrong", f"{case.kind}{f', {case.severity}' if case.severity else ''}", Type.BODY),
            ("Why", case.why, Type.BODY),
            ("Input", case.input, Type.MONO),
            ("Expected", case.expected, Type.MONO),
            ("Answered", case.answered, Type.MONO),
            ("Whole answer", case.output, Type.MONO),
        ):
            if text:
                label = TextLabel(theme, text, kind=kind, wrap=True, selectable=True)
                self.message.append(label)
                form.addRow(TextLabel(theme, name, tone=Tone.MUTED), label)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(content)
        scroll.setAccessibleName("The case")
        self.body.addWidget(scroll, 1)
        self.resize(theme.chars(100), theme.px(420))
