"""Names that a person gives for reports: they must fit what is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from desktop.cli.command import UsageError

TO_OUTPUT = "-"


def check_name(out: str | None, suffixes: Sequence[str]) -> None:
    """Raises UsageError for a file's name that fits none of the formats, and for a folder that is none yet."""
    if out is None or out == TO_OUTPUT:
        return
    given = Path(out).expanduser()
    if given.is_dir():
        return
    one = len(suffixes) == 1
    if out.endswith(("/", os.sep)):
        if one:
            raise UsageError(f"There is no folder {out}.", f"Make it first, or name a file ({suffixes[0]}).")
    elif one and given.suffix.lower() != suffixes[0]:
        raise UsageError(
            f"The name {given.name} does not fit the report, whose files end in {suffixes[0]}.",
            f"Name it {given.stem or 'report'}{suffixes[0]}, or choose another --format.",
        )
    elif given.suffix and given.suffix.lower() not in suffixes:
        raise UsageError(
            f"The name {given.name} fits none of these reports ({', '.join(suffixes)}).",
            "Name a folder, or a file of one of the formats.",
        )
