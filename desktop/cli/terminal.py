"""The two streams of a command: they do without UTF-8 and colour, and survive a reader that leaves."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import TextIO

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

    Once the reader of `out` has left (`| head`), output is dropped and the work goes on.
    """

    def __init__(self, out: TextIO, err: TextIO, environment: Mapping[str, str]) -> None:
        self._out = out
        self._err = err
        self._environment = environment
        self.out_is_terminal = _is_terminal(out)
        self.err_is_terminal = _is_terminal(err)
        # Older Windows consoles show escape sequences as characters; the newer ones say who they are.
        speaks = sys.platform != "win32" or bool(environment.get("WT_SESSION") or environment.get("TERM"))
        self._escapes = speaks and environment.get("TERM") != "dumb"
        self._broken: set[TextIO] = set()

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
            text,
            self.width(self._out),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def document(self, content: object) -> None:
        """The one JSON document that `--json` promises. ASCII only, so that no code page can spoil it."""
        self.line(json.dumps(content, ensure_ascii=True, indent=1, allow_nan=False))

    def raw(self, content: bytes) -> None:
        """A whole file on the result stream, byte for byte."""
        buffer = getattr(self._out, "buffer", None)
        if buffer is None:
            self._guarded(self._out, content.decode("utf-8", "replace"))
            return
        try:
            self._out.flush()
            buffer.write(content)
            buffer.flush()
        except BrokenPipeError:
            self._broken.add(self._out)
            _point_at_nothing(self._out)

    def redraw(self, text: str) -> None:
        """Replace the last line of `err` by `text`, without ending it."""
        if self._escapes:
            self._write(self._err, f"\r\x1b[2K{text}")
        else:
            blank = " " * (self.columns() - 1)
            self._write(self._err, f"\r{blank}\r{text}")

    def style(self, text: str, name: str, *, err: bool = False) -> str:
        """Coloured where the stream is a terminal that wants colour; the text alone elsewhere."""
        wanted = self.err_is_terminal if err else self.out_is_terminal
        if not wanted or not self._escapes or self._environment.get("NO_COLOR"):
            return text
        return f"\x1b[{_STYLES[name]}m{text}\x1b[0m"

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

    def _write(self, stream: TextIO, text: str) -> None:
        if not _encodes(stream, text):
            text = text.translate(_PLAIN)
            encoding = stream.encoding or "ascii"
            text = text.encode(encoding, "backslashreplace").decode(encoding)
        self._guarded(stream, text)

    def _guarded(self, stream: TextIO, text: str) -> None:
        if stream in self._broken:
            return
        try:
            stream.write(text)
            stream.flush()
        except BrokenPipeError:
            self._broken.add(stream)
            _point_at_nothing(stream)
        except ValueError:
            # The stream was closed under us (a window program without a console).
            self._broken.add(stream)


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
    return Terminal(sys.stdout, sys.stderr, os.environ)
