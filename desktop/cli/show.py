"""`packbench show RUN`: what a run found."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from desktop.cli.command import Command, add_json, share
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, report_fields

if TYPE_CHECKING:
    from desktop.reports.answer import RecommendationOptions


def add_run(parser: argparse.ArgumentParser) -> None:
    """RUN: an id, a unique beginning of one, or 'last' (the default)."""
    parser.add_argument(
        "run",
        nargs="?",
        default="last",
        metavar="RUN|BUNDLE",
        help="an id, its beginning, 'last', or a bundle (%(default)s)",
    )


def add_choice(parser: argparse.ArgumentParser) -> None:
    """How the recommendation is made; read with `choice_of`."""
    group = parser.add_argument_group("how the recommendation is made")
    group.add_argument(
        "--rule",
        choices=("paired", "peak-within-tolerance"),
        default="paired",
        help="how likely a smaller model is good enough, or the simple rule of other tools (%(default)s)",
    )
    group.add_argument(
        "--margin", type=share, metavar="M", help="paired: 0.05 is 5 points (as the pack says, else 0.05)"
    )
    group.add_argument(
        "--sureness",
        dest="confidence",
        type=share,
        metavar="P",
        help="paired: how likely (as the pack says, else 0.8)",
    )
    group.add_argument("--tolerance", type=share, default=0.02, metavar="T", help="simple rule: 0.02 is 2 %%")


def choice_of(arguments: argparse.Namespace) -> RecommendationOptions:
    from desktop.reports.answer import RecommendationOptions as Made
    from packs.task.recommendation import Rule

    return Made(Rule(arguments.rule), arguments.tolerance, arguments.margin, arguments.confidence)


def describe(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    add_choice(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.cli.result import print_result
    from desktop.reports.json import document
    from desktop.reports.loading import report_data

    data = report_data(context.paths.journal, arguments.run, context.now(), choice_of(arguments))
    if arguments.json:
        context.terminal.document(DOCUMENT.stamped(document(data)))
    else:
        print_result(data, context.terminal)
    return Exit.DONE


DOCUMENT = JsonDocument("packbench-report/1", report_fields())

COMMAND = Command(
    "show",
    "Tells what a run found: the answer, the models, what limits it.",
    describe,
    run,
    ("packbench show last",),
    documents=(DOCUMENT,),
)
