"""A step of an installation: one line on the screen, everything it says in a file. Standard library only."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"
SHOWN_LINES = 20
"""Of the log's end, when a step fails."""


def logged_step(
    title: str,
    command: Sequence[str],
    log_name: str,
    *,
    environment: Mapping[str, str] | None = None,
    logs: Path = LOGS,
) -> bool:
    """Say `title`, run `command` with all its output in `logs/log_name`.log; True when it ended with 0.

    `environment`: the whole of it, as for `subprocess.run`. When the command fails, the end of the log and
    where the file is are shown.
    """
    print(title, file=sys.stderr, flush=True)
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{log_name}.log"
    with log.open("wb") as stream:
        code = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=stream, stderr=subprocess.STDOUT, check=False
        ).returncode
    if code:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        print(*lines[-SHOWN_LINES:], sep="\n", file=sys.stderr)
        print(f"All it said: {log}", file=sys.stderr, flush=True)
    return code == 0
