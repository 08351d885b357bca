"""What a command is, and the arguments that several of them share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.cli.context import Context
    from desktop.cli.json_documents import JsonDocument


class UsageError(AppError):
    """The command line itself cannot be understood; exit code 2."""


class PlainParser(argparse.ArgumentParser):
    """Complains by raising, so that every message leaves the program in one way."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(
            f"{message[:1].upper()}{message[1:]}.",
            f"'{self.prog} --help' shows what can be given.",
            code="usage",
        )


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `describe` adds its arguments, `run` does it and returns the exit code.

    Both are called only when the command was named, so its imports cost nothing to the others.
    documents: what it prints with `--json`. exits: what its exit codes mean, beside wrong usage, a fault of the
    machine and stopped.
    """

    name: str
    description: str
    describe: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Context], int]
    examples: tuple[str, ...] = ()
    documents: tuple[JsonDocument, ...] = ()
    exits: Mapping[int, str] = field(default_factory=lambda: {0: "done"})


def parser_for(command: Command, program: str) -> PlainParser:
    parser = PlainParser(
        prog=f"{program} {command.name}",
        description=command.description,
        epilog="\n".join(("Examples:", *(f"  {line}" for line in command.examples)))
        if command.examples
        else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.describe(parser)
    return parser


def add_pack(
    parser: argparse.ArgumentParser, help_text: str = "the pack's folder or zip, or the name of a sample"
) -> None:
    """`PACK` or `--pack DIR`; read it with `pack_of`."""
    parser.add_argument("pack", nargs="?", metavar="PACK", help=help_text)
    parser.add_argument("--pack", dest="pack_option", metavar="DIR", help="the same, as an option")


def pack_of(arguments: argparse.Namespace) -> str:
    """The pack given in either way. Raises UsageError when there is none, or two."""
    given = [text for text in (arguments.pack, arguments.pack_option) if text is not None]
    if len(given) != 1:
        raise UsageError(
            "No pack is named." if not given else "The pack is named twice.",
            "Name one pack: its folder, or a sample.",
            code="usage",
        )
    return str(given[0])


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="no progress; warnings and the result stay")


def at_least(smallest: int) -> Callable[[str], int]:
    """A whole number that is not below `smallest`, for `type=`."""

    def whole_number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
        if value < smallest:
            raise argparse.ArgumentTypeError(f"{value} is too small; the smallest is {smallest}")
        return value

    return whole_number


def backend_name(text: str) -> str:
    """One of the backends there are, for `type=`."""
    from desktop.inference.backends.table import backend_names

    if text not in backend_names():
        raise argparse.ArgumentTypeError(f"'{text}' is no backend; there are {', '.join(backend_names())}")
    return text


def seconds(text: str) -> float:
    """A positive number of seconds, for `type=`."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0")
    return value


def share(text: str) -> float:
    """A number from 0 up to but not 1, for `type=`."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0 and 1")
    return value


def quality(text: str) -> float:
    """A number from 0 to 1, for `type=`."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not between 0 and 1")
    return value


Json = dict[str, Any]
