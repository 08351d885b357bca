"""Where models are looked for, with what was found there; the person's own folders and files can be changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from desktop.inference.model_files.library import FoundModel, LibrarySource

NOT_THERE = "not there"


@dataclass(frozen=True, slots=True)
class _Row:
    source: LibrarySource
    models: int

    @property
    def found(self) -> str:
        """'3 models', 'none', 'not there'."""
        if not self.source.is_there:
            return NOT_THERE
        return "none" if self.models == 0 else f"{self.models:,} model{'s' if self.models > 1 else ''}"


class SourcesDialog(QDialog):
    files_asked = Signal()
    folder_asked = Signal()
    forget_asked = Signal(object)
    """Path of a file or folder that the person had added."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Where models are looked for")
        self._sources: Sequence[LibrarySource] = ()
        self._found: Sequence[FoundModel] = ()
        note = TextLabel(
            theme,
            "Files are used where they lie: nothing is copied, and nothing on the disk is changed from here.",
            tone=Tone.MUTED,
            wrap=True,
        )
        self.model: RowsModel[_Row] = RowsModel(
            [
                Column("Whose", lambda row: row.source.owner),
                Column("Where", lambda row: str(row.source.path), tooltip=lambda row: str(row.source.path)),
                Column("Found", lambda row: row.found, right=True),
            ],
            self,
        )
        self.table = Table(theme, "Where models are looked for")
        self.table.setModel(self.model)
        self.table.set_widths((26, None, 14))
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.files_button = Button(theme, "Add f&iles…", icon="plus")
        self.folder_button = Button(theme, "Add a &folder…", icon="folder")
        self.forget_button = Button(theme, "&Take off the list")
        self.forget_button.setEnabled(False)
        close = Button(theme, "&Close", primary=True)
        self.files_button.clicked.connect(self.files_asked)
        self.folder_button.clicked.connect(self.folder_asked)
        self.forget_button.clicked.connect(self._forget)
        close.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        for button in (self.files_button, self.folder_button, self.forget_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(close)
        outer = QVBoxLayout(self)
        outer.addWidget(note)
        outer.addWidget(self.table, 1)
        outer.addLayout(buttons)
        margin = theme.px(16)
        outer.setContentsMargins(margin, margin, margin, margin)
        outer.setSpacing(theme.px(12))
        self.resize(theme.px(760), theme.px(420))

    def show_sources(self, sources: Sequence[LibrarySource]) -> None:
        self._sources = sources
        self._show()

    def count(self, models: Sequence[FoundModel]) -> None:
        """How many models each place has; a model with several places counts in each."""
        self._found = models
        self._show()

    def _show(self) -> None:
        chosen = self._chosen()
        self.model.set_rows(_Row(source, self._count_in(source)) for source in self._sources)
        for number, source in enumerate(self._sources):
            if chosen is not None and source == chosen:
                self.table.setCurrentIndex(self.model.index(number, 0))
        self._follow()

    def _count_in(self, source: LibrarySource) -> int:
        return sum(
            any(place.path.is_relative_to(source.path) for place in model.places) for model in self._found
        )

    def _chosen(self) -> LibrarySource | None:
        number = self.table.currentIndex().row()
        return self.model.row(number).source if number >= 0 else None

    @Slot(QModelIndex, QModelIndex)
    def _row_changed(
        self, current: QModelIndex | QPersistentModelIndex, before: QModelIndex | QPersistentModelIndex
    ) -> None:
        self._follow()

    def _follow(self) -> None:
        chosen = self._chosen()
        self.forget_button.setEnabled(chosen is not None and chosen.by_user)

    @Slot()
    def _forget(self) -> None:
        chosen = self._chosen()
        if chosen is not None and chosen.by_user:
            self.forget_asked.emit(chosen.path)
