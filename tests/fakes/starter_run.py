"""A pack run on the starter model by the program's own command, with its own engine."""

from __future__ import annotations

import io
import json
from pathlib import Path

from desktop.app import command_context
from desktop.cli.main import run_command_line
from desktop.cli.terminal import Terminal
from desktop.foundation.paths import user_paths


def answers_of_starter(folder: Path, model: Path, limit: int) -> int:
    """How many of `limit` examples of the pack were answered and scored. Fails the test when the run does."""
    out, err = io.StringIO(), io.StringIO()
    context = command_context(Terminal(out, err, {}), user_paths(), None)
    code = run_command_line(
        ("run", str(folder), "--model", str(model), "--limit", str(limit), "--json"), context
    )
    assert code == 0, err.getvalue()
    (candidate,) = json.loads(out.getvalue())["candidates"]
    assert candidate["status"] == "completed"
    return int(candidate["judged"])
