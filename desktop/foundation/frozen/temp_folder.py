"""The one-file program unpacks itself into a folder of the system's temporary folder. A clean end takes it
away; this takes away what a killed one left.

Only what is surely ours goes: a folder `_MEI…` of this user with our marker in it, whose process is gone. A
start that ended while it unpacked, by a kill or a full disk, never came to the marker: its folder is known by
our sign, which is unpacked first, and by the number of its process, which is in the name.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import psutil

log = logging.getLogger(__name__)

PATTERN = "_MEI*"
MARKER = "packbench-process.json"
SIGN = "Packbench.txt"
"""The first file that the one-file program unpacks; `build_scripts/app.spec` puts it there."""
HOME_VARIABLE = "_PYI_APPLICATION_HOME_DIR"
"""How the packager tells a process where the program is unpacked."""
MAX_FOLDERS = 200
SAME_START_S = 2.0
"""Start times of one process, read twice, differ by less than this."""
_NAME = re.compile(r"_MEI([0-9a-f]{8})[A-Za-z0-9]{6}")
"""The packager's name on Linux and macOS: the number of the process that unpacks, and letters by chance."""


def unpacked_folder() -> Path | None:
    """Where this program unpacked itself; None from source and for the folder build."""
    folder = getattr(sys, "_MEIPASS", None)
    if not getattr(sys, "frozen", False) or not isinstance(folder, str):
        return None
    path = Path(folder)
    return path if path.name.startswith("_MEI") else None


def mark(folder: Path) -> None:
    """Note in `folder` whose it is, unless a living process has done so. Never raises."""
    marker = folder / MARKER
    try:
        if marker.exists() and _owner_lives(marker):
            return
        me = psutil.Process()
        marker.write_text(json.dumps({"pid": me.pid, "started": me.create_time()}), encoding="ascii")
    except (OSError, ValueError, psutil.Error) as error:
        log.info("the unpacked folder was not marked: %s", error)


def remove_left(
    temporary: Path, own: Path | None, remove: Callable[[Path], None] = shutil.rmtree
) -> list[Path]:
    """Remove what ended programs of ours left in `temporary`; returns what was removed. Never raises."""
    gone: list[Path] = []
    try:
        folders = sorted(temporary.glob(PATTERN))[:MAX_FOLDERS]
    except OSError:
        return []
    for folder in folders:
        if folder == own or not _is_left(folder):
            continue
        try:
            # What shows that it is ours goes last: what is interrupted now is gone on with at the next start.
            for entry in sorted(folder.iterdir()):
                if entry.name in (MARKER, SIGN):
                    continue
                if entry.is_dir() and not entry.is_symlink():
                    remove(entry)
                else:
                    entry.unlink()
            remove(folder)
            gone.append(folder)
        except OSError as error:
            log.info("%s could not be removed: %s", folder, error)
    return gone


def _is_left(folder: Path) -> bool:
    marker = folder / MARKER
    try:
        state = folder.lstat()
        if not stat.S_ISDIR(state.st_mode) or (hasattr(os, "getuid") and state.st_uid != os.getuid()):
            return False
        if not marker.exists():
            return _ended_unpacking(folder)
        return stat.S_ISREG(marker.lstat().st_mode) and not _owner_lives(marker)
    except (OSError, ValueError):
        return False


def _ended_unpacking(folder: Path) -> bool:
    """Is it of a start that is gone and did not come to its marker? Raises OSError without our sign in it."""
    name = _NAME.fullmatch(folder.name)
    sign = (folder / SIGN).lstat()
    if name is None or not stat.S_ISREG(sign.st_mode):
        return False
    try:
        # A process that began after the sign was written has only inherited the number.
        if psutil.Process(int(name[1], 16)).create_time() < sign.st_mtime + SAME_START_S:
            return False
    except psutil.NoSuchProcess:
        pass
    except (psutil.Error, OverflowError):
        return False
    return not any(_lives_in(folder, process) for process in psutil.process_iter())


def _lives_in(folder: Path, process: psutil.Process) -> bool:
    """Where only the outer process was killed, the inner one goes on."""
    try:
        return process.environ().get(HOME_VARIABLE) == str(folder)
    except (psutil.Error, OSError):
        return False


def _owner_lives(marker: Path) -> bool:
    """Raises ValueError for a marker that is none of ours, OSError for one that cannot be read."""
    with marker.open("rb") as file:
        data = json.loads(file.read(1000))
    if not isinstance(data, dict) or type(data.get("pid")) is not int:
        raise ValueError("not a marker of ours")
    started = data.get("started")
    if not isinstance(started, int | float):
        raise ValueError("not a marker of ours")
    try:
        process = psutil.Process(data["pid"])
        return process.status() != psutil.STATUS_ZOMBIE and abs(process.create_time() - started) < SAME_START_S
    except (psutil.NoSuchProcess, ValueError, OverflowError):
        return False
    except psutil.Error:
        return True
