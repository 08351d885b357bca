"""`packbench open PATH`: the window, with something in it."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop.cli.command import Command
from desktop.cli.context import Context
from packs.errors import AppError


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a pack, a model file, a bundle, a document")


def run(arguments: argparse.Namespace, context: Context) -> int:
    paths = [Path(path).expanduser().absolute() for path in arguments.paths]
    for path in paths:
        if not path.exists():
            raise AppError(f"{path} does not exist.", "Check the spelling.", code="not_found")
    return context.open_window([str(path) for path in paths])


COMMAND = Command(
    "open",
    "Opens the window with a pack (folder or zip), a model file, a bundle or a document.",
    describe,
    run,
    ("packbench open ./invoice-extraction",),
)
