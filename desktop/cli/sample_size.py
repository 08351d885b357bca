"""`packbench sample-size`: how many cases a threshold needs."""

from __future__ import annotations

import argparse

from desktop.cli.command import Command, UsageError, add_json
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.json_documents import JsonDocument, fields
from packs import numbers


def describe(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("threshold", type=float, metavar="T", help="the share wanted, for example 0.95")
    parser.add_argument("--operator", default="gte", choices=("gte", "gt", "lte", "lt"), help="(%(default)s)")
    parser.add_argument("--rate", type=float, metavar="R", help="the true rate you expect, for example 0.98")
    parser.add_argument(
        "--chance", type=float, default=0.8, metavar="C", help="how sure the decision shall come (%(default)s)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    from packs.statistics.sample_size import cases_for_perfect, cases_needed

    for name in ("threshold", "rate"):
        value = getattr(arguments, name)
        if value is not None and not 0 <= value <= 1:
            raise UsageError(f"{value:g} is no share.", "Shares are from 0 to 1: 0.95 for 95 %.", code="usage")
    if not 0 < arguments.chance < 1:
        raise UsageError("--chance must be between 0 and 1.", "Write for example 0.8.", code="usage")
    perfect = cases_for_perfect(arguments.operator, arguments.threshold)
    expected = (
        cases_needed(arguments.operator, arguments.threshold, arguments.rate, arguments.chance)
        if arguments.rate is not None
        else None
    )
    out = context.terminal
    if arguments.json:
        out.document(DOCUMENT.stamped({"perfect": perfect, "expected": expected}))
        return Exit.DONE
    message = f"{arguments.operator} {arguments.threshold:g}"
    if perfect is None:
        out.paragraph(f"'{message}' cannot be met by any number of cases, even by a perfect model.")
        return Exit.DONE
    out.paragraph(f"'{message}' needs {numbers.count(perfect, 'case')} even from a perfect model.")
    if arguments.rate is not None:
        share, chance = numbers.percent(arguments.rate), numbers.whole_percent(arguments.chance)
        model = f"A model with a true rate of {share}"
        out.paragraph(
            f"{model} needs about {numbers.count(expected, 'case')} to meet it with a chance of {chance}."
            if expected is not None
            else f"{model} would not meet it with any number of cases worth collecting."
        )
    return Exit.DONE


DOCUMENT = JsonDocument(
    "packbench-sample-size/1",
    fields(
        ("perfect", "integer or null", "cases that even a perfect model needs; null when none suffice"),
        ("expected", "integer or null", "cases for the rate given; null without one, or when none suffice"),
    ),
)

COMMAND = Command(
    "sample-size",
    "Tells how many cases a threshold needs before a result can clear it with its 95 % interval.",
    describe,
    run,
    ("packbench sample-size 0.95", "packbench sample-size 0.9 --rate 0.95"),
    documents=(DOCUMENT,),
)
