"""`packbench show RUN`: what a run found."""

from __future__ import annotations

import argparse

from desktop.cli.command import Command, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit


def add_run(parser: argparse.ArgumentParser) -> None:
    """RUN: an id, a unique beginning of one, or 'last' (the default)."""
    parser.add_argument(
        "run", nargs="?", default="last", metavar="RUN", help="an id, its beginning, or 'last' (%(default)s)"
    )


def describe(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.cli.result import print_result
    from desktop.reports.json import document
    from desktop.reports.loading import report_data

    data = report_data(context.paths.journal, arguments.run, context.now())
    if arguments.json:
        context.terminal.document(document(data))
    else:
        print_result(data, context.terminal)
    return Exit.DONE


COMMAND = Command(
    "show",
    "Tells what a run found: the answer, the models, what limits it.",
    describe,
    run,
    ("packbench show last",),
)
