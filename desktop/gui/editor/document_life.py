"""What happens to an open pack as files: saved, copied, changed by others, given up, restored after a crash."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.cancel import CancelToken
from desktop.gui.editor.compare_disk import CompareDialog
from desktop.gui.editor.document import ChangedOnDisk, PackDocument
from desktop.gui.editor.place_dialog import PlaceDialog
from desktop.gui.editor.recovery import RecoveryFolder
from desktop.gui.runs.questions import Question
from desktop.gui.services import WindowServices
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from desktop.ingest.pack_copies import write_zip
from packs.errors import AppError
from packs.task.content import PackContent, read_content
from packs.task.pack_folder import disk_stamp
from packs.task.writer import write_files

RECOVERY_MS = 20_000
"""From the first change that is not saved to its copy; the promise is half a minute."""


class DocumentLife(QObject):
    """Asks and tells in `notice`, a strip over the form. No file dialog blocks."""

    saved = Signal()
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
        self._given_up = False
        self._looking: CancelToken | None = None
        self._stamp: frozenset[tuple[str, int, int]] = frozenset()
        self._due: set[str] = set()
        """Should have been saved at once and could not be yet."""
        self.recovery = RecoveryFolder(services.paths.recovery)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(RECOVERY_MS)
        self._timer.timeout.connect(self._keep_copy_aside)
        document.changed.connect(self._changed)
        document.due.connect(self.save_at_once)

    @property
    def copy_due(self) -> bool:
        """Is a recovery copy going to be made?"""
        return self._timer.isActive()

    # Saving

    @Slot()
    def save(self) -> bool:
        """Returns whether everything is on disk now."""
        return self._save(overwrite=False)

    def _save(self, *, overwrite: bool) -> bool:
        try:
            self._document.save(overwrite=overwrite)
        except ChangedOnDisk as error:
            self._ask_whose(error.message)
            return False
        except AppError as error:
            actions = [("Save &as…", self.ask_save_as)] if error.code == "not_writable" else []
            self._notice.show_words(error.message, error.fix, Tone.BAD, actions)
            return False
        self._settled()
        return True

    @Slot(object)
    def save_at_once(self, files: frozenset[str]) -> bool:
        """These files, with those that could not be saved before; nothing else that is not saved yet."""
        failed_before = bool(self._due)
        self._due |= files
        try:
            self._document.save_files(self._due)
        except ChangedOnDisk as error:
            self._ask_whose(f"{_NOT_ON_DISK} {error.message}")
            return False
        except AppError as error:
            self._notice.show_words(
                f"{_NOT_ON_DISK} {error.message}", error.fix, Tone.BAD, [("Save &as…", self.ask_save_as)]
            )
            return False
        self._due.clear()
        if not self._document.modified:
            self._timer.stop()
            self.recovery.drop(self._document.folder)
        self._stamp = frozenset()
        if failed_before:
            self._notice.hide()
        self.saved.emit()
        return True

    def _settled(self) -> None:
        self._due.clear()
        self._timer.stop()
        self.recovery.drop(self._document.folder)
        # Looked at again, off the GUI thread, when the window comes back.
        self._stamp = frozenset()
        self._notice.hide()
        self.saved.emit()

    @Slot()
    def ask_save_as(self) -> None:
        dialog = PlaceDialog(
            self._services.theme,
            "Save the pack under another name",
            "Where is it to be saved?",
            self._free(self._document.folder.name),
            "&Save",
            self.window_of_page(),
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
        self.recovery.drop(old)
        self._settled()
        return True

    @Slot()
    def ask_duplicate(self) -> None:
        dialog = PlaceDialog(
            self._services.theme,
            "Duplicate the pack",
            "Where is the copy to be?",
            self._free(f"{self._document.folder.name}-copy"),
            "&Duplicate",
            self.window_of_page(),
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
        dialog = QFileDialog(self.window_of_page(), "Export as zip", str(start.parent), "Zip files (*.zip)")
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

    def window_of_page(self) -> QWidget:
        return self._page.window()

    # Others write too

    def look_at_disk(self) -> None:
        """Off the GUI thread; whatever was written since is told, or taken over where nothing is lost by it."""
        if self._looking is not None:
            return
        folder, before = self._document.folder, self._stamp

        def look(_cancel: CancelToken) -> _Seen | None:
            stamp = disk_stamp(folder)
            if stamp == before:
                return None
            return _Seen(stamp, read_content(folder) if stamp else None)

        self._looking = self._services.tasks.start(look, self._seen, self._not_seen)

    def _not_seen(self, error: Exception) -> None:
        self._looking = None
        if isinstance(error, AppError):
            self._notice.show_words(
                f"The folder of the pack is not as it was: {error.message}",
                "What is open here is kept; save it to another folder.",
                Tone.WARN,
                [("Save &as…", self.ask_save_as)],
            )
        else:
            raise error

    def _seen(self, seen: _Seen | None) -> None:
        self._looking = None
        if seen is None:
            return
        self._stamp = seen.stamp
        if seen.content is None:
            self._not_seen(AppError("it is gone."))
            return
        theirs = self._document.differences(seen.content.files)
        if not theirs:
            return
        if self._document.modified:
            self._ask_whose(ChangedOnDisk(theirs).message)
            return
        self._document.take_from_disk(seen.content.files)
        shown = ", ".join(theirs[:3]) + (" …" if len(theirs) > 3 else "")
        self._notice.show_words(
            f"Taken over from disk: {shown}.",
            "Another program wrote it. Undo brings back what was here.",
            Tone.INFO,
        )

    def _ask_whose(self, message: str) -> None:
        actions = [
            ("&Keep mine", self.keep_mine),
            ("Take &theirs", self.take_theirs),
            ("Com&pare", self.compare),
        ]
        self._notice.show_words(message, "Keep yours, take theirs, or compare first.", Tone.WARN, actions)

    def _now_on_disk(self) -> PackContent | None:
        try:
            now = read_content(self._document.folder)
        except AppError as error:
            self._not_seen(error)
            return None
        self._stamp = disk_stamp(self._document.folder)
        return now

    @Slot()
    def keep_mine(self) -> None:
        """The next save overwrites what others wrote."""
        now = self._now_on_disk()
        if now is not None:
            self._document.keep_mine(now.files)
            self._notice.show_words(
                "Yours is kept.", "Saving overwrites what the other program wrote.", Tone.INFO
            )

    @Slot()
    def take_theirs(self) -> None:
        now = self._now_on_disk()
        if now is not None:
            self._document.take_from_disk(now.files)
            self._notice.show_words("Theirs is taken.", "Undo brings back what was here.", Tone.INFO)

    @Slot()
    def compare(self) -> None:
        now = self._now_on_disk()
        if now is None:
            return
        mine = self._document.content.files
        names = sorted(name for name in {*now.files, *mine} if now.files.get(name) != mine.get(name))
        pairs = [(name, now.files.get(name), mine.get(name)) for name in names]
        dialog = CompareDialog(self._services.theme, pairs, self.window_of_page())
        dialog.mine.connect(self.keep_mine)
        dialog.theirs.connect(self.take_theirs)
        dialog.open()

    # Closing

    def close_question(self, then: Callable[[], None]) -> bool:
        """Asks once when there is anything unsaved; `then` follows unless the person goes back."""
        if not self._document.modified or self._given_up:
            return False
        name = self._document.folder.name
        question = Question(
            self._services.theme,
            f"Save the changes to “{name}”?",
            "They are not on disk yet.",
            [
                ("&Save", "save", partial(self._save_then, then)),
                ("&Discard", "delete", partial(self._discard_then, then)),
            ],
            "Go &back",
            self.window_of_page(),
        )
        question.open()
        return True

    def _save_then(self, then: Callable[[], None]) -> None:
        if self.save():
            then()

    def _discard_then(self, then: Callable[[], None]) -> None:
        self._given_up = True
        then()

    def end(self) -> None:
        """The page is not used any more. A copy of unsaved work is kept unless it was given up."""
        self._timer.stop()
        if self._looking is not None:
            self._looking.cancel()
        self._document.changed.disconnect(self._changed)
        if self._given_up or not self._document.modified:
            self.recovery.drop(self._document.folder)
        else:
            self.keep_copy()

    # Recovery

    @Slot()
    def _changed(self) -> None:
        self._given_up = False
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def keep_copy(self) -> None:
        """A recovery copy of what is not saved."""
        self._keep(self._document.unsaved())

    @Slot()
    def _keep_copy_aside(self) -> None:
        unsaved = self._document.unsaved()

        def keep(_cancel: CancelToken) -> None:
            self._keep(unsaved)

        self._services.tasks.start(keep, _nothing, self._refused)

    def _keep(self, unsaved: dict[str, bytes | None]) -> None:
        if unsaved:
            self.recovery.keep(self._document.folder, unsaved, self._services.now())
        else:
            self.recovery.drop(self._document.folder)

    def offer_copy(self) -> bool:
        """Tell of work that a crash left unsaved; returns whether there is any."""
        found = self.recovery.of(self._document.folder)
        files = self._document.content.files
        if found is None or all(files.get(name) == data for name, data in found.unsaved.items()):
            return False
        when = found.saved_at[:16].replace("T", " ")
        self._notice.show_words(
            f"Unsaved work of {when} was kept when the program ended.",
            "Restoring it is a step that can be taken back; nothing is saved by it.",
            Tone.WARN,
            [("&Restore it", self._restore), ("&Throw it away", self.throw_copy_away)],
        )
        return True

    @Slot()
    def _restore(self) -> None:
        self.restore_copy()

    @Slot()
    def restore_copy(self) -> bool:
        found = self.recovery.of(self._document.folder)
        if found is None or not found.unsaved:
            return False
        try:
            change = self._document.content.put_files(found.unsaved, "restore unsaved work")
        except AppError as error:
            self._notice.show_words(error.message, error.fix, Tone.BAD)
            return False
        self._document.push(change)
        return True

    @Slot()
    def throw_copy_away(self) -> None:
        self.recovery.drop(self._document.folder)


_NOT_ON_DISK = "The decision is kept here but is not saved."


class _Seen:
    """What the disk is like now; content: None when the folder is gone."""

    def __init__(self, stamp: frozenset[tuple[str, int, int]], content: PackContent | None) -> None:
        self.stamp = stamp
        self.content = content


def _nothing(_result: None) -> None:
    return None
