"""Running a command in this process, with streams of its own."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from desktop.app import command_context
from desktop.cli.main import run_command_line
from desktop.cli.terminal import Terminal
from desktop.foundation.paths import user_paths


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """Text in memory with an encoding of its own."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True, newline="\n")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def text(self) -> str:
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode(self.encoding)


@pytest.fixture
def packbench() -> Callable[..., Ran]:
    """Runs one command line; never opens a window."""

    def run(*arguments: str, encoding: str = "utf-8", terminal: bool = False, **environment: str) -> Ran:
        out, err = Stream(encoding, terminal), Stream(encoding, terminal)
        context = command_context(Terminal(out, err, environment), user_paths(), None)
        code = run_command_line(arguments, context)
        return Ran(code, out.text(), err.text())

    return run
