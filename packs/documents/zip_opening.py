"""Opening a zip from outside: its entries are counted before the library makes an object of each.

A zip of two million empty entries is small on disk, and costs a gigabyte once its directory is built.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from packs.documents.regular_file import open_regular
from packs.errors import AppError

MOST_ENTRIES = 200_000
"""Of any zip; the library's objects for them take some 100 MB."""
DIRECTORY_BYTES = 64 * 2**20
"""Of the directory of any zip, which the library reads whole: names and comments may be long."""
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_BYTES = 20
_LOOKED_THROUGH = 1 << 16
"""Bytes before the last possible end record: the longest comment."""
_ENTRY_BYTES = 46
_LENGTHS = struct.Struct("<3H")
_LENGTHS_AT = 28


@contextlib.contextmanager
def opened_zip(path: Path, limit: int = MOST_ENTRIES) -> Iterator[zipfile.ZipFile]:
    """The zip at `path`, which has at most `limit` entries.

    Raises AppError (code 'too_large') for more, before anything is built from them; OSError, ValueError and
    ZIP_FAULTS as the library does for what is no zip.
    """
    with open_regular(path) as stream:
        if not holds_at_most(stream, limit):
            raise AppError(
                f"{path.name} holds more than {limit:,} files, the most that is read of such a zip.",
                "Check where it comes from.",
                code="too_large",
            )
        stream.seek(0)
        with zipfile.ZipFile(stream) as archive:
            yield archive


def holds_at_most(stream: BinaryIO, limit: int) -> bool:
    """Whether a zip lists no more than `limit` entries, as far as the library would read its directory.

    The number in the end record is believed only when it is too large: what lies in the directory is counted,
    for that is what the library goes by. True for what is no zip: the library says that.
    """
    found = _directory(stream)
    if found is None:
        return True
    start, size, claimed = found
    if claimed > limit or size > DIRECTORY_BYTES:
        return False
    place, end = start, start + size
    for _ in range(limit):
        if place + _ENTRY_BYTES > end:
            return True
        stream.seek(place + _LENGTHS_AT)
        lengths = stream.read(_LENGTHS.size)
        if len(lengths) < _LENGTHS.size:
            return True
        place += _ENTRY_BYTES + sum(_LENGTHS.unpack(lengths))
    return place + _ENTRY_BYTES > end


def _directory(stream: BinaryIO) -> tuple[int, int, int] | None:
    """(start, bytes, number of entries claimed) of the directory, found as the library finds it."""
    length = stream.seek(0, os.SEEK_END)
    tail_start = max(length - _END.size - _LOOKED_THROUGH, 0)
    stream.seek(tail_start)
    tail = stream.read(_END.size + _LOOKED_THROUGH)
    plain = tail[-_END.size :]
    if plain[:4] == b"PK\5\6" and plain[-2:] == b"\0\0":
        at = len(tail) - _END.size
    else:
        at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < _END.size:
        return None
    _, _, _, _, claimed, size, _, _ = _END.unpack_from(tail, at)
    end = tail_start + at
    before = end - _LOCATOR_BYTES - _END64.size
    if before >= 0:
        stream.seek(before)
        both = stream.read(_END64.size + _LOCATOR_BYTES)
        if both[:4] == b"PK\6\6" and both[_END64.size : _END64.size + 4] == b"PK\6\7":
            *_, claimed, size, _ = _END64.unpack_from(both)
            end = before
    return (end - size, size, claimed) if size <= end else None
