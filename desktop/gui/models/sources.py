"""Adding models to the list, and seeing where they are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.models.sources_dialog import SourcesDialog
from desktop.gui.theme import Theme
from desktop.inference.model_files.library import FoundModel, LibrarySource

if TYPE_CHECKING:
    from desktop.application.model_service import ModelService


class SourcesControl(QObject):
    """The menu of "Add a model" and what it opens. Nothing is copied, moved or deleted."""

    changed = Signal()
    """Other files or folders: look anew."""
    reported = Signal(str)

    def __init__(self, theme: Theme, service: ModelService, tasks: TaskRunner, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._service = service
        self._tasks = tasks
        self._window = window
        self._found: Sequence[FoundModel] = ()
        self._dialog: SourcesDialog | None = None
        self.menu = QMenu(window)
        self.menu.addAction("F&iles…").triggered.connect(self.choose_files)
        self.menu.addAction("A &folder with models…").triggered.connect(self.choose_folder)
        self.menu.addSeparator()
        self.menu.addAction("&Where models are looked for…").triggered.connect(self.show_list)

    def set_found(self, models: Sequence[FoundModel]) -> None:
        self._found = models
        if self._dialog is not None:
            self._dialog.count(models)

    def add(self, paths: Sequence[Path]) -> None:
        """GGUF files become part of the list where they lie; other files are left out."""
        files = [path for path in paths if path.suffix.lower() == ".gguf"]
        if files:
            self._service.add_files(files)
            self._look_anew()

    def add_folder(self, folder: Path) -> None:
        self._service.add_folder(folder)
        self._look_anew()

    @Slot()
    def choose_files(self) -> None:
        dialog = self._file_dialog("Add models", "GGUF models (*.gguf)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self._files_chosen)
        dialog.open()

    @Slot()
    def choose_folder(self) -> None:
        dialog = self._file_dialog("Add a folder with models", "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._folder_chosen)
        dialog.open()

    @Slot()
    def show_list(self) -> None:
        if self._dialog is None:
            dialog = SourcesDialog(self._theme, self._window)
            dialog.files_asked.connect(self.choose_files)
            dialog.folder_asked.connect(self.choose_folder)
            dialog.forget_asked.connect(self._forget)
            dialog.finished.connect(self._closed)
            self._dialog = dialog
            dialog.count(self._found)
            dialog.open()
        self._read()

    def _file_dialog(self, title: str, kinds: str) -> QFileDialog:
        dialog = QFileDialog(self._dialog or self._window, title, "", kinds)
        dialog.finished.connect(dialog.deleteLater)
        return dialog

    @Slot(list)
    def _files_chosen(self, names: list[str]) -> None:
        self.add([Path(name) for name in names])

    @Slot(str)
    def _folder_chosen(self, name: str) -> None:
        self.add_folder(Path(name))

    @Slot(object)
    def _forget(self, path: Path) -> None:
        self._service.forget(path)
        self._look_anew()

    def _look_anew(self) -> None:
        self.changed.emit()
        if self._dialog is not None:
            self._read()

    def _read(self) -> None:
        self._tasks.start(lambda cancel: self._service.sources(), self._show, self._failed)

    def _show(self, sources: Sequence[LibrarySource]) -> None:
        if self._dialog is not None:
            self._dialog.show_sources(sources)

    def _failed(self, error: Exception) -> None:
        sentence = sentence_for(error)
        self.reported.emit(f"{sentence.message} {sentence.fix}".strip())

    @Slot()
    def _closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None
