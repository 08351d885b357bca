"""What holds for every command: exit codes, messages, streams."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.app import run_program
from desktop.cli.command import parser_for
from desktop.cli.commands import COMMANDS, command_named
from desktop.cli.terminal import Terminal


@pytest.mark.parametrize("name", COMMANDS)
def test_that_every_command_of_the_overview_is_there_and_has_help(name: str) -> None:
    command = command_named(name)
    assert command.name == name
    assert command.description in parser_for(command, "packbench").format_help()


@pytest.mark.parametrize("name", COMMANDS)
def test_that_every_example_of_the_help_can_be_parsed(name: str) -> None:
    command = command_named(name)
    for example in command.examples:
        message = example.split()
        assert message[:2] == ["packbench", name]
        parser_for(command, "packbench").parse_args(message[2:])


def test_that_the_overview_lists_every_command(packbench: Callable[..., object]) -> None:
    ran = packbench("--help")
    assert ran.code == 0 and all(f"packbench {name} " in ran.out for name in COMMANDS)


def test_that_a_misspelt_command_gets_the_nearest(packbench: Callable[..., object]) -> None:
    ran = packbench("validte", "x")
    assert (ran.code, ran.out) == (2, "") and "Did you mean 'validate'?" in ran.err


def test_that_wrong_usage_is_two_and_says_where_help_is(packbench: Callable[..., object]) -> None:
    ran = packbench("runs", "--limit", "abc")
    assert ran.code == 2 and "'abc' is not a whole number" in ran.err and "--help" in ran.err


def test_that_a_window_without_a_display_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if sys.platform == "linux":
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
            monkeypatch.delenv(name, raising=False)
        assert run_program([]) == 3
        assert "no display" in capsys.readouterr().err


def test_that_an_unexpected_error_is_one_sentence_and_in_the_log(
    packbench: Callable[..., object], monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    monkeypatch.setattr("desktop.cli.main.command_named", lambda name: 1 / 0)
    ran = packbench("runs")
    assert ran.code == 3 and "Traceback" not in ran.err and "fault of ours" in ran.err


def test_that_ctrl_c_is_130_without_a_traceback(
    packbench: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("desktop.cli.main.command_named", interrupt)
    ran = packbench("runs")
    assert ran.code == 130 and "Traceback" not in ran.err


def test_that_a_terminal_without_utf8_still_gets_words(packbench: Callable[..., object]) -> None:
    ran = packbench("validate", "no–such…pack", encoding="ascii")
    assert ran.code == 1 and "no-such...pack" in ran.err


def test_that_colour_is_only_for_terminals_that_want_it(packbench: Callable[..., object]) -> None:
    assert "\x1b[" in packbench("validate", "nope", terminal=True).err
    assert "\x1b[" not in packbench("validate", "nope", terminal=True, NO_COLOR="1").err
    assert "\x1b[" not in packbench("validate", "nope").err


def test_that_a_reader_that_leaves_ends_nothing() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    out, err = Gone(), io.StringIO()
    terminal = Terminal(out, err, {})
    terminal.line("one")
    terminal.line("two")
    terminal.note("still here")
    terminal.close()
    assert err.getvalue() == "still here\n"


def test_that_help_into_a_closed_pipe_prints_no_traceback() -> None:
    code = "import sys; from desktop.app import run_program; sys.exit(run_program(['--help']))"
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-c", code], stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [["validate", "nope"], ["runs"], ["--help"]])
def test_that_a_command_loads_nothing_it_does_not_use(arguments: list[str]) -> None:
    code = (
        f"import sys; from desktop.app import run_program; run_program({arguments!r});"
        "sys.stderr.write(','.join(m for m in ('httpx', 'PySide6', 'xllamacpp', 'openpyxl', 'asyncio')"
        " if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.stderr.splitlines() or done.stderr.splitlines()[-1] in (
        "Check the spelling of the folder.",
    )


def test_that_json_is_exactly_one_document(packbench: Callable[..., object], tmp_path: Path) -> None:
    ran = packbench("validate", str(tmp_path), "--json")
    document = json.loads(ran.out)
    assert ran.code == 1 and document["problems"][0]["file"] == "task.yaml" and ran.err == ""


def test_that_a_console_without_escape_sequences_gets_none() -> None:
    class Console(io.StringIO):
        def isatty(self) -> bool:
            return True

    err = Console()
    terminal = Terminal(io.StringIO(), err, {"TERM": "dumb"})
    terminal.redraw("12/60")
    terminal.note(terminal.style("words", "bad", err=True))
    assert "\x1b" not in err.getvalue() and "12/60" in err.getvalue()
