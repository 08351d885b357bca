"""The open pack at another place: saved under another name, duplicated, exported as a zip."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.pack_writing import Copying
from desktop.gui.editor.document.place_dialog import PlaceDialog
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from desktop.ingest.pack_copies import write_zip
from packs.errors import AppError


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
        self._writing: CancelToken | None = None
        self._stopped = False

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
    def save_as(self, folder: Path) -> None:
        """Written off the GUI thread; what is edited meanwhile is not saved there yet."""
        copy = self._document.copying()

        def write(_cancel: CancelToken) -> Path:
            return copy.write(folder)

        if self._begin("The pack is being saved …"):
            self._writing = self._services.tasks.start(write, partial(self._saved_as, copy), self._not_saved_as)

    def _saved_as(self, copy: Copying, folder: Path) -> None:
        if self._end():
            self._document.went_to(folder, copy)
            self.saved_as.emit(copy.folder)

    def _not_saved_as(self, error: Exception) -> None:
        if self._end():
            self._notify(error, [("Save &as…", self.ask_save_as)])

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
    def duplicate(self, folder: Path) -> None:
        """A copy as the pack is here now, saved or not; this one stays open."""
        copy = self._document.copying()

        def write(_cancel: CancelToken) -> Path:
            return copy.write(folder)

        if self._begin("The copy is being written …"):
            self._writing = self._services.tasks.start(write, self._duplicated, self._refused)

    def _duplicated(self, folder: Path) -> None:
        if self._end():
            self._notice.show_text(
                f"The copy is in {folder}.",
                "",
                Tone.GOOD,
                [("&Open the copy", partial(self._open_copy, folder))],
            )

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
        copy = self._document.copying()

        def write(_cancel: CancelToken) -> Path:
            return write_zip(Path(target), copy.folder.name, copy.everything())

        if self._begin("The zip is being written …"):
            self._writing = self._services.tasks.start(write, self._zip_written, self._refused)

    def _zip_written(self, target: Path) -> None:
        if self._end():
            self._notice.show_text(f"The pack is in {target}.", "", Tone.GOOD)

    def _refused(self, error: Exception) -> None:
        if self._end():
            self._notify(error, [])

    def _notify(self, error: Exception, actions: list[tuple[str, Callable[[], None]]]) -> None:
        if not isinstance(error, AppError):
            raise error
        self._notice.show_text(error.message, error.fix, Tone.BAD, actions)

    # One at a time

    def _begin(self, message: str) -> bool:
        """False while another copy is being written."""
        if self._writing is not None or self._stopped:
            return False
        self._notice.show_text(message, "", Tone.INFO)
        return True

    def _end(self) -> bool:
        """It is written or refused; False when nobody is left to be told."""
        self._writing = None
        return not self._stopped

    def stop(self) -> None:
        """The page is not used any more; what is being written is finished unseen."""
        self._stopped = True

    def _free(self, name: str) -> Path:
        """A folder of this name that is not there yet, beside the documents."""
        documents = self._services.paths.documents
        number, folder = 2, documents / name
        while folder.exists():
            folder = documents / f"{name}-{number}"
            number += 1
        return folder
