"""`packbench mock-endpoint [PACK]`: a scripted model server on this computer."""

from __future__ import annotations

import argparse

from desktop.cli.command import Command, add_pack, at_least
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.packs import find_pack


def describe(parser: argparse.ArgumentParser) -> None:
    add_pack(parser, "the pack whose cases it knows; without one it echoes at once")
    parser.add_argument(
        "--port", type=at_least(0), default=8765, metavar="N", help="0 for any free one (%(default)s)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.runs.qualification.mock_endpoint import mock_endpoint
    from desktop.runs.qualification.mock_script import MODELS
    from packs.qualification.loader import require_pack

    given = arguments.pack or arguments.pack_option
    pack = require_pack(find_pack(given).folder) if given else None
    with mock_endpoint(pack, port=arguments.port) as server:
        context.terminal.line(f"Listening at {server.address} (Ctrl-C ends it).")
        if pack is not None:
            context.terminal.line(f"Models: {', '.join(MODELS)}; any other id answers rightly.")
        try:
            server.wait()
        except KeyboardInterrupt:
            context.terminal.note(f"Ended after {server.requests} requests.")
    return Exit.DONE


COMMAND = Command(
    "mock-endpoint",
    "Plays models of known quality for a qualification pack, on this computer alone, so that a whole\n"
    "qualification can be tried without a model.",
    describe,
    run,
    ("packbench mock-endpoint housing-routing --port 8765",),
)
