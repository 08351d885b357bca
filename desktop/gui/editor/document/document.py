"""An open task pack as the editor has it: content, undo history, and what differs from the disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from desktop.gui.editor.document.pack_writing import Copying, Saving
from packs.errors import AppError
from packs.task.content import Change, PackContent, read_content
from packs.task.review import REVIEW_FILE, Review, read_review

_MERGED = 1


class PackDocument(QObject):
    """Widgets send changes with `push` and show what `changed` tells; nobody else touches the content.

    All of it belongs to the GUI thread. `folder` may change by `save_as`.
    """

    changed = Signal(object)
    """frozenset of the files whose bytes are others now: by an edit, an undo, or what was taken from disk."""
    saved = Signal()
    due = Signal(object)
    """frozenset of the files of a step that is to be on disk at once, done or taken back."""
    moved = Signal()
    """`folder` is another one now."""

    def __init__(self, folder: Path, content: PackContent, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self.content = content
        self._on_disk = dict(content.files)
        self._unsaved: set[str] = set()
        """Files whose bytes are not those on disk; kept with every change, so that no change looks at all."""
        self._review: tuple[bytes, Review | None] | None = None
        self.undo = QUndoStack(self)

    @property
    def modified(self) -> bool:
        """Is there anything that is not on disk? By bytes: an edit that was typed back is none."""
        return bool(self._unsaved)

    @property
    def removed(self) -> frozenset[str]:
        """Files that are on disk and no longer part of the pack."""
        return frozenset(name for name in self._unsaved if name not in self.content.files)

    def review(self) -> Review | None:
        """The state of the review; None without one, or when it cannot be read."""
        data = self.content.files.get(REVIEW_FILE)
        if data is None:
            return None
        if self._review is None or self._review[0] is not data:
            try:
                self._review = (data, read_review(data))
            except AppError:
                self._review = (data, None)
        return self._review[1]

    def push(self, change: Change, due: Iterable[str] = ()) -> None:
        """Do a change and make it a step of undo; typing in one place is one step.

        due: files that are to be on disk at once, now and whenever the step is undone or done again.
        """
        if not change.is_nothing:
            self.undo.push(_Step(self, change, frozenset(due)))

    def note(self, files: Iterable[str]) -> None:
        """These have just changed in `content`: are they as on disk? Then tell everybody."""
        changed, ours, disk = frozenset(files), self.content.files, self._on_disk
        as_saved = {name for name in changed if ours.get(name) == disk.get(name)}
        self._unsaved -= as_saved
        self._unsaved |= changed - as_saved
        self.changed.emit(changed)

    def unsaved(self) -> dict[str, bytes | None]:
        """What saving would write: bytes by file, None for files to remove."""
        return {name: self.content.files.get(name) for name in sorted(self._unsaved)}

    def differences(self, now: Mapping[str, bytes]) -> tuple[str, ...]:
        """Files that are others in `now`, which was just read from disk, than when they were read or saved."""
        known = self._on_disk
        names = {name for name in {*now, *known} if now.get(name) != known.get(name)}
        return tuple(sorted(names))

    def saving(self, names: Iterable[str] | None = None) -> Saving:
        """What differs from the disk, to be written on any thread; only `names` when they are given."""
        unsaved = self.unsaved()
        if names is not None:
            wanted = frozenset(names)
            unsaved = {name: data for name, data in unsaved.items() if name in wanted}
        return Saving(self.folder, unsaved, {name: self._on_disk.get(name) for name in unsaved})

    def wrote(self, saving: Saving) -> None:
        """This is on disk now. What was edited since it was taken is still to be saved."""
        for name, data in saving.files.items():
            if data is None:
                self._on_disk.pop(name, None)
            else:
                self._on_disk[name] = data
            if self.content.files.get(name) == data:
                self._unsaved.discard(name)
            else:
                self._unsaved.add(name)
        if not self._unsaved:
            self.undo.setClean()
        self.saved.emit()

    def save(self, *, overwrite: bool = False) -> None:
        """Write what differs, at once. Raises as `Saving.write` does; nothing is lost then."""
        saving = self.saving()
        saving.write(overwrite=overwrite)
        self.wrote(saving)

    def copying(self) -> Copying:
        """The whole pack, to be written elsewhere on any thread."""
        return Copying(self.folder, dict(self.content.files), self.removed)

    def went_to(self, folder: Path, copy: Copying) -> None:
        """`copy` is in this folder now, and here it goes on."""
        self.folder = folder
        self._on_disk = dict(copy.files)
        ours = self.content.files
        self._unsaved = {name for name in {*ours, *copy.files} if ours.get(name) != copy.files.get(name)}
        if self._unsaved:
            self.undo.resetClean()
        else:
            self.undo.setClean()
        self.saved.emit()
        self.moved.emit()

    def keep_mine(self, now: Mapping[str, bytes]) -> None:
        """What is on disk now was looked at and is to be overwritten by the next save."""
        self._on_disk = dict(now)
        self._unsaved = {
            name for name in {*now, *self.content.files} if now.get(name) != self.content.files.get(name)
        }
        self.undo.resetClean()

    def take_from_disk(self, now: Mapping[str, bytes] | None = None) -> None:
        """Replace the content by what is on disk, as one step that can be taken back. Raises AppError.

        now: the files when they were read already.
        """
        now = dict(read_content(self.folder).files) if now is None else dict(now)
        names = {*now, *self.content.files}
        change = self.content.put_files(
            {name: now.get(name) for name in sorted(names) if self.content.files.get(name) != now.get(name)},
            "take what is on disk",
        )
        self._on_disk = now
        self._unsaved = set(change.after)
        self.push(change)
        self._unsaved.clear()
        self.undo.setClean()

    @Slot()
    def close(self) -> None:
        self.undo.clear()


class _Step(QUndoCommand):
    def __init__(self, document: PackDocument, change: Change, due: frozenset[str]) -> None:
        super().__init__(change.label[:1].upper() + change.label[1:])
        self._document = document
        self.change = change
        self._due = due

    def id(self) -> int:
        return -1 if self.change.place is None else _MERGED

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, _Step) or other.change.place != self.change.place:
            return False
        self.change = self.change.then(other.change)
        self.setObsolete(self.change.is_nothing)
        return True

    def redo(self) -> None:
        self._document.content.apply(self.change)
        self._notify()

    def undo(self) -> None:
        self._document.content.revert(self.change)
        self._notify()

    def _notify(self) -> None:
        self._document.note(self.change.after)
        if self._due:
            self._document.due.emit(self._due)
