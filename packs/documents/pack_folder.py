"""The folder of a pack that is edited: single files, whether anything was written, and what else lies there."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from packs.documents.files import MAX_ENTRIES, DiskFiles, FileTrouble

MAX_FILE_BYTES = 64 * 2**20
MAX_OTHER_BYTES = 256 * 2**20


def file_on_disk(folder: Path, file: str) -> bytes | None:
    """One file of a pack as it is now; None when there is none that can be read."""
    try:
        return DiskFiles(folder).read(file, MAX_FILE_BYTES)
    except FileTrouble:
        return None


def disk_stamp(folder: Path) -> frozenset[tuple[str, int, int]]:
    """Names, sizes and times of the files of a pack: another one means that something was written there.

    Cheap enough to be asked often; the empty set when the folder is gone.
    """
    found = []
    for name in _names(folder):
        try:
            status = (folder / name).stat()
        except OSError:
            continue
        found.append((name, status.st_size, status.st_mtime_ns))
    return frozenset(found)


def other_files(folder: Path, known: Collection[str]) -> dict[str, bytes]:
    """What lies beside the files of a pack, such as a README, so that a copy of the pack has it too.

    known: files of the pack itself. Hidden files, links and whatever is too large are left out.
    """
    disk, found, left = DiskFiles(folder), {}, MAX_OTHER_BYTES
    for name in _names(folder):
        if name in known or (folder / name).is_symlink():
            continue
        try:
            content = disk.read(name, min(left, MAX_FILE_BYTES))
        except FileTrouble:
            continue
        left -= len(content)
        found[name] = content
    return found


def _names(folder: Path) -> list[str]:
    """Files under the folder with `/`, without hidden ones; at most as many as a pack may hold."""
    found: list[str] = []
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = Path(base).relative_to(folder)
        found += [(inside / name).as_posix() for name in sorted(names) if not name.startswith(".")]
        if len(found) > MAX_ENTRIES:
            break
    return found[:MAX_ENTRIES]
