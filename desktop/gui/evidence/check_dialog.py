"""Does a result still speak for what runs now? Asks the server that runs the model, and shows what changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QWidget

from desktop.gui.core.tasks import TaskRunner
from desktop.gui.evidence.work_dialog import WorkDialog
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.chip import ChipDelegate, ChipLook, Chips, chip
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.roles import CHIPS_ROLE
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from desktop.inference.backends.table import EXAMPLE_ADDRESS

if TYPE_CHECKING:
    from desktop.application.evidence.work import CheckedBundle

TEXTS = (
    "What the bundle says was qualified is compared with what runs now. Nothing is asked of the model itself; "
    "the server only tells which model it runs."
)
_CHIPS = {
    "same": chip("Same", Tone.GOOD, sign="tick"),
    "fired": chip("Changed", Tone.BAD, sign="cross"),
    "ambiguous": chip("Not clear", Tone.WARN, sign="warning"),
}
_NOT_SEEN = chip("Not looked at", Tone.MUTED, sign="dash", outlined=True)
_TONES = {0: Tone.GOOD, 1: Tone.WARN, 2: Tone.BAD}
Row = tuple[str, str, str]


def state_chip(row: Row) -> ChipLook:
    return _CHIPS.get(row[1], _NOT_SEEN)


class CheckDialog(WorkDialog):
    def __init__(
        self,
        theme: Theme,
        tasks: TaskRunner,
        bundle: Path,
        model: str,
        *,
        now: Callable[[], datetime],
        parent: QWidget | None = None,
    ) -> None:
        """model: its id in the bundle."""
        super().__init__(theme, tasks, "Check against what runs now", TEXTS, "C&heck", parent)
        self._bundle = bundle
        self._now = now
        self.endpoint = QLineEdit(EXAMPLE_ADDRESS)
        self.endpoint.setMinimumWidth(theme.chars(30))
        self.model_id = QLineEdit(model)
        self.pack = QLineEdit()
        self.pack.setPlaceholderText("only if the pack is to be compared as well")
        self.browse = Button(theme, "&Browse…")
        self.allowed = QCheckBox("Ask that &other computer, this once")
        self.add_row("&Address of the server", self.endpoint)
        self.fields.addRow("", self.allowed)
        self.add_row("&Model", self.model_id)
        self.add_row("&Folder of the pack", self.pack, self.browse)
        self.sentence = TextLabel(theme, bold=True, wrap=True, selectable=True)
        self.rows: RowsModel[Row] = RowsModel(
            [
                Column("What was qualified", lambda row: row[0], tooltip=lambda row: row[0]),
                Column(
                    "Now",
                    lambda row: state_chip(row).text,
                    roles={CHIPS_ROLE: lambda row: Chips((state_chip(row),))},
                ),
                Column("Why", lambda row: row[2], tooltip=lambda row: row[2]),
            ]
        )
        self.table = Table(theme, "What was qualified, and how it is now")
        self.table.setModel(self.rows)
        self.table.use_delegate(1, ChipDelegate(theme, self.table))
        self.table.set_widths((26, 22, None))
        self.table.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.notes = TextLabel(theme, kind=Type.SMALL, tone=Tone.MUTED, wrap=True, selectable=True)
        for widget in (self.sentence, self.table, self.notes):
            self.below.addWidget(widget)
            widget.hide()
        self.browse.clicked.connect(self._browse)
        self.do_button.clicked.connect(self.check)
        self.endpoint.textChanged.connect(self._address_changed)
        self._address_changed()
        self.endpoint.setFocus()

    @property
    def elsewhere(self) -> bool:
        """Would another computer be asked?"""
        name = (urlsplit(self.endpoint.text().strip()).hostname or "").lower()
        return bool(name) and name not in ("localhost", "::1") and not name.startswith("127.")

    @Slot()
    def _address_changed(self) -> None:
        self.allowed.setVisible(self.elsewhere)
        self.allowed.setChecked(False)

    @Slot()
    def check(self) -> None:
        if self.elsewhere and not self.allowed.isChecked():
            self.say("That address is another computer. Tick the box to ask it, this once.", Tone.WARN)
            self.allowed.setFocus()
            return
        bundle, now = self._bundle, self._now()
        endpoint, model, pack = (field.text().strip() for field in (self.endpoint, self.model_id, self.pack))

        def job() -> CheckedBundle:
            from desktop.application.evidence.work import check_now
            from desktop.runs.qualification.check import CheckSettings

            settings = CheckSettings(endpoint, Path(pack).expanduser() if pack else None, model=model or None)
            return check_now(bundle, settings, now)

        self.work("Asking the server …", job, self._show)

    def _show(self, checked: CheckedBundle) -> None:
        self.sentence.setText(checked.sentence)
        self.sentence.set_tone(_TONES.get(checked.level, Tone.BAD))
        self.rows.set_rows(checked.rows)
        self.notes.setText("\n".join(checked.notes))
        self.sentence.show()
        self.table.show()
        self.notes.setVisible(bool(checked.notes))
        self.table.setMinimumHeight(self.theme.row_height() * 8)
        self.resize(max(self.width(), self.theme.chars(120)), max(self.height(), self.theme.px(560)))
        self.table.setFocus()

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self, "The folder of the pack")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        dialog.fileSelected.connect(self.pack.setText)
        dialog.open()
