"""A folder for one engine child's state, readable by this user alone, gone when it is no longer needed."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import psutil

_PREFIX = "packbench-engine-"


class PrivateFolder:
    """Made at once; `remove` can be repeated. The name holds our process number, so that what a killed
    program left behind can be told and removed by the next one."""

    def __init__(self) -> None:
        remove_leftovers()
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def remove_leftovers(folder: Path | None = None) -> None:
    """Remove folders of programs of ours that run no more. Never raises."""
    with contextlib.suppress(OSError):
        for entry in (folder or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*-*"):
            number = entry.name.removeprefix(_PREFIX).partition("-")[0]
            if number.isdigit() and not psutil.pid_exists(int(number)):
                shutil.rmtree(entry, ignore_errors=True)
