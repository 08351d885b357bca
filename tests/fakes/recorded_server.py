"""A scripted server that answers from recorded bodies, chosen by method and path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.fakes.scripted_server import Asked, Reply, ScriptedServer, json_reply

FOLDER = Path(__file__).parents[1] / "fixtures" / "backends"


def recorded(name: str, status: int = 200) -> Reply:
    """The body in a fixture file, as the kind that its name ends in."""
    kinds = {".json": "application/json", ".jsonl": "application/x-ndjson", ".sse": "text/event-stream"}
    file = FOLDER / name
    return Reply((file.read_bytes(),), status, {"Content-Type": kinds[file.suffix]}, length=True)


def recorded_server(answers: Mapping[str, Reply | list[Reply]]) -> ScriptedServer:
    """answers: 'POST /api/generate' -> what is said; a list is used up one by one, the last one stays.
    Anything else is not found."""
    left = {key: list(value) if isinstance(value, list) else [value] for key, value in answers.items()}

    def handle(asked: Asked) -> Reply:
        replies = left.get(f"{asked.method} {asked.path}")
        if replies is None:
            return json_reply({"error": "not found"}, 404)
        return replies.pop(0) if len(replies) > 1 else replies[0]

    return ScriptedServer(handle)
