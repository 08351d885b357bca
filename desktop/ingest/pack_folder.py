"""Putting the files of a new pack on disk: whole or not at all, never over something that is there."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from packs.errors import AppError


def check_target(target: Path) -> None:
    """Raises AppError (`target_not_empty`) unless `target` is absent or an empty folder."""
    if not target.exists() and not target.is_symlink():
        return
    if not target.is_dir():
        raise AppError(
            f"{target} is a file, so no pack can be written there.",
            "Name another folder.",
            code="target_not_empty",
        )
    if next(target.iterdir(), None) is not None:
        raise AppError(
            f"The folder {target} is not empty.",
            "Name a new folder; nothing that is there is touched.",
            code="target_not_empty",
        )


def write_new_pack(target: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` (path with `/` → content) as the folder `target`.

    The folder appears with all files or not at all. Raises AppError; nothing is left behind then.
    """
    check_target(target)
    scratch: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
        # A temporary folder is private; a pack is to be read by colleagues like any other folder.
        scratch.chmod(0o755)
        for name, content in files.items():
            file = scratch.joinpath(*name.split("/"))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        if target.is_dir():
            target.rmdir()
        scratch.replace(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError(
            f"The pack could not be written to {target}: {reason}.",
            "Name a folder where you may write, with enough free space.",
            code="not_writable",
        ) from None
    finally:
        if scratch is not None and scratch.exists():
            with contextlib.suppress(OSError):
                shutil.rmtree(scratch)
