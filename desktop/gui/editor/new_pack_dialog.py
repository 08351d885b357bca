"""A new pack: what it is called, how its answers are judged, and where it is put."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.gui.editor.document.place_dialog import FolderField
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.dialog_size import FittedBody, open_as_wide_as
from desktop.gui.widgets.field_frame import FieldFrame
from desktop.gui.widgets.label import TextLabel
from packs.errors import AppError
from packs.task.new_pack import kebab
from packs.task.scaffold import write_scaffold
from packs.task.scorers import SCORERS, Scorer

WIDTH = 520


class NewPackDialog(QDialog):
    made = Signal(str)
    """Folder of the new pack; its files are there."""

    def __init__(self, theme: Theme, documents: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("New pack")
        self._folder_typed = False
        self.name = QLineEdit("my-task")
        self.name_field = FieldFrame(theme, "&What is the task called?", self.name)
        self.kind = QComboBox()
        for scorer in SCORERS:
            self.kind.addItem(scorer.scaffold.title, scorer.name)
        self.kind_field = FieldFrame(theme, "How are answers &judged?", self.kind)
        self.explained = TextLabel(theme, "", tone=Tone.MUTED, wrap=True)
        self.place = FolderField(theme, self._free(documents, "my-task"))
        self._documents = documents
        self.make_button = Button(theme, "&Make the pack", primary=True)
        self.make_button.setDefault(True)
        cancel = Button(theme, "Go &back")
        px = theme.px
        outer = QVBoxLayout(self)
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(12))
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(px(12))
        column.addWidget(TextLabel(theme, "What is the new pack to test?", kind=Type.SECTION, wrap=True))
        for widget in (self.name_field, self.kind_field, self.explained, self.place):
            column.addWidget(widget)
        outer.addWidget(FittedBody(body, px(WIDTH - 48), px(36 + 12 + 40)), 1)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.make_button)
        outer.addLayout(row)
        open_as_wide_as(self, theme, WIDTH)
        self.name.textEdited.connect(self._named)
        self.place.name.textEdited.connect(self._folder_named)
        self.kind.currentIndexChanged.connect(self._explain)
        self.make_button.clicked.connect(self._make)
        cancel.clicked.connect(self.reject)
        self._explain()
        self.name.setFocus()
        self.name.selectAll()

    @staticmethod
    def _free(documents: Path, name: str) -> Path:
        number, folder = 2, documents / name
        while folder.exists():
            folder = documents / f"{name}-{number}"
            number += 1
        return folder

    @Slot(str)
    def _named(self, name: str) -> None:
        """The folder follows the name until it is given one of its own."""
        if not self._folder_typed:
            self.place.name.setText(self._free(self._documents, kebab(name) or "my-task").name)
        self.name_field.clear_problem()

    @Slot()
    def _folder_named(self) -> None:
        self._folder_typed = True

    def _scorer(self) -> type[Scorer]:
        return SCORERS[self.kind.currentData()]

    @Slot()
    def _explain(self) -> None:
        self.explained.setText(self._scorer().scaffold.explanation)

    @Slot()
    def _make(self) -> None:
        name = self.name.text().strip()
        if not name:
            self.name_field.show_problem("A name is needed.", "It stands in lists and reports.")
            self.name.setFocus()
            return
        if not self.place.check():
            return
        scorer = self._scorer()
        folder = self.place.folder
        try:
            write_scaffold(folder, name, scorer.scaffold.type, scorer.name)
        except AppError as error:
            self.place.inside_field.show_problem(error.message, error.fix)
            self.place.inside.setFocus()
            return
        self.accept()
        self.made.emit(str(folder))
