"""About: the program's version, what it is made of, and every licence in full."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass

from PySide6.QtCore import QItemSelection, Qt, Slot, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from desktop import __version__
from desktop.foundation.resource_files import resource
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.difference_view import DifferenceView
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table


@dataclass(frozen=True, slots=True)
class Component:
    """licence: its short name. file: of the text in `resources/licences`."""

    name: str
    version: str
    licence: str
    file: str


def components() -> list[Component]:
    """Everything that is brought along, by name. Empty when the list is missing."""
    index = resource("licences", "index.json")
    if not index.is_file():
        return []
    return [Component(**entry) for entry in json.loads(index.read_text("utf-8"))]


def licence_text(component: Component) -> str:
    return resource("licences", component.file).read_text("utf-8")


def versions_text(parts: list[Component]) -> str:
    """For a bug report: one line each."""
    lines = [
        f"Packbench {__version__}",
        f"Python {platform.python_version()}",
        f"Qt {qVersion()}",
        platform.platform(),
    ]
    return "\n".join([*lines, *(f"{part.name} {part.version}" for part in parts)])


class AboutDialog(QDialog):
    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts = components()
        self.setWindowTitle("About Packbench")
        self.heading = TextLabel(theme, f"Packbench {__version__}", kind=Type.ANSWER)
        self.message = TextLabel(
            theme,
            "Finds out offline which local model can do your job. Free software under the Apache License, "
            f"version 2.0. Runs on Python {platform.python_version()} and Qt {qVersion()}.",
            wrap=True,
        )
        self.note = TextLabel(
            theme,
            "It is made of the parts below. Choose one to read its licence.",
            kind=Type.SMALL,
            tone=Tone.MUTED,
            wrap=True,
        )
        columns: list[Column[Component]] = [
            Column("Part", lambda part: part.name),
            Column("Version", lambda part: part.version),
            Column("Licence", lambda part: part.licence, tooltip=lambda part: part.licence),
        ]
        self.model = RowsModel(columns, self)
        self.model.set_rows(self._parts)
        self.table = Table(theme, "Parts and their licences")
        self.table.setModel(self.model)
        self.table.set_widths((26, 18, None))
        self.text = DifferenceView(theme, "Text of the licence", lines=12)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.table)
        self._split.addWidget(self.text)
        self.copy_button = Button(theme, "&Copy versions", icon="copy")
        self.copy_button.clicked.connect(self._copy)
        self.close_button = Button(theme, "C&lose", primary=True)
        self.close_button.clicked.connect(self.accept)
        self._row = QHBoxLayout()
        self._row.addWidget(self.copy_button)
        self._row.addStretch(1)
        self._row.addWidget(self.close_button)
        self._layout = QVBoxLayout(self)
        for widget in (self.heading, self.message, self.note):
            self._layout.addWidget(widget)
        self._layout.addWidget(self._split, 1)
        self._layout.addLayout(self._row)
        self.table.selectionModel().selectionChanged.connect(self._show_text)
        if self._parts:
            self.table.selectRow(0)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.close_button.setFocus()

    @Slot(QItemSelection, QItemSelection)
    def _show_text(self, _now: QItemSelection, _before: QItemSelection) -> None:
        index = self.table.currentIndex()
        rows = self.table.selectionModel().selectedRows()
        row = rows[0].row() if rows else index.row()
        if 0 <= row < len(self._parts):
            self.text.show_plain(licence_text(self._parts[row]))

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(versions_text(self._parts))
        self.copy_button.setText("Copied")

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self._layout.setContentsMargins(px(24), px(20), px(24), px(16))
        self._layout.setSpacing(px(8))
        self.resize(self._theme.chars(100), px(620))
