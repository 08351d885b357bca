"""What is written of an open pack: taken on the GUI thread, written on any. Free of Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from packs.documents.pack_folder import file_on_disk, other_files
from packs.documents.writer import write_files
from packs.errors import AppError


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


@dataclass(frozen=True, slots=True)
class Saving:
    """files: what to write, None to remove. known: the same files as they were read or saved last."""

    folder: Path
    files: Mapping[str, bytes | None]
    known: Mapping[str, bytes | None]

    def write(self, *, overwrite: bool = False) -> None:
        """Raises ChangedOnDisk unless `overwrite`, and AppError; nothing is lost then."""
        if not overwrite:
            self._refuse_theirs()
        write_files(
            self.folder,
            {name: data for name, data in self.files.items() if data is not None},
            [name for name, data in self.files.items() if data is None],
        )

    def _refuse_theirs(self) -> None:
        """What is as it is here, as after a save that failed half-way, is nobody else's."""
        theirs = tuple(
            name
            for name, data in self.files.items()
            if file_on_disk(self.folder, name) not in (self.known[name], data)
        )
        if theirs:
            raise ChangedOnDisk(theirs)


@dataclass(frozen=True, slots=True)
class Copying:
    """The whole pack as it is here. removed: files that are still on disk and no longer part of it."""

    folder: Path
    files: Mapping[str, bytes]
    removed: frozenset[str]

    def everything(self) -> dict[str, bytes]:
        """With what lies beside the pack in its folder; reads the disk."""
        return {**other_files(self.folder, {*self.files, *self.removed}), **self.files}

    def write(self, folder: Path) -> Path:
        """Into a new or empty folder, which is returned. Raises AppError."""
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise AppError(f"{folder} is not an empty folder.", "Choose a new folder.", code="target_not_empty")
        write_files(folder, self.everything())
        return folder
