"""The open pack at another place: saved under another name, duplicated, exported as a zip."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.cancel import CancelToken
from desktop.gui.editor.document import PackDocument
from desktop.gui.editor.place_dialog import PlaceDialog
from desktop.gui.services import WindowServices
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from desktop.ingest.pack_copies import write_zip
from packs.errors import AppError
from packs.task.writer import write_files


class DocumentCopies(QObject):
    """Asks and tells in `notice`. No file dialog blocks."""

    saved_as = Signal(object)
    """The pack is at another place now, whole; the folder where it was."""
    copy_made = Signal(str)
    """A duplicate in this folder is to be opened."""

    def __init__(
        self, services: WindowServices, document: PackDocument, notice: NoticeStrip, page: QWidget
    ) -> None:
        super().__init__(page)
        self._services = services
        self._document = document
        self._notice = notice
        self._page = page

    @Slot()
    def ask_save_as(self) -> None:
        dialog = PlaceDialog(
            self._services.theme,
            "Save the pack under another name",
            "Where is it to be saved?",
            self._free(self._document.folder.name),
            "&Save",
            self._page.window(),
        )
        dialog.chosen.connect(self.save_as)
        dialog.open()

    @Slot(object)
    def save_as(self, folder: Path) -> bool:
        old = self._document.folder
        try:
            self._document.save_as(folder)
        except AppError as error:
            self._notice.show_words(error.message, error.fix, Tone.BAD, [("Save &as…", self.ask_save_as)])
            return False
        self.saved_as.emit(old)
        return True

    @Slot()
    def ask_duplicate(self) -> None:
        dialog = PlaceDialog(
            self._services.theme,
            "Duplicate the pack",
            "Where is the copy to be?",
            self._free(f"{self._document.folder.name}-copy"),
            "&Duplicate",
            self._page.window(),
        )
        dialog.chosen.connect(self.duplicate)
        dialog.open()

    @Slot(object)
    def duplicate(self, folder: Path) -> bool:
        """A copy as the pack is here now, saved or not; this one stays open."""
        try:
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise AppError(f"{folder} is not an empty folder.", "Choose a new folder.", code="not_empty")
            files = self._document.copy_files()
            write_files(folder, {name: data for name, data in files.items() if data is not None})
        except AppError as error:
            self._notice.show_words(error.message, error.fix, Tone.BAD)
            return False
        self._notice.show_words(
            f"The copy is in {folder}.", "", Tone.GOOD, [("&Open the copy", partial(self._open_copy, folder))]
        )
        return True

    def _open_copy(self, folder: Path) -> None:
        self.copy_made.emit(str(folder))

    @Slot()
    def ask_zip(self) -> None:
        start = self._services.paths.documents / f"{self._document.folder.name}.zip"
        dialog = QFileDialog(self._page.window(), "Export as zip", str(start.parent), "Zip files (*.zip)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("zip")
        dialog.selectFile(start.name)
        dialog.fileSelected.connect(self.export_zip)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @Slot(str)
    def export_zip(self, target: str) -> None:
        """The pack as it is here now, written off the GUI thread."""
        files = {name: data for name, data in self._document.copy_files().items() if data is not None}
        name = self._document.folder.name

        def write(_cancel: CancelToken) -> Path:
            return write_zip(Path(target), name, files)

        self._services.tasks.start(write, self._zip_written, self._refused)

    def _zip_written(self, target: Path) -> None:
        self._notice.show_words(f"The pack is in {target}.", "", Tone.GOOD)

    def _refused(self, error: Exception) -> None:
        if not isinstance(error, AppError):
            raise error
        self._notice.show_words(error.message, error.fix, Tone.BAD)

    def _free(self, name: str) -> Path:
        """A folder of this name that is not there yet, beside the documents."""
        documents = self._services.paths.documents
        number, folder = 2, documents / name
        while folder.exists():
            folder = documents / f"{name}-{number}"
            number += 1
        return folder
