"""Reading a pack's files, from disk or from memory, without ever leaving the pack folder."""

# ruff: noqa: PTH112, PTH116, PTH118, PTH208
# Checked texts are used instead of Path objects: a pack of a thousand examples is read twice as fast.

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from packs.documents.regular_file import open_regular

MAX_ENTRIES = 100_000


class FileTrouble(Exception):
    """A file cannot be used. code: 'missing', 'folder', 'not_folder', 'outside', 'too_large', 'unreadable'."""

    def __init__(self, code: str, message: str, fix: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.fix = fix


class PackFiles(Protocol):
    """The files of one pack; paths are relative with `/`, already cleaned by `clean_path`."""

    def read(self, path: str, limit: int) -> bytes:
        """Raises FileTrouble; never reads more than `limit` bytes."""

    def names(self, folder: str) -> list[str]:
        """Names of what lies directly in a folder, in no order. Raises FileTrouble."""

    def is_folder(self, path: str) -> bool: ...


def clean_path(text: str) -> str:
    """A path of a manifest as `a/b.c`; '' is the pack folder. Raises FileTrouble when it leaves the folder."""
    path = text.replace("\\", "/")
    if "\x00" in path:
        raise FileTrouble("unreadable", "The path holds a NUL character.", "Write the path anew.")
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        raise _outside(text, "is an absolute path")
    path = posixpath.normpath(path)
    if path == ".." or path.startswith("../"):
        raise _outside(text, "leads out of the pack folder")
    return "" if path == "." else path


def _outside(text: str, what: str) -> FileTrouble:
    return FileTrouble(
        "outside",
        f"'{text}' {what}; a pack may only use files inside its own folder.",
        "Copy the file into the pack and give its path from there.",
    )


def _missing(path: str) -> FileTrouble:
    return FileTrouble("missing", f"There is no '{path}' in the pack.", "Create it, or correct the path.")


def _too_large(path: str, limit: int) -> FileTrouble:
    return FileTrouble(
        "too_large",
        f"'{path}' is larger than {limit / 2**20:g} MiB, the most that is read.",
        "Make it smaller.",
    )


class DiskFiles:
    """A pack folder. Links are followed only while they stay inside it; pipes and devices are not opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._root = os.path.realpath(folder)
        self._inside: dict[str, str] = {}  # folder as named -> folder as it really is, known to lie inside

    def _real(self, path: str) -> str:
        parent, name = posixpath.split(path)
        if parent not in self._inside:
            self._inside[parent] = self._checked(
                os.path.join(self._root, parent) if parent else self._root, parent
            )
        full = os.path.join(self._inside[parent], name) if name else self._inside[parent]
        try:
            is_link = stat.S_ISLNK(os.lstat(full).st_mode)
        except FileNotFoundError:
            raise _missing(path) from None
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        return self._checked(full, path) if is_link else full

    def _checked(self, full: str, path: str) -> str:
        try:
            real = os.path.realpath(full)
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        if real != self._root and not real.startswith(self._root.rstrip(os.sep) + os.sep):
            raise FileTrouble(
                "outside",
                f"'{path}' is a link that leads out of the pack folder.",
                "Replace the link by the file itself.",
            )
        return real

    def read(self, path: str, limit: int) -> bytes:
        full = self._real(path)
        try:
            status = os.stat(full)
            if stat.S_ISDIR(status.st_mode):
                raise FileTrouble("folder", f"'{path}' is a folder, not a file.", "Put a file there.")
            if not stat.S_ISREG(status.st_mode):
                raise FileTrouble(
                    "unreadable", f"'{path}' is not an ordinary file.", "Put an ordinary file there."
                )
            if status.st_size > limit:
                raise _too_large(path, limit)
            with open_regular(full) as file:
                content = file.read(limit + 1)
        except FileNotFoundError:
            raise _missing(path) from None
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
        if len(content) > limit:
            raise _too_large(path, limit)
        return content

    def names(self, folder: str) -> list[str]:
        full = self._real(folder)
        try:
            names = os.listdir(full)
        except FileNotFoundError:
            raise _missing(folder) from None
        except NotADirectoryError:
            raise FileTrouble(
                "not_folder", f"'{folder}' is a file, not a folder.", "Name the folder of the examples."
            ) from None
        except (OSError, ValueError) as error:
            raise _unreadable(folder, error) from None
        if len(names) > MAX_ENTRIES:
            raise FileTrouble(
                "too_large", f"'{folder}' holds more than {MAX_ENTRIES:,} files.", "Keep only examples there."
            )
        return names

    def is_folder(self, path: str) -> bool:
        try:
            return os.path.isdir(self._real(path))
        except FileTrouble:
            return False


class RememberedFiles:
    """The files of `beneath`, each opened once: for who reads a pack for several purposes at the same time."""

    def __init__(self, beneath: PackFiles) -> None:
        self._beneath = beneath
        self._content: dict[str, bytes] = {}
        self._names: dict[str, list[str]] = {}

    def read(self, path: str, limit: int) -> bytes:
        if path not in self._content:
            self._content[path] = self._beneath.read(path, limit)
        content = self._content[path]
        if len(content) > limit:
            raise _too_large(path, limit)
        return content

    def names(self, folder: str) -> list[str]:
        if folder not in self._names:
            self._names[folder] = self._beneath.names(folder)
        return list(self._names[folder])

    def is_folder(self, path: str) -> bool:
        return self._beneath.is_folder(path)


class MemoryFiles:
    """Files held in memory: what an editor has not saved yet, or an opened bundle.

    content: relative path with `/` to bytes. beneath: files to use where `content` names none, but for those
    that are `removed`.
    """

    def __init__(
        self,
        content: Mapping[str, bytes],
        beneath: PackFiles | None = None,
        removed: Collection[str] = (),
    ) -> None:
        self._content = dict(content)
        self._beneath = beneath
        self._removed = frozenset(removed)
        self._folders = {
            "/".join(path.split("/")[:length]) for path in content for length in range(path.count("/") + 1)
        }

    def read(self, path: str, limit: int) -> bytes:
        if path in self._content:
            content = self._content[path]
            if len(content) > limit:
                raise _too_large(path, limit)
            return content
        if self._beneath is not None and path not in self._removed:
            return self._beneath.read(path, limit)
        if self.is_folder(path):
            raise FileTrouble("folder", f"'{path}' is a folder, not a file.", "Put a file there.")
        raise _missing(path)

    def names(self, folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        own = {path[len(prefix) :].split("/")[0] for path in self._content if path.startswith(prefix)}
        if self._beneath is not None:
            try:
                found = self._beneath.names(folder)
                own.update(name for name in found if f"{prefix}{name}" not in self._removed)
            except FileTrouble:
                if not own:
                    raise
        if own or self.is_folder(folder):
            return list(own)
        if folder in self._content:
            raise FileTrouble(
                "not_folder", f"'{folder}' is a file, not a folder.", "Name the folder of the examples."
            )
        raise _missing(folder)

    def is_folder(self, path: str) -> bool:
        return path in self._folders or (self._beneath is not None and self._beneath.is_folder(path))


def _unreadable(path: str, error: Exception) -> FileTrouble:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FileTrouble(
        "unreadable", f"'{path}' cannot be read: {reason}.", "Check the file and who may read it."
    )


class NotUtf8(ValueError):
    """Bytes that are not UTF-8. likely: the encoding they seem to be in. utf16: it is a kind of UTF-16."""

    def __init__(self, likely: str, *, utf16: bool = False) -> None:
        super().__init__(likely)
        self.likely = likely
        self.utf16 = utf16


def decode(content: bytes) -> str:
    """The text of a file without its byte order mark. Raises NotUtf8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NotUtf8("UTF-16", utf16=True)
    head = content[:4000]
    if len(head) >= 4 and (head[1::2].count(0) * 2 > len(head) // 2 or head[::2].count(0) * 2 > len(head) // 2):
        raise NotUtf8("UTF-16 without a byte order mark", utf16=True)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            content.decode("cp1252")
        except UnicodeDecodeError:
            raise NotUtf8("an unknown encoding, or no text at all") from None
        raise NotUtf8("Windows-1252") from None
    return text.removeprefix("\ufeff")
