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
_ZEROS = bytes(4)
"""Occurs once in the seven zeros that end the length of a text of fewer than 256 bytes. Fast to count."""
_WORTH_SEARCHING = 10_000
"""Fewer texts are walked over sooner than a window is searched; a vocabulary has more."""
_NEXT_ENTRY = bytes(7) + b"tokenizer."
"""The rest of the length and the start of the name of an entry about the tokenizer."""


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

        The hot path of reading a header: a tokenizer has up to half a million of them. Where another entry of
        the tokenizer follows, as it nearly always does, the end is searched for, five times as fast as walking.
        """
        self.need(count * 8)
        found = self._texts_before_entry(count) if count >= _WORTH_SEARCHING else None
        return self._walk_texts(count) if found is None else found

    def _texts_before_entry(self, count: int) -> int | None:
        """As `skip_texts`, by searching for the entry after them. None, and nothing moved, where not sure.

        Nearly every text is shorter than 256 bytes, so that its length is one byte and seven zeros. If exactly
        `count` runs of zeros lie before the entry and the last text ends there, it is the end. Whatever does
        not add up is walked. A text may be made to look like the end of the array; whoever writes that could
        as well have written the entries plainly, and every check of this reader holds for them.
        """
        start = end = self.position
        left = count
        while end <= MAX_HEADER:
            self._refill_from(end)
            window = self._window
            entry = window.find(_NEXT_ENTRY)
            # The first byte of its length stands before an entry.
            stop = entry - 1 if entry > 0 else len(window)
            # The length of the last text: the first of its eight bytes is no zero, the last four are.
            last = window.rfind(_ZEROS, 0, max(stop, 0)) - 4
            if last < 0:
                break
            left -= window.count(_ZEROS, 0, last)
            if entry > 0:
                if left == 1 and _LENGTH.unpack_from(window, last)[0] == stop - last - 8:
                    self._at = stop
                    return end + stop - start - 8 * count
                break
            # It may be cut by the end of the window: it is counted in the next one.
            if last == 0 or left < 1:
                break
            end += last
        self._refill_from(start)
        return None

    def _walk_texts(self, count: int) -> int:
        """From text to text, whatever their lengths are."""
        total = 0
        unpack = _LENGTH.unpack_from
        while count:
            window, at = self._window, self._at
            before, passed = at, 0
            try:
                for passed in range(count):  # noqa: B007
                    at += unpack(window, at)[0] + 8
                passed = count
            except (struct.error, OverflowError, IndexError):
                pass  # the end of the window, or a length that leads beyond it
            count -= passed
            total += at - before - 8 * passed
            self.skip(at - before)
            if count:
                self.need(8)
                self._refill(8)
        return total

    def _refill_from(self, position: int, at_least: int = 0) -> None:
        self._start, self._at = position, 0
        self._file.seek(position)
        self._window = self._file.read(max(WINDOW, at_least))

    def _refill(self, at_least: int) -> None:
        self._refill_from(self.position, at_least)
        if len(self._window) < at_least:
            self._size = self._start + len(self._window)
            self.need(at_least)
