"""An open task pack as the editor has it: content, undo history, and what differs from the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack

from packs.errors import AppError
from packs.task.content import Change, PackContent, read_content
from packs.task.writer import write_files

_MERGED = 1


@dataclass(frozen=True, slots=True)
class DiskState:
    """Files of the pack that somebody else changed since they were read or saved here."""

    changed: tuple[str, ...]


class ChangedOnDisk(AppError):
    """Saving would overwrite what somebody else wrote; `files` names what."""

    def __init__(self, files: tuple[str, ...]) -> None:
        shown = ", ".join(files[:3]) + (" …" if len(files) > 3 else "")
        super().__init__(
            f"Changed by another program since it was opened: {shown}.",
            "Keep yours, take theirs, or compare first.",
            code="changed_on_disk",
        )
        self.files = files


class PackDocument(QObject):
    """Widgets send changes with `push` and show what `changed` tells; nobody else touches the content.

    All of it belongs to the GUI thread. `folder` may change by `save_as`.
    """

    changed = Signal(object)
    """frozenset of the files whose bytes are others now: by an edit, an undo, or what was taken from disk."""
    saved = Signal()
    moved = Signal()
    """`folder` is another one now."""

    def __init__(self, folder: Path, content: PackContent, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self.content = content
        self._on_disk = dict(content.files)
        self.undo = QUndoStack(self)

    @property
    def modified(self) -> bool:
        """Is there anything that is not on disk? By bytes: an edit that was typed back is none."""
        return not self.undo.isClean() and self.content.files != self._on_disk

    def push(self, change: Change) -> None:
        """Do a change and make it a step of undo; typing in one place is one step."""
        if not change.is_nothing:
            self.undo.push(_Step(self, change))

    def unsaved(self) -> dict[str, bytes | None]:
        """What saving would write: bytes by file, None for files to remove."""
        files = self.content.files
        changed: dict[str, bytes | None] = {
            name: data for name, data in files.items() if self._on_disk.get(name) != data
        }
        changed.update(dict.fromkeys(name for name in self._on_disk if name not in files))
        return changed

    def disk_state(self) -> DiskState:
        """Compares with the disk; reads every file of the pack. Raises AppError when the pack is gone."""
        now = read_content(self.folder).files
        names = {*now, *self._on_disk}
        return DiskState(tuple(sorted(name for name in names if now.get(name) != self._on_disk.get(name))))

    def save(self, *, overwrite: bool = False) -> None:
        """Write what differs. Raises ChangedOnDisk unless `overwrite`, and AppError; nothing is lost then."""
        unsaved = self.unsaved()
        if not overwrite:
            theirs = tuple(name for name in self.disk_state().changed if name in unsaved)
            if theirs:
                raise ChangedOnDisk(theirs)
        self._write(self.folder, unsaved)
        self._settle()

    def save_as(self, folder: Path) -> None:
        """Write the whole pack into a new or empty folder and go on there. Raises AppError."""
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise AppError(f"{folder} is not an empty folder.", "Choose a new folder.", code="target_not_empty")
        self._write(folder, dict(self.content.files))
        self.folder = folder
        self._settle()
        self.moved.emit()

    def take_from_disk(self) -> None:
        """Replace the content by what is on disk, as one step that can be taken back. Raises AppError."""
        now = dict(read_content(self.folder).files)
        names = {*now, *self.content.files}
        after: Mapping[str, bytes | None] = {name: now.get(name) for name in sorted(names)}
        change = self.content.put_files(
            {name: data for name, data in after.items() if self.content.files.get(name) != data},
            "take what is on disk",
        )
        self._on_disk = now
        self.push(change)
        self.undo.setClean()

    def _write(self, folder: Path, files: Mapping[str, bytes | None]) -> None:
        write_files(
            folder,
            {name: data for name, data in files.items() if data is not None},
            [name for name, data in files.items() if data is None],
        )

    def _settle(self) -> None:
        self._on_disk = dict(self.content.files)
        self.undo.setClean()
        self.saved.emit()

    @Slot()
    def close(self) -> None:
        self.undo.clear()


class _Step(QUndoCommand):
    def __init__(self, document: PackDocument, change: Change) -> None:
        super().__init__(change.label[:1].upper() + change.label[1:])
        self._document = document
        self.change = change

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
        self._document.changed.emit(frozenset(self.change.after))

    def undo(self) -> None:
        self._document.content.revert(self.change)
        self._document.changed.emit(frozenset(self.change.before))
