"""Two runs compared: the sentence for every model, what was different, and the examples that flipped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop.application.wording import full_moment
from desktop.gui.runs.result.comparison import Flip, RunComparison
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.state_delegate import STATE_ROLE, StateDelegate, StateLook
from desktop.gui.widgets.table import Table
from desktop.reports.data import ReportData
from desktop.reports.text import one_line

Change = tuple[str, str, str]
MAX_SENTENCES = 6


class CompareDialog(QDialog):
    """Reading only; Esc closes."""

    def __init__(
        self,
        theme: Theme,
        first: ReportData,
        second: ReportData,
        comparison: RunComparison,
        *,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Two runs compared")
        px = theme.px
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(20), px(16), px(20), px(16))
        outer.setSpacing(px(8))
        title = (
            f"{first.pack.name}, {full_moment(first.run.started_at, now())}, against "
            f"{second.pack.name}, {full_moment(second.run.started_at, now())}"
        )
        outer.addWidget(TextLabel(theme, title, kind=Type.PAGE, wrap=True))
        sentences = [pair.sentence for pair in comparison.pairs[:MAX_SENTENCES]]
        if not sentences:
            sentences = ["The runs have no model that could be compared."]
        self.sentences = [TextLabel(theme, message, wrap=True, selectable=True) for message in sentences]
        for label in self.sentences:
            outer.addWidget(label)
        for message in comparison.notes:
            outer.addWidget(TextLabel(theme, message, tone=Tone.WARN, wrap=True, selectable=True))

        self.changes: RowsModel[Change] = RowsModel(
            [
                Column("What differs", lambda row: row[0], tooltip=lambda row: row[0]),
                Column("Before", lambda row: row[1], tooltip=lambda row: row[1]),
                Column("After", lambda row: row[2], tooltip=lambda row: row[2]),
            ]
        )
        self.changes.set_rows(comparison.changes)
        self.flips: RowsModel[Flip] = RowsModel(
            [
                Column("No.", lambda row: row.example),
                Column(
                    "Input", lambda row: one_line(row.input, 200), tooltip=lambda row: one_line(row.input, 600)
                ),
                Column("Expected", lambda row: one_line(row.expected, 80)),
                Column("Model", lambda row: row.model),
                Column("Before", lambda row: row.before),
                Column(
                    "After",
                    lambda row: row.after,
                    spoken=lambda row: f"{row.after}, {'better' if row.better else 'worse'}",
                    roles={STATE_ROLE: _after_look},
                ),
            ]
        )
        self.flips.set_rows(comparison.flips)
        changes = Table(theme, "What differs between the runs")
        changes.setFrameShape(QFrame.Shape.NoFrame)
        changes.setModel(self.changes)
        changes.set_widths((26, 30, None))
        self.table = Table(theme, "Examples that flipped")
        self.table.setFrameShape(QFrame.Shape.NoFrame)
        self.table.setModel(self.flips)
        self.table.use_delegate(5, StateDelegate(theme, self.table))
        self.table.set_widths((8, None, 16, 20, 16, 18))
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        better = sum(flip.better for flip in comparison.flips)
        worse = len(comparison.flips) - better
        note = f"{better} better, {worse} worse" if comparison.flips else "none"
        for heading, message, table in (
            ("What differs", "" if comparison.changes else "nothing", changes),
            ("Examples that flipped", note, self.table),
        ):
            panel = Panel(theme, heading, message, padding=0, ruled=True)
            panel.body.addWidget(table)
            split.addWidget(panel)
        split.setStretchFactor(1, 2)
        outer.addWidget(split, 1)
        close = Button(theme, "&Close", primary=True)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(close)
        outer.addLayout(row)
        self.resize(theme.chars(150), px(640))


def _after_look(flip: Flip) -> StateLook:
    if flip.better:
        return StateLook(flip.after, Tone.GOOD, "arrow-right")
    return StateLook(flip.after, Tone.BAD, "arrow-right")
