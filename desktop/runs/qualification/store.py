"""Bundles on disk: written whole or not at all, read with bounds."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from desktop.foundation.private_files import FOLDER_MODE
from packs.errors import AppError

FILE_BYTES = 256 * 2**20
TOTAL_BYTES = 512 * 2**20


def write_bundle(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write to a folder beside it, flush, rename. Raises AppError; nothing is left behind then.

    A bundle that is there already is set aside at the last moment: 'run-1.superseded-1'.
    """
    writing = folder.with_name(f".{folder.name}.writing")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(writing, ignore_errors=True)
        writing.mkdir(mode=FOLDER_MODE)
        for name, content in contents.items():
            with (writing / name).open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        if folder.exists():
            set_aside(folder)
        writing.rename(folder)
        _flush_folder(folder.parent)
    except OSError as error:
        shutil.rmtree(writing, ignore_errors=True)
        raise AppError(
            f"The bundle cannot be written to {folder}: {error.strerror}.",
            "Make room or choose another --output; '--resume' goes on without asking anything again.",
            code="disk",
        ) from None


def _flush_folder(folder: Path) -> None:
    """So that the rename itself survives a power cut; not every system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def set_aside(folder: Path) -> Path:
    """Rename a bundle that is being replaced; returns its new place."""
    number = 1
    while (target := folder.with_name(f"{folder.name}.superseded-{number}")).exists():
        number += 1
    folder.rename(target)
    return target


def read_folder(folder: Path) -> dict[str, bytes]:
    """Every plain file of a bundle folder by name; sub-folders and links as names ending in '/'.

    Raises AppError when there is no such folder or it is too large to be a bundle.
    """
    if not folder.is_dir():
        raise AppError(f"There is no bundle folder '{folder}'.", "Give the folder of a run.", code="no_bundle")
    found: dict[str, bytes] = {}
    total = 0
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or not entry.is_file():
            found[f"{entry.name}/"] = b""
            continue
        size = entry.stat().st_size
        total += size
        if size > FILE_BYTES or total > TOTAL_BYTES:
            raise AppError(
                f"'{folder}' is too large to be a bundle ({entry.name}).",
                "Give the folder of a run.",
                code="bundle_too_large",
            )
        found[entry.name] = entry.read_bytes()
    return found
