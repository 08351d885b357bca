"""Several things at once: a list of what will happen with each, before anything happens."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.state_delegate import STATE_ROLE, StateDelegate, StateLook
from desktop.gui.widgets.table import Table
from desktop.ingest.arrivals import Arrival


class ArrivalsDialog(QDialog):
    """Accepted: do what it says, one after the other. Esc: nothing happens."""

    def __init__(self, theme: Theme, planned: Sequence[Arrival], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.planned = tuple(planned)
        usable = [arrival for arrival in planned if not arrival.refused]
        px = theme.px
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        title = f"{len(planned)} things at once"
        self.setWindowTitle(title)
        message = (
            "One after the other, from top to bottom. Nothing has been done yet."
            if usable
            else "None of these can be opened here. Nothing was changed."
        )
        self.rows = RowsModel[Arrival](
            [
                Column(
                    "Name",
                    lambda row: row.path.name or str(row.path),
                    tooltip=lambda row: str(row.path),
                ),
                Column(
                    "What happens",
                    lambda row: row.message,
                    tooltip=lambda row: row.message,
                    spoken=lambda row: f"refused: {row.message}" if row.refused else row.message,
                    roles={STATE_ROLE: _look},
                ),
            ],
            self,
        )
        self.rows.set_rows(planned)
        self.table = Table(theme, "What happens with each")
        self.table.setModel(self.rows)
        self.table.use_delegate(1, StateDelegate(theme, self.table))
        self.table.set_widths((28, None))
        self.table.fit_height(10)
        self.table.selectRow(0)
        self.cancel_button = Button(theme, "&Cancel" if usable else "&Close", primary=not usable)
        self.cancel_button.clicked.connect(self.reject)
        self.go_button = Button(theme, "&Go on", icon="arrow-right", primary=True)
        self.go_button.clicked.connect(self.accept)
        self.go_button.setVisible(bool(usable))
        default = self.go_button if usable else self.cancel_button
        default.setDefault(True)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(10))
        outer.addWidget(TextLabel(theme, title, kind=Type.SECTION, wrap=True))
        outer.addWidget(TextLabel(theme, message, tone=Tone.MUTED, wrap=True))
        outer.addWidget(self.table)
        outer.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(px(8))
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.go_button)
        outer.addLayout(row)
        # Wide enough for the longest sentence, as far as a window may be wide.
        longest = max((theme.metrics().horizontalAdvance(arrival.message) for arrival in planned), default=0)
        self.resize(min(longest + theme.chars(28) + px(140), px(900)), self.sizeHint().height())
        default.setFocus()


def _look(arrival: Arrival) -> StateLook:
    if arrival.refused:
        return StateLook(arrival.message, Tone.BAD, "cross")
    return StateLook(arrival.message, Tone.NEUTRAL, "arrow-right")
