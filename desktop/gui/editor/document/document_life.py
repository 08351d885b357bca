"""What happens to an open pack as files: saved, copied, changed by others, given up, restored after a crash."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.disk_watch import DiskWatch
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.document_copies import DocumentCopies
from desktop.gui.editor.document.kept_work import KeptWork
from desktop.gui.editor.document.pack_writing import ChangedOnDisk, Saving
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from desktop.gui.widgets.questions import Question
from packs.errors import AppError

AT_ONCE = 5
"""So many files are written on the GUI thread; each takes some milliseconds until it is safe on disk."""


class DocumentLife(QObject):
    """Asks and tells in `notice`, a strip over the form.

    copies: the pack at other places. disk: what other programs write. kept: the copy for a crash.
    """

    saved = Signal()

    def __init__(
        self, services: WindowServices, document: PackDocument, notice: NoticeStrip, page: QWidget
    ) -> None:
        super().__init__(page)
        self._services = services
        self._document = document
        self._notice = notice
        self._page = page
        self._given_up = False
        self._ended = False
        self._saving: CancelToken | None = None
        self._after: list[Callable[[], None]] = []
        """What follows once that is done."""
        self._due: set[str] = set()
        """Should have been saved at once and could not be yet."""
        self.copies = DocumentCopies(services, document, notice, page)
        self.disk = DiskWatch(services, document, notice, page, self.copies.ask_save_as)
        self.kept = KeptWork(services, document, notice, self)
        self.copies.saved_as.connect(self._moved)
        document.changed.connect(self._changed)
        document.due.connect(self.save_at_once)

    # Saving

    @Slot()
    def save(self) -> bool:
        """Returns whether everything is on disk now; many files are written off the GUI thread."""
        return self.save_then(_nothing)

    def save_then(self, then: Callable[[], None]) -> bool:
        """As `save`; `then` is called once everything is on disk, at once or later. Not when it is refused."""
        if self._saving is not None:
            self._after.append(then)
            return False
        saving = self._document.saving()
        if len(saving.files) > AT_ONCE:
            self._after = [then]
            self._save_aside(saving)
            return False
        try:
            saving.write()
        except AppError as error:
            self._not_saved(error)
            return False
        self._wrote(saving)
        then()
        return True

    def _save_aside(self, saving: Saving) -> None:
        def write(_cancel: CancelToken) -> None:
            saving.write()

        self._notice.show_text(f"Saving {len(saving.files):,} files …", "", Tone.INFO)
        self.disk.pause()
        self._saving = self._services.tasks.start(
            write, partial(self._saved_aside, saving), self._not_saved_aside
        )

    def _saved_aside(self, saving: Saving, _result: None) -> None:
        self._saving = None
        if self._ended:
            return
        due = frozenset(self._due)
        self._wrote(saving)
        if due:
            self.save_at_once(due)
        after, self._after = self._after, []
        for then in after:
            if not self._document.modified:
                then()
            elif then is not _nothing:
                # Edited meanwhile, and what follows reads the disk.
                self.save_then(then)

    def _not_saved_aside(self, error: Exception) -> None:
        self._saving = None
        self._after.clear()
        if self._ended:
            return
        self.disk.saved()
        if not isinstance(error, AppError):
            raise error
        self._not_saved(error)

    def _wrote(self, saving: Saving) -> None:
        self._document.wrote(saving)
        self._settled()

    def _not_saved(self, error: AppError) -> None:
        if isinstance(error, ChangedOnDisk):
            self.disk.ask_whose(error.message)
            return
        actions = [("Save &as…", self.copies.ask_save_as)] if error.code == "not_writable" else []
        self._notice.show_text(error.message, error.fix, Tone.BAD, actions)

    @Slot(object)
    def save_at_once(self, files: frozenset[str]) -> bool:
        """These files, with those that could not be saved before; nothing else that is not saved yet."""
        failed_before = bool(self._due)
        self._due |= files
        if self._saving is not None:
            # Two writers of one folder would take each other for somebody else; it follows.
            return False
        saving = self._document.saving(self._due)
        try:
            saving.write()
        except ChangedOnDisk as error:
            self.disk.ask_whose(f"{_NOT_ON_DISK} {error.message}")
            return False
        except AppError as error:
            self._notice.show_text(
                f"{_NOT_ON_DISK} {error.message}", error.fix, Tone.BAD, [("Save &as…", self.copies.ask_save_as)]
            )
            return False
        self._document.wrote(saving)
        self._due.clear()
        if not self._document.modified:
            self.kept.saved()
        self.disk.saved()
        if failed_before:
            self._notice.hide()
        self.saved.emit()
        return True

    def _settled(self) -> None:
        self._due.clear()
        self.kept.saved()
        self.disk.saved()
        self._notice.hide()
        self.saved.emit()

    @Slot(object)
    def _moved(self, old: Path) -> None:
        self.kept.saved(old)
        self._settled()

    @Slot()
    def _changed(self) -> None:
        self._given_up = False

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
            self._page.window(),
        )
        question.open()
        return True

    def _save_then(self, then: Callable[[], None]) -> None:
        self.save_then(then)

    def _discard_then(self, then: Callable[[], None]) -> None:
        self.give_up()
        then()

    def give_up(self) -> None:
        """Closing asks no more and keeps no copy of what is unsaved now."""
        self._given_up = True

    def end(self) -> None:
        """The page is not used any more. A copy of unsaved work is kept unless it was given up."""
        self._ended = True
        self.disk.stop()
        self.copies.stop()
        self._document.changed.disconnect(self._changed)
        self.kept.stop(given_up=self._given_up)


def _nothing() -> None:
    return None


_NOT_ON_DISK = "The decision is kept here but is not saved."
