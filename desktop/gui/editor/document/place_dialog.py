"""Asks for a new folder: where, and what it is called. By keyboard alone or by mouse."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from desktop.gui.editor.document.file_names import name_fault
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.dialog_size import open_as_wide_as
from desktop.gui.widgets.field_frame import FieldFrame
from desktop.gui.widgets.label import TextLabel


class FolderField(QWidget):
    """The name of a new folder, and the folder that it is made in."""

    changed = Signal()

    def __init__(self, theme: Theme, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.name = QLineEdit(folder.name)
        self.inside = QLineEdit(str(folder.parent))
        self.name_field = FieldFrame(theme, "&Name of the folder", self.name)
        self.inside_field = FieldFrame(theme, "&In the folder", self.inside)
        self.browse = Button(theme, "Choose &folder…", icon="folder")
        self.browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.browse)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.px(12))
        column.addWidget(self.name_field)
        column.addWidget(self.inside_field)
        column.addLayout(row)
        self.name.textChanged.connect(self.changed)
        self.inside.textChanged.connect(self.changed)

    @property
    def folder(self) -> Path:
        return Path(self.inside.text().strip()).expanduser().absolute() / self.name.text().strip()

    def check(self) -> bool:
        """Tells beside the field what cannot be; returns whether the folder can be made."""
        trouble = name_fault(self.name.text().strip())
        if not trouble and self.folder.exists() and (self.folder.is_file() or any(self.folder.iterdir())):
            trouble = "There is something of this name already."
        if trouble:
            self.name_field.show_problem(trouble, "Choose another name.")
            self.name.setFocus()
            self.name.selectAll()
            return False
        self.name_field.clear_problem()
        if not self.inside.text().strip():
            self.inside_field.show_problem("A folder is needed.")
            self.inside.setFocus()
            return False
        self.inside_field.clear_problem()
        return True

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self.window(), "Choose a folder", self.inside.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.inside.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


class PlaceDialog(QDialog):
    chosen = Signal(object)
    """Path of a folder that is not there yet, or empty."""

    def __init__(
        self, theme: Theme, title: str, question: str, folder: Path, verb: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.place = FolderField(theme, folder)
        self.accept_button = Button(theme, verb, primary=True)
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._accept)
        cancel = Button(theme, "Go &back")
        cancel.clicked.connect(self.reject)
        outer = QVBoxLayout(self)
        px = theme.px
        outer.setContentsMargins(px(24), px(20), px(24), px(16))
        outer.setSpacing(px(12))
        outer.addWidget(TextLabel(theme, question, kind=Type.SECTION, wrap=True))
        outer.addWidget(self.place)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(self.accept_button)
        outer.addLayout(row)
        open_as_wide_as(self, theme, 480)
        self.place.name.setFocus()
        self.place.name.selectAll()

    @Slot()
    def _accept(self) -> None:
        if self.place.check():
            self.chosen.emit(self.place.folder)
            self.accept()
