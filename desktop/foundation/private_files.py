"""Files and folders that only their owner may read, whatever the mask of the process says.

What the program keeps for itself holds answers, inputs and what went wrong: nobody else who uses this computer
has any business there. Systems without such bits (Windows) have folders of the user's own instead.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(folder: Path) -> None:
    """Make the folder and what is missing above it, each for its owner alone; those that are there stay as they
    are. Raises OSError."""
    missing = []
    above = folder
    while not above.exists() and above != above.parent:
        missing.append(above)
        above = above.parent
    for one in reversed(missing):
        one.mkdir(mode=FOLDER_MODE, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is no folder")


def touch_private(file: Path) -> None:
    """Make an empty file for its owner alone unless there is one. Raises OSError."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
