"""Everything a command prints goes through one sink that is harmless, and that notices what got lost."""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import desktop.cli
from desktop.cli.commands import COMMANDS
from desktop.cli.terminal import Terminal

HOSTILE = {
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "clear screen": "\x1b[2J",
    "carriage return": "safe\rforged",
    "colour": "\x1b[31m",
    "one-byte sequence": "\x9b2J",
    "override": "\u202etxt.exe",
    "isolate": "\u2066a\u2069",
    "delete": "a\x7f",
    "backspace": "a\x08b",
}
FORBIDDEN = set("\x1b\x07\r\x9b\u202e\u2066\u2069\x7f\x08")


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", HOSTILE)
def test_that_no_way_of_writing_sends_a_control_character_of_a_text(name: str) -> None:
    hostile = HOSTILE[name]
    out, err = Screen(), Screen()
    terminal = Terminal(out, err, {"NO_COLOR": "1", "TERM": "xterm"})
    terminal.line(hostile)
    terminal.paragraph(hostile)
    terminal.note(hostile)
    terminal.raw(hostile.encode())
    terminal.document({hostile: hostile})
    terminal.line(terminal.style(hostile, "bad"))
    terminal.redraw(hostile)
    assert not FORBIDDEN & set(out.getvalue())
    assert not FORBIDDEN & set(err.getvalue().replace("\r\x1b[2K", ""))


def test_that_own_colours_reach_a_terminal_and_those_of_a_text_do_not() -> None:
    out = Screen()
    terminal = Terminal(out, io.StringIO(), {"TERM": "xterm"})
    terminal.line(terminal.style("\x1b[31mname", "good"))
    assert out.getvalue() == "\x1b[32m[ESC][31mname\x1b[0m\n"


def test_that_a_document_stays_json_whatever_it_holds() -> None:
    out = io.StringIO()
    Terminal(out, io.StringIO(), {}).document(HOSTILE)
    assert json.loads(out.getvalue()) == HOSTILE


def test_that_no_command_prints_around_the_sink() -> None:
    around = []
    for path in sorted(Path(desktop.cli.__file__).parent.glob("*.py")):
        if path.name == "terminal.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            printing = isinstance(node, ast.Name) and node.id == "print"
            stream = isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr", "print_help")
            if printing or stream:
                around.append(f"{path.name}:{node.lineno}")
    assert around == []


class Full(io.StringIO):
    def write(self, text: str) -> int:
        if text:
            raise OSError(28, "No space left on device")
        return 0


def test_that_a_stream_that_is_full_or_closed_is_told() -> None:
    for out, why in ((Full(), "no room"), (None, "closed")):
        err = io.StringIO()
        terminal = Terminal(out, err, {})
        terminal.line("a result")
        terminal.raw(b"a report")
        terminal.note("a message")
        assert terminal.lost is not None and why in terminal.lost
        assert err.getvalue() == "a message\n"


def test_that_messages_without_a_stream_lose_no_result() -> None:
    out = io.StringIO()
    terminal = Terminal(out, None, {})
    terminal.note("a message")
    terminal.line("a result")
    terminal.close()
    assert (out.getvalue(), terminal.lost) == ("a result\n", None)


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    command = f'"{sys.executable}" -m desktop {line}'
    return subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("line", ["--help > /dev/full", "runs --json > /dev/full", "runs >&-"])
def test_that_a_result_that_was_not_written_is_no_success(line: str) -> None:
    ran = shell(line)
    assert ran.returncode == 3 and "could not be written" in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
@pytest.mark.parametrize("line", ["runs 2>&-", "runs 2> /dev/full", "runs <&-"])
def test_that_a_result_is_a_success_without_a_place_for_messages(line: str) -> None:
    ran = shell(line)
    assert ran.returncode == 0 and "Traceback" not in ran.stdout + ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of this kind")
def test_that_a_home_of_nobody_is_a_sentence() -> None:
    ran = shell("runs", PACKBENCH_HOME="~nosuch/x")
    assert ran.returncode == 2 and "PACKBENCH_HOME" in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_that_the_help_of_every_command_that_was_not_written_is_no_success(
    name: str, lossy: Callable[..., tuple[int, str]]
) -> None:
    code, said = lossy(name, "--help")
    assert code == 3 and "could not be written" in said


@pytest.fixture
def lossy() -> Callable[..., tuple[int, str]]:
    """Runs one command line with an output that is full."""
    from desktop.app import command_context
    from desktop.cli.main import run_command_line
    from desktop.foundation.paths import user_paths

    def run(*arguments: str) -> tuple[int, str]:
        err = io.StringIO()
        context = command_context(Terminal(Full(), err, {}), user_paths(), None)
        return run_command_line(arguments, context), err.getvalue()

    return run


@pytest.mark.parametrize("name", COMMANDS)
def test_that_a_failure_of_a_command_with_json_is_a_document(
    name: str, packbench: Callable[..., object]
) -> None:
    ran = packbench(name, "--json", "--no-such-option")
    document = json.loads(ran.out)
    assert document["format"] == "packbench-error/1" and document["exit_code"] == ran.code == 2
    assert document["error"]["message"] in ran.err
