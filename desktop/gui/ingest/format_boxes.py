"""How a table is read: encoding, delimiter, header, decimal sign and sheet, each found by itself or chosen."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.elided_box import ElidedBox
from desktop.gui.widgets.flow import FlowLayout
from desktop.gui.widgets.label import TextLabel
from desktop.ingest.encoding import ENCODINGS
from desktop.ingest.tables.delimited import DELIMITER_NAMES
from desktop.ingest.tables.model import DataTable, TableFormat

FOUND = "found by itself"


class FormatBoxes(FlowLayout):
    """A row of boxes that breaks where there is no room; `say` tells what was found."""

    chosen = Signal()
    """The person wants another way of reading."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.encoding = named_box("Encoding", [("", FOUND), *((name, name) for name in ENCODINGS)])
        self.delimiter = named_box("Between columns", [("", FOUND), *DELIMITER_NAMES.items()])
        self.header = named_box("First row", [("", FOUND), ("yes", "names"), ("no", "content")])
        self.decimal = named_box("Decimal sign", [("", FOUND), (".", "point"), (",", "comma")])
        self.sheet = named_box("Sheet", [])
        self._parts: dict[QComboBox, QWidget] = {}
        for box in (self.encoding, self.delimiter, self.header, self.decimal, self.sheet):
            part = QWidget()
            column = QVBoxLayout(part)
            column.setContentsMargins(0, 0, 0, 0)
            label = TextLabel(theme, box.accessibleName(), kind=Type.SMALL, tone=Tone.MUTED)
            label.setBuddy(box)
            column.addWidget(label)
            column.addWidget(box)
            self._parts[box] = part
            self.addWidget(part)
            box.activated.connect(self.chosen)

        # Never `setVisible(True)` before it has a parent: it would be a window of its own for a moment.
        self._parts[self.sheet].hide()

    @property
    def wanted(self) -> TableFormat:
        """What was chosen; None for what is to be found."""
        return TableFormat(
            encoding=self.encoding.currentData() or None,
            delimiter=self.delimiter.currentData() or None,
            has_header={"yes": True, "no": False}.get(self.header.currentData()),
            decimal=self.decimal.currentData() or None,
            sheet=self.sheet.currentData() if self.sheet.count() > 1 else None,
        )

    def say(self, table: DataTable) -> None:
        """The first entry of each box says what was found, so that nobody has to ask; boxes that mean nothing
        for this kind of file are hidden."""
        found = table.format
        if table.sheets and self.sheet.count() != len(table.sheets):
            self.sheet.clear()
            for sheet in table.sheets:
                self.sheet.addItem(sheet, sheet)
            self.sheet.setCurrentIndex(max(self.sheet.findData(found.sheet), 0))
        self._parts[self.encoding].setVisible(found.encoding is not None)
        self._parts[self.delimiter].setVisible(found.delimiter is not None)
        self._parts[self.sheet].setVisible(len(table.sheets) > 1)
        header = {True: "names", False: "content", None: ""}[found.has_header]
        message = (
            (self.encoding, found.encoding),
            (self.delimiter, DELIMITER_NAMES.get(found.delimiter or "")),
            (self.header, header),
            (self.decimal, {".": "point", ",": "comma"}.get(found.decimal or "")),
        )
        for box, value in message:
            # What a person has chosen is no finding.
            if box.currentIndex() == 0:
                box.setItemText(0, f"found: {value}" if value else FOUND)


def named_box(name: str, entries: list[tuple[str, str]], *, narrow: bool = False) -> QComboBox:
    """entries: (value, words). narrow: long entries do not make it wider."""
    if narrow:
        box: QComboBox = ElidedBox(name)
    else:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    for value, message in entries:
        box.addItem(message, value)
    return box
