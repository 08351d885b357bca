"""The memory limits of the control groups that this process is in (memory-fit specification, section 7).

Versions 1 and 2 can be mounted side by side. In a container the root of what can be seen is the container's own
group. Limits of groups above it cannot be seen from inside and are not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from desktop.inference.machine.machine import Limit

_NO_LIMIT = 1 << 60
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class _Mount:
    version: int
    root: PurePosixPath
    """The group that stands at the mount point."""
    point: str


def smallest_limit(root: Path = Path("/")) -> tuple[Limit | None, dict[str, str]]:
    """The bound that leaves the least free, and the raw figures by file.

    `root` stands for the file system's root in tests. Without control groups: (None, {}).
    """
    raw: dict[str, str] = {}
    best: Limit | None = None
    for mount, path in _own_groups(root, raw):
        folder = root / mount.point.lstrip("/")
        for level in (path, *path.parents):
            group = folder / str(level).lstrip("/")
            found = _group_limit(mount.version, group, raw)
            if found and (best is None or found.free_mib < best.free_mib):
                best = found
    return best, raw


def _own_groups(root: Path, raw: dict[str, str]) -> list[tuple[_Mount, PurePosixPath]]:
    lines = _lines(root / "proc/self/cgroup")
    mounts = _mounts(root)
    found: list[tuple[_Mount, PurePosixPath]] = []
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        version = 2 if number == "0" and not controllers else 1
        if version == 1 and "memory" not in controllers.split(","):
            continue
        raw[f"own group, version {version}"] = path
        own = PurePosixPath(path)
        found += [(mount, _inside(own, mount.root)) for mount in mounts if mount.version == version]
    return found


def _inside(path: PurePosixPath, mount_root: PurePosixPath) -> PurePosixPath:
    """The group's path below the mount point; a path of another name space is the mount point itself."""
    if mount_root != PurePosixPath("/") and path.is_relative_to(mount_root):
        return PurePosixPath("/") / path.relative_to(mount_root)
    if ".." in path.parts:
        return PurePosixPath("/")
    return path


def _mounts(root: Path) -> list[_Mount]:
    """Of /proc/self/mountinfo: 'id parent dev ROOT POINT options … - TYPE source SUPER-OPTIONS'."""
    mounts = []
    for line in _lines(root / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        fields, kinds = before.split(), after.split()
        if len(fields) < 5 or not kinds:
            continue
        if kinds[0] == "cgroup2":
            mounts.append(_Mount(2, PurePosixPath(fields[3]), fields[4]))
        elif kinds[0] == "cgroup" and len(kinds) > 2 and "memory" in kinds[2].split(","):
            mounts.append(_Mount(1, PurePosixPath(fields[3]), fields[4]))
    return mounts


def _group_limit(version: int, group: Path, raw: dict[str, str]) -> Limit | None:
    if version == 2:
        bounds = [_number(group / name, raw) for name in ("memory.max", "memory.high")]
        used = _number(group / "memory.current", raw)
        inactive = _stat(group / "memory.stat", "inactive_file", raw)
    else:
        bounds = [_number(group / "memory.limit_in_bytes", raw)]
        used = _number(group / "memory.usage_in_bytes", raw)
        inactive = _stat(group / "memory.stat", "total_inactive_file", raw)
    known = [bound for bound in bounds if bound is not None and bound < _NO_LIMIT]
    if not known or used is None:
        return None
    bound = min(known)
    # Pages of files that nobody uses now are given back on demand.
    free = max(bound - used + (inactive or 0), 0)
    return Limit(bound / _MIB, min(free, bound) / _MIB, f"container limit (control group, version {version})")


def _number(file: Path, raw: dict[str, str]) -> int | None:
    lines = _lines(file)
    if not lines:
        return None
    raw[str(file)] = lines[0]
    return int(lines[0]) if lines[0].isdigit() else None


def _stat(file: Path, name: str, raw: dict[str, str]) -> int | None:
    for line in _lines(file):
        key, _, value = line.partition(" ")
        if key == name and value.strip().isdigit():
            raw[f"{file} {name}"] = value.strip()
            return int(value)
    return None


def _lines(file: Path) -> list[str]:
    """The kernel's small files; one that is missing or may not be read has no lines."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(1 << 20).splitlines()
    except OSError:
        return []
