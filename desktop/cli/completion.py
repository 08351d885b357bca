"""`packbench completion SHELL`: what a shell needs to complete our commands, by the library shtab."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from desktop.cli.command import Command, parser_for
from desktop.cli.context import Context
from desktop.cli.exits import Exit

Listed = Callable[[], Iterable[tuple[Command, str]]]
"""Every command with its summary. Handed in by the table of commands, which knows this one."""

SHELLS = ("bash", "zsh", "tcsh")
_FILES = frozenset(
    ("PACK", "DIR", "FILE", "PATH", "BUNDLE", "RUN|BUNDLE", "A", "B", "TABLE", "DOCUMENT", "MODEL.gguf")
)
"""Names of arguments, as the commands show them, that stand for a file or a folder."""


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that it is for")


def run(listed: Listed, arguments: argparse.Namespace, context: Context) -> int:
    import shtab

    # As bytes: what a shell reads is not wrapped or shown differently.
    script = shtab.complete(whole_parser("packbench", listed), arguments.shell)
    context.terminal.raw((script.rstrip() + "\n").encode("utf-8"))
    return Exit.DONE


def whole_parser(program: str, listed: Listed) -> argparse.ArgumentParser:
    """All commands in one parser, each argument that is a file marked as such; described, not to parse."""
    import shtab

    parser = argparse.ArgumentParser(program)
    parser.add_argument("-V", "--version", action="store_true", help="name and version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command, summary in listed():
        described = parser_for(command, program)
        for action in described._actions:  # argparse has no public list
            if action.metavar in _FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
        commands.add_parser(command.name, help=summary, parents=[described], add_help=False)
    return parser


def completion_of(listed: Listed) -> Command:
    """The command that completes those of the table."""
    return replace(_COMMAND, run=partial(run, listed))


_COMMAND = Command(
    "completion",
    "Prints a script that lets your shell complete commands, options and files of Packbench. Bash: put it\n"
    "into ~/.local/share/bash-completion/completions/packbench; zsh: into a file _packbench in a folder of\n"
    "$fpath; tcsh: into a file that ~/.tcshrc reads. It holds from the next shell on.",
    describe,
    partial(run, tuple),
    ("packbench completion bash", "packbench completion zsh"),
)
