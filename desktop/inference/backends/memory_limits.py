"""Did memory run out just now? The kernel ends a process for it without a word, so its counters are asked."""

from __future__ import annotations

import sys
from pathlib import Path

_CGROUP = Path("/proc/self/cgroup")


class OutOfMemoryWatch:
    """Remembers how often the kernel had ended something for memory when it was made.

    Looks at this process' own control group, those above it, and the machine's counter. Where the system keeps
    no such counter (Windows, macOS) the answer is always no: a crash is then told as a crash.
    """

    def __init__(self) -> None:
        self._before = _kills()

    def ran_out(self) -> bool:
        """True when the kernel has ended a process for lack of memory since this was made."""
        return _kills() > self._before


def _kills() -> int:
    if sys.platform != "linux":
        return 0
    return _counter(Path("/proc/vmstat"), "oom_kill") + sum(
        _counter(file, "oom_kill") for file in _group_files()
    )


def _group_files() -> list[Path]:
    """The counters of our control group and of those above it, in both versions of control groups."""
    try:
        lines = _CGROUP.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    files: list[Path] = []
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            root, name = Path("/sys/fs/cgroup"), "memory.events"
        elif "memory" in controllers.split(","):
            root, name = Path("/sys/fs/cgroup/memory"), "memory.oom_control"
        else:
            continue
        own = root / path.lstrip("/")
        files += [folder / name for folder in (own, *own.parents) if folder.is_relative_to(root)]
    return files


def _counter(file: Path, name: str) -> int:
    """The number after `name` in a file of 'name number' lines; 0 where there is none."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.strip().isdigit():
            return int(value)
    return 0
