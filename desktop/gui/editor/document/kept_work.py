"""Work that is not saved is kept aside, and offered again after a crash."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot

from desktop.application.recovery_copies import RecoveryFolder
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from packs.errors import AppError

RECOVERY_MS = 20_000
"""From the first change that is not saved to its copy; the promise is half a minute."""


class KeptWork(QObject):
    """The recovery copy of one document."""

    def __init__(
        self, services: WindowServices, document: PackDocument, notice: NoticeStrip, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._document = document
        self._notice = notice
        self._folder = RecoveryFolder(services.paths.recovery)
        self.timer = QTimer(self)
        self.timer.setSingleShot(True)
        self.timer.setInterval(RECOVERY_MS)
        self.timer.timeout.connect(self._keep_aside)
        document.changed.connect(self._changed)

    def saved(self, folder: Path | None = None) -> None:
        """Everything is on disk: no copy is needed. folder: where the pack was, when it is elsewhere now."""
        self.timer.stop()
        self._folder.drop(folder or self._document.folder)
        if self._document.modified:
            # Edited while it was written.
            self.timer.start()

    def stop(self, *, given_up: bool) -> None:
        """The page is not used any more. A copy of unsaved work stays unless it was given up."""
        self.timer.stop()
        self._document.changed.disconnect(self._changed)
        if given_up or not self._document.modified:
            self._folder.drop(self._document.folder)
        else:
            self.keep()

    @Slot()
    def _changed(self) -> None:
        if not self.timer.isActive():
            self.timer.start()

    @Slot()
    def keep(self) -> None:
        """A recovery copy of what is not saved."""
        self._write(self._document.unsaved())

    @Slot()
    def _keep_aside(self) -> None:
        unsaved = self._document.unsaved()

        def keep(_cancel: CancelToken) -> None:
            self._write(unsaved)

        self._services.tasks.start(keep, _nothing, self._refused)

    def _write(self, unsaved: dict[str, bytes | None]) -> None:
        if unsaved:
            self._folder.keep(self._document.folder, unsaved, self._services.now())
        else:
            self._folder.drop(self._document.folder)

    def offer(self) -> bool:
        """Tell of work that a crash left unsaved; returns whether there is any."""
        found = self._folder.of(self._document.folder)
        files = self._document.content.files
        if found is None or all(files.get(name) == data for name, data in found.unsaved.items()):
            return False
        when = found.saved_at[:16].replace("T", " ")
        self._notice.show_text(
            f"Unsaved work of {when} was kept when the program ended.",
            "Restoring it is a step that can be taken back; nothing is saved by it.",
            Tone.WARN,
            [("&Restore it", self._restore), ("&Throw it away", self.throw_away)],
        )
        return True

    @Slot()
    def _restore(self) -> None:
        self.restore()

    @Slot()
    def restore(self) -> bool:
        found = self._folder.of(self._document.folder)
        if found is None or not found.unsaved:
            return False
        try:
            change = self._document.content.put_files(found.unsaved, "restore unsaved work")
        except AppError as error:
            self._notice.show_text(error.message, error.fix, Tone.BAD)
            return False
        self._document.push(change)
        return True

    @Slot()
    def throw_away(self) -> None:
        self._folder.drop(self._document.folder)

    def _refused(self, error: Exception) -> None:
        if not isinstance(error, AppError):
            raise error
        self._notice.show_text(error.message, error.fix, Tone.BAD)


def _nothing(_result: None) -> None:
    return None
