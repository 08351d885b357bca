"""`packbench mock-endpoint [PACK]`: a scripted model server on this computer."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from desktop.cli.command import Command, add_pack, at_least
from desktop.cli.context import Context
from desktop.cli.exits import Exit
from desktop.cli.packs import FoundPack, PackKind, find_pack
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.runs.qualification.mock_server import MockServer


def describe(parser: argparse.ArgumentParser) -> None:
    add_pack(parser, "the pack whose cases it knows; without one it echoes at once")
    parser.add_argument(
        "--port", type=at_least(0), default=8765, metavar="N", help="0 for any free one (%(default)s)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from desktop.runs.qualification.mock_endpoint import mock_endpoint

    given = arguments.pack or arguments.pack_option
    message: str | None = None
    if given is None:
        made = mock_endpoint(None, port=arguments.port)
    else:
        made, message = _of_pack(find_pack(given), arguments.port)
    with made as server:
        context.terminal.line(f"Listening at {server.address} (Ctrl-C ends it).")
        if message is not None:
            context.terminal.line(f"Models: {message}; any other id answers rightly.")
        try:
            server.wait()
        except KeyboardInterrupt:
            context.terminal.note(f"Ended after {server.requests} requests.")
    return Exit.DONE


def _of_pack(found: FoundPack, port: int) -> tuple[MockServer, str]:
    """The server for a pack of either kind, and its models in words."""
    from desktop.runs.mock_task import TASK_MODELS, TASK_MODELS_IN_TEXT, task_handler
    from desktop.runs.qualification.mock_endpoint import mock_endpoint
    from desktop.runs.qualification.mock_script import MODELS
    from desktop.runs.qualification.mock_server import MockServer
    from packs.qualification.loader import require_pack
    from packs.task.loader import load_pack

    if found.kind is PackKind.QUALIFICATION:
        return mock_endpoint(require_pack(found.folder), port=port), ", ".join(MODELS)
    loaded = load_pack(found.folder)
    if loaded.pack is None:
        raise AppError(
            f"{found.folder} cannot be played: it has problems.",
            "Run 'packbench validate' on it and mend what it lists.",
            code="pack_invalid",
        )
    return MockServer(task_handler(loaded.pack), models=TASK_MODELS, port=port), TASK_MODELS_IN_TEXT


COMMAND = Command(
    "mock-endpoint",
    "Plays models of known quality for a pack of either kind, on this computer alone, so that a whole\n"
    "qualification or run can be tried without a model. Run a task pack over it with\n"
    "'packbench run PACK --backend openai --endpoint http://127.0.0.1:8765'.",
    describe,
    run,
    ("packbench mock-endpoint housing-routing --port 8765", "packbench mock-endpoint ticket-routing"),
)
