"""Other programs write into the folder of an open pack as well: noticed, asked about, never lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.window_services import WindowServices
from desktop.gui.editor.document.compare_disk import DiskDifferenceDialog
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.pack_writing import ChangedOnDisk
from desktop.gui.theme import Tone
from desktop.gui.widgets.notice import NoticeStrip
from packs.documents.pack_folder import disk_stamp
from packs.errors import AppError
from packs.task.content import PackContent, read_content


class DiskWatch(QObject):
    """Asks and tells in `notice`; looks only when it is told to."""

    def __init__(
        self,
        services: WindowServices,
        document: PackDocument,
        notice: NoticeStrip,
        page: QWidget,
        save_as: Callable[[], None],
    ) -> None:
        """save_as: offered where the folder is not as it was."""
        super().__init__(page)
        self._services = services
        self._document = document
        self._notice = notice
        self._page = page
        self._save_as = save_as
        self._looking: CancelToken | None = None
        self._stopped = False
        self._paused = False
        self._writes = 0
        """How often we have written; what was seen before the last time is old."""
        self._stamp: frozenset[tuple[str, int, int]] = frozenset()

    @property
    def is_looking(self) -> bool:
        return self._looking is not None

    def pause(self) -> None:
        """We are writing: what is seen meanwhile is our own. Until `saved`."""
        self._paused = True
        self._writes += 1

    def saved(self) -> None:
        """We have written: looked at anew, off the GUI thread, when the window comes back."""
        self._paused = False
        self._writes += 1
        self._stamp = frozenset()

    def stop(self) -> None:
        """The page is not used any more."""
        self._stopped = True
        if self._looking is not None:
            self._looking.cancel()

    def look(self) -> None:
        """Off the GUI thread; whatever was written since is told, or taken over where nothing is lost by it."""
        if self._looking is not None or self._paused:
            return
        folder, before = self._document.folder, self._stamp

        def look(_cancel: CancelToken) -> _Seen | None:
            stamp = disk_stamp(folder)
            if stamp == before:
                return None
            return _Seen(stamp, read_content(folder) if stamp else None)

        self._looking = self._services.tasks.start(look, partial(self._seen, self._writes), self._not_seen)

    def _not_seen(self, error: Exception) -> None:
        self._looking = None
        if isinstance(error, AppError):
            self._notice.show_text(
                f"The folder of the pack is not as it was: {error.message}",
                "What is open here is kept; save it to another folder.",
                Tone.WARN,
                [("Save &as…", self._save_as)],
            )
        else:
            raise error

    def _seen(self, writes: int, seen: _Seen | None) -> None:
        self._looking = None
        if seen is None or self._paused or writes != self._writes:
            return
        self._stamp = seen.stamp
        if seen.content is None:
            self._not_seen(AppError("it is gone."))
            return
        theirs = self._document.differences(seen.content.files)
        if not theirs:
            return
        if self._document.modified:
            self.ask_whose(ChangedOnDisk(theirs).message)
            return
        self._document.take_from_disk(seen.content.files)
        shown = ", ".join(theirs[:3]) + (" …" if len(theirs) > 3 else "")
        self._notice.show_text(
            f"Taken over from disk: {shown}.",
            "Another program wrote it. Undo brings back what was here.",
            Tone.INFO,
        )

    def ask_whose(self, message: str) -> None:
        actions = [
            ("&Keep mine", self.keep_mine),
            ("Take &theirs", self.take_theirs),
            ("Com&pare", self.compare),
        ]
        self._notice.show_text(message, "Keep yours, take theirs, or compare first.", Tone.WARN, actions)

    def _read_disk(self, then: Callable[[PackContent], None]) -> None:
        """`then` gets what is on disk now, read off the GUI thread."""
        folder = self._document.folder

        def read(_cancel: CancelToken) -> _Seen:
            stamp = disk_stamp(folder)
            return _Seen(stamp, read_content(folder))

        self._services.tasks.start(read, partial(self._read, then, self._writes), self._not_read)

    def _read(self, then: Callable[[PackContent], None], writes: int, seen: _Seen) -> None:
        if self._stopped or seen.content is None:
            return
        if writes != self._writes:
            # We have written since: once more.
            self._read_disk(then)
            return
        self._stamp = seen.stamp
        then(seen.content)

    def _not_read(self, error: Exception) -> None:
        if not self._stopped:
            self._not_seen(error)

    @Slot()
    def keep_mine(self) -> None:
        """The next save overwrites what others wrote."""
        self._read_disk(self._keep)

    def _keep(self, now: PackContent) -> None:
        self._document.keep_mine(now.files)
        self._notice.show_text("Yours is kept.", "Saving overwrites what the other program wrote.", Tone.INFO)

    @Slot()
    def take_theirs(self) -> None:
        self._read_disk(self._take)

    def _take(self, now: PackContent) -> None:
        self._document.take_from_disk(now.files)
        self._notice.show_text("Theirs is taken.", "Undo brings back what was here.", Tone.INFO)

    @Slot()
    def compare(self) -> None:
        self._read_disk(self._compare)

    def _compare(self, now: PackContent) -> None:
        mine = self._document.content.files
        names = sorted(name for name in {*now.files, *mine} if now.files.get(name) != mine.get(name))
        pairs = [(name, now.files.get(name), mine.get(name)) for name in names]
        dialog = DiskDifferenceDialog(self._services.theme, pairs, self._page.window())
        dialog.mine.connect(self.keep_mine)
        dialog.theirs.connect(self.take_theirs)
        dialog.open()


class _Seen:
    """What the disk is like now; content: None when the folder is gone."""

    def __init__(self, stamp: frozenset[tuple[str, int, int]], content: PackContent | None) -> None:
        self.stamp = stamp
        self.content = content
