"""The two streams of a command: the one way by which anything reaches a terminal.

They do without UTF-8 and colour, survive a reader that leaves and a disk that is full, and show the control
characters of texts from outside instead of sending them.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import secrets
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import TextIO, cast

from desktop.reports import text as texts

_PLAIN = str.maketrans(
    {
        "…": "...",
        "–": "-",
        "—": "-",
        "·": "-",
        "×": "x",
        "→": "->",
        "≥": ">=",
        "≤": "<=",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "✓": "ok",
        "✗": "x",
        "█": "#",
        "░": ".",
        "−": "-",
        "\u00a0": " ",
        "\u202f": " ",
    }
)
_STYLES = {"bold": "1", "muted": "2", "good": "32", "warn": "33", "bad": "31", "accent": "36"}
MAX_WIDTH = 100


class Terminal:
    """Where a command writes. Results go to `out`, progress and messages to `err`.

    Once the reader of `out` has left (`| head`), output is dropped and the work goes on. A stream that is full
    or closed (None) is dropped likewise; `lost` then says what part of the result did not get out.
    """

    def __init__(self, out: TextIO | None, err: TextIO | None, environment: Mapping[str, str]) -> None:
        self._out = _closed() if out is None else out
        self._err = _closed() if err is None else err
        self._environment = environment
        self.out_is_terminal = _is_terminal(self._out)
        self.err_is_terminal = _is_terminal(self._err)
        # Older Windows consoles show escape sequences as characters; the newer ones say who they are.
        speaks = sys.platform != "win32" or bool(environment.get("WT_SESSION") or environment.get("TERM"))
        self._escapes = speaks and environment.get("TERM") != "dumb"
        self._broken: set[TextIO] = set()
        # Stands for the escape character in our own colours. A text from outside cannot know it.
        self._mark = chr(0xF0000 + secrets.randbelow(0xFFFD))
        self.lost: str | None = None
        """Why (a part of) the result could not be written; None if all of it was, or its reader left."""
        self.has_result = False
        """Has anything been written, or tried to be written, as a result?"""

    def line(self, text: str = "") -> None:
        """One line of the result."""
        self._write(self._out, text + "\n")

    def note(self, text: str = "") -> None:
        """One line for the person, beside the result."""
        self._write(self._err, text + "\n")

    def paragraph(self, text: str, indent: str = "") -> None:
        """Prose, wrapped at the width of the terminal, at most 100 columns."""
        self.line(self.wrapped(text, indent))

    def wrapped(self, text: str, indent: str = "") -> str:
        return textwrap.fill(
            texts.plain(text),
            self.width(self._out),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def document(self, content: object) -> None:
        """The one JSON document that `--json` promises. ASCII only, so that no code page can spoil it."""
        written = json.dumps(content, ensure_ascii=True, indent=1, allow_nan=False)
        self.line(written.replace("\x7f", "\\u007f"))

    def raw(self, content: bytes) -> None:
        """A whole file on the result stream: byte for byte, but harmless where a terminal shows it."""
        buffer = getattr(self._out, "buffer", None)
        if self.out_is_terminal or buffer is None:
            self._write(self._out, content.decode("utf-8", "replace"))
            return
        self.has_result = True
        if self._out in self._broken:
            return
        try:
            self._out.flush()
            buffer.write(content)
            buffer.flush()
        except (OSError, ValueError) as error:
            self._drop(self._out, error)

    def redraw(self, text: str) -> None:
        """Replace the last line of `err` by `text`, without ending it."""
        if self._escapes:
            self._write(self._err, text, before="\r\x1b[2K")
        else:
            blank = " " * (self.columns() - 1)
            self._write(self._err, text, before=f"\r{blank}\r")

    def style(self, text: str, name: str, *, err: bool = False) -> str:
        """Coloured where the stream is a terminal that wants colour; the text alone elsewhere."""
        wanted = self.err_is_terminal if err else self.out_is_terminal
        if not wanted or not self._escapes or self._environment.get("NO_COLOR"):
            return text
        return f"{self._mark}[{_STYLES[name]}m{text}{self._mark}[0m"

    def width(self, stream: TextIO | None = None) -> int:
        """Columns for prose: those of the terminal, at most 100; 100 where there is no terminal."""
        if not (self.out_is_terminal or self.err_is_terminal) and "COLUMNS" not in self._environment:
            return MAX_WIDTH
        return max(40, min(MAX_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 24)).columns))

    def columns(self) -> int:
        """Of the terminal, whatever prose may use."""
        return max(40, shutil.get_terminal_size((MAX_WIDTH, 24)).columns)

    def can_show(self, text: str, *, err: bool = False) -> bool:
        """Can the stream's encoding hold `text`?"""
        return _encodes(self._err if err else self._out, text)

    def close(self) -> None:
        """Flush both streams; a reader that has left is not an error."""
        for stream in (self._out, self._err):
            self._guarded(stream, "")

    def _write(self, stream: TextIO, text: str, before: str = "") -> None:
        """before: our own control characters; those of the text are shown, not sent."""
        pieces = (texts.plain(piece) for piece in text.replace("\r\n", "\n").split(self._mark))
        text = before + "\x1b".join(pieces)
        if not _encodes(stream, text):
            text = text.translate(_PLAIN)
            encoding = stream.encoding or "ascii"
            text = text.encode(encoding, "backslashreplace").decode(encoding)
        self._guarded(stream, text)

    def _guarded(self, stream: TextIO, text: str) -> None:
        if stream is self._out and text:
            self.has_result = True
        if stream in self._broken:
            return
        try:
            stream.write(text)
            stream.flush()
        except (OSError, ValueError) as error:
            self._drop(stream, error)

    def _drop(self, stream: TextIO, error: OSError | ValueError) -> None:
        self._broken.add(stream)
        _point_at_nothing(stream)
        # Whoever reads a pipe may leave when it has seen enough; anything else lost what was asked for.
        if stream is self._out and not isinstance(error, BrokenPipeError):
            full = isinstance(error, OSError) and error.errno == errno.ENOSPC
            self.lost = "there is no room left where it is written" if full else "the output is closed"
            if isinstance(error, OSError) and not full:
                self.lost = error.strerror or "the system refused it"


class _Closed(io.TextIOBase):
    """Stands for a stream that was closed before the program started."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        if text:
            raise ValueError("closed from the start")
        return 0


def _closed() -> TextIO:
    return cast(TextIO, _Closed())


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:
        return False


def _encodes(stream: TextIO, text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _point_at_nothing(stream: TextIO) -> None:
    """So that the interpreter's own flush at exit does not complain once more."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def standard_terminal() -> Terminal:
    """On the streams of this process, whether they are open or not."""
    return Terminal(sys.stdout, sys.stderr, os.environ)


def occupy_closed_streams() -> None:
    """Of a process that was started with closed streams: opens nothing there, before a file gets their number.

    Otherwise the journal could be file 1 or 2, and whatever a library prints would be written into it.
    """
    with contextlib.suppress(OSError):
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(number)
