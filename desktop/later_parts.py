"""Large parts of the one-file program that are unpacked when something imports them, not at every start.

The one-file program unpacks itself before the first line of ours runs, and that is most of its start. So the
packager puts packages that no window and few commands need, such as the engine, into an archive each
(`later/<package>.zip`, names as they lie in the unpacked folder). They go into the same folder, which goes
away as a whole when the program ends.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

FOLDER = "later"


class LaterParts(MetaPathFinder):
    """Stands before the finders of the interpreter and finds nothing itself: it makes the files be there."""

    def __init__(self, home: Path) -> None:
        """home: where the program is unpacked."""
        self._home = home
        self._left = {file.stem: file for file in (home / FOLDER).glob("*.zip")}

    @property
    def left(self) -> frozenset[str]:
        """Packages that have not been asked for yet."""
        return frozenset(self._left)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Always None. Raises OSError where there is no room to unpack; the next import tries again."""
        archive = self._left.get(fullname)
        if archive is not None:
            unpack(archive, self._home)
            importlib.invalidate_caches()
            self._left.pop(fullname, None)
        return None


def unpack(archive: Path, home: Path) -> None:
    """Write every file of the archive below `home` that is not there yet.

    Safe while other processes of the same start do it, too: a file appears at its place only when it is whole.
    Raises OSError, also for an archive that is damaged or names a place outside of `home`.
    """
    # Not at the top: a start that needs none of the parts does without.
    import shutil
    import zipfile

    inside = home.resolve()
    try:
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist():
                target = (inside / entry.filename).resolve()
                if not target.is_relative_to(inside):
                    raise OSError(f"{archive} names a place outside of its folder: {entry.filename}")
                if target.is_file() and target.stat().st_size == entry.file_size:
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                part = target.with_name(f"{target.name}.{os.getpid()}-{threading.get_ident()}.part")
                try:
                    with opened.open(entry) as source, part.open("wb") as copy:
                        shutil.copyfileobj(source, copy, 1 << 20)
                    part.replace(target)
                except BaseException as error:
                    with contextlib.suppress(OSError):
                        part.unlink(missing_ok=True)
                    if isinstance(error, OSError) and error.filename is None:
                        error.filename = str(target)
                    raise
    except zipfile.BadZipFile as error:
        raise OSError(f"{archive} is damaged: {error}") from error


def provide_later_parts() -> None:
    """In the one-file program: have its later parts found. Elsewhere nothing."""
    folder = getattr(sys, "_MEIPASS", None)
    if not isinstance(folder, str):
        return
    finder = LaterParts(Path(folder))
    if finder.left:
        sys.meta_path.insert(0, finder)
