"""Parts of the one-file program that are not unpacked at every start.

The one-file program unpacks itself before the first line of ours runs, and that is most of its start; every
single file costs. So the packager lays most of them into two archives in the unpacked folder:

`later/parts.zip` holds the files of packages that no first window needs, such as the engine. `later/parts.txt`
says which: in each line a package, a tab, and the name of a file of it, as it lies in the unpacked folder. They
are unpacked into the same folder when the package is imported; the folder goes away as a whole in the end.

`later/resources.zip` holds the program's own files, such as icons and help, which are read where they lie.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import threading
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import cast

FOLDER = "later"
ARCHIVE = "parts.zip"
INDEX = "parts.txt"
RESOURCES = "resources.zip"


class DeferredPackages(MetaPathFinder):
    """Stands before the finders of the interpreter and finds nothing itself: it makes the files be there."""

    def __init__(self, home: Path) -> None:
        """home: where the program is unpacked."""
        self._home = home
        self._left: dict[str, list[str]] = {}
        index = home / FOLDER / INDEX
        if index.is_file():
            for line in index.read_text("utf-8").splitlines():
                package, _, file = line.partition("\t")
                self._left.setdefault(package, []).append(file)

    @property
    def left(self) -> frozenset[str]:
        """Packages that have not been asked for yet."""
        return frozenset(self._left)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Always None. Raises OSError where there is no room to unpack; the next import tries again."""
        files = self._left.get(fullname)
        if files is not None:
            unpack(self._home / FOLDER / ARCHIVE, files, self._home)
            importlib.invalidate_caches()
            self._left.pop(fullname, None)
        return None


def unpack(archive: Path, files: Iterable[str], home: Path) -> None:
    """Write these files of the archive below `home`, but those that are there already.

    Safe while other processes of the same start do it, too: a file appears at its place only when it is whole.
    Raises OSError, also for an archive that is damaged and for a place outside of `home`.
    """
    # Not at the top: a start that needs none of the parts does without.
    import shutil
    import zipfile

    inside = home.resolve()
    try:
        with zipfile.ZipFile(archive) as opened:
            for name in files:
                target = (inside / name).resolve()
                if not target.is_relative_to(inside):
                    raise OSError(f"{archive} names a place outside of its folder: {name}")
                entry = opened.getinfo(name)
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
    except (zipfile.BadZipFile, KeyError) as error:
        raise OSError(f"{archive} is damaged: {error}") from error


def unpacked_home() -> Path | None:
    """Where the packaged program lies or is unpacked; None from source."""
    folder = getattr(sys, "_MEIPASS", None)
    return Path(folder) if isinstance(folder, str) else None


def provide_deferred_packages() -> None:
    """In the one-file program: have its later parts found. Elsewhere nothing."""
    home = unpacked_home()
    if home is not None:
        finder = DeferredPackages(home)
        if finder.left:
            sys.meta_path.insert(0, finder)


def provide(package: str) -> None:
    """Unpack what belongs to a name of the index that is no module of its own. Raises OSError."""
    for finder in sys.meta_path:
        if isinstance(finder, DeferredPackages):
            finder.find_spec(package, None)


@cache
def packed_resources() -> Traversable | None:
    """The root of the archive with the program's own files; None where they lie in folders."""
    home = unpacked_home()
    file = home / FOLDER / RESOURCES if home is not None else None
    if file is None or not file.is_file():
        return None
    import zipfile

    return cast("Traversable", zipfile.Path(file))
