"""Can the program keep anything? Asked once at start, so that a person knows before work is lost."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from desktop.foundation.error_messages import Sentence
from desktop.foundation.paths import Paths
from desktop.foundation.private_files import make_private_folder


def what_is_not_kept(paths: Paths) -> Sentence | None:
    """What a person has to know where a folder cannot be written; None when all is well. Makes the folders."""
    lost: list[str] = []
    places: list[Path] = []
    for message, folder in _kinds(paths):
        if not can_write(folder):
            lost.append(message)
            if folder not in places:
                places.append(folder)
    if not lost:
        return None
    where = " and ".join(f"“{place}”" for place in places[:2])
    return Sentence(
        f"Packbench cannot write to {where}, so these are not kept: {', '.join(lost)}.",
        "You can open and check packs, and save them elsewhere. To keep everything, make the folder writable, "
        "or start with PACKBENCH_HOME set to a folder of your own.",
    )


def _kinds(paths: Paths) -> Iterator[tuple[str, Path]]:
    yield "runs and copies of unsaved work", paths.data
    yield "settings and recent packs", paths.config
    yield "the log", paths.logs


def can_write(folder: Path) -> bool:
    """Tried for real, since rights alone tell neither of a read-only disk nor of a full one."""
    try:
        make_private_folder(folder)
        handle, name = tempfile.mkstemp(prefix=".packbench-", dir=folder)
    except OSError:
        return False
    try:
        os.write(handle, b"packbench")
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)
