"""Reading forward through the header of a model file without trusting a single length in it."""

from __future__ import annotations

import struct
from typing import BinaryIO

from packs.errors import AppError

WINDOW = 1 << 20
"""Bytes read from the file at a time."""
MAX_HEADER = 128 << 20
"""No published model has a header of more than some 20 MiB; a longer one is an attack or damage."""


class GgufError(AppError):
    """No readable GGUF model. `code` names the kind of fault; the reader raises nothing else."""


_LENGTH = struct.Struct("<Q")


class Cursor:
    """A position in an open file of known size. Every read is checked before memory is taken."""

    def __init__(self, file: BinaryIO, size: int, name: str) -> None:
        self._file = file
        self._size = size
        self._name = name
        self._window = b""
        self._start = 0
        self._at = 0

    @property
    def position(self) -> int:
        """Bytes from the start of the file."""
        return self._start + self._at

    @property
    def left(self) -> int:
        """Bytes until the end of the file."""
        return self._size - self.position

    def need(self, count: int) -> None:
        """`count` bytes must follow. Raises GgufError 'cut_header' or 'absurd'."""
        if count > self.left:
            raise GgufError(
                f"{self._name} ends in the middle of its header, after {self._size:,} bytes.",
                "The download or copy was cut short: fetch the file again.",
                code="cut_header",
            )
        if self.position + count > MAX_HEADER:
            raise GgufError(
                f"{self._name} has a header of more than {MAX_HEADER >> 20} MiB, which no model needs.",
                "The file is damaged or made to mislead: do not use it.",
                code="absurd",
            )

    def take(self, count: int) -> bytes:
        self.need(count)
        if self._at + count > len(self._window):
            self._refill(count)
        piece = self._window[self._at : self._at + count]
        self._at += count
        return piece

    def number(self, code: str, size: int) -> int | float | bool:
        """One value of a struct code."""
        value: int | float | bool = struct.unpack("<" + code, self.take(size))[0]
        return value

    def numbers(self, code: str, size: int, count: int) -> tuple[int | float | bool, ...]:
        """`count` values of one struct code; the caller bounds `count`."""
        return struct.unpack(f"<{count}{code}", self.take(size * count))

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def back_to_start(self) -> None:
        """Before the first window has been left."""
        self._at = 0

    def skip(self, count: int) -> None:
        self.need(count)
        if self._at + count <= len(self._window):
            self._at += count
        else:
            self._start += self._at + count
            self._window, self._at = b"", 0
            self._file.seek(self._start)

    def skip_texts(self, count: int) -> int:
        """Step over `count` texts, each a length and its bytes. Returns the bytes of text passed over.

        The hot loop of reading a header: a tokenizer has up to half a million of them.
        """
        self.need(count * 8)
        total = 0
        unpack = _LENGTH.unpack_from
        while count:
            window, at, end = self._window, self._at, len(self._window) - 8
            before = at
            passed = 0
            while at <= end and passed < count:
                at += 8 + unpack(window, at)[0]
                passed += 1
            count -= passed
            total += at - before - 8 * passed
            self._at = before
            self.skip(at - before)
            if count:
                self.need(8)
                self._refill(8)
        return total

    def _refill(self, at_least: int) -> None:
        self._start += self._at
        self._at = 0
        self._file.seek(self._start)
        wanted = max(WINDOW, at_least)
        self._window = self._file.read(wanted)
        if len(self._window) < at_least:
            self._size = self._start + len(self._window)
            self.need(at_least)
