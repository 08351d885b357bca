"""Shared by the tests over task/pack_validation.json: a case as a folder, and which problems are the same."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

BETTER_ON_PURPOSE = {
    "pk-036": "a byte order mark is stripped",
    "pk-038": "bytes that are not UTF-8 are refused",
    "pk-132": "the newer dialects are accepted",
    "pk-135": "a path that leaves the pack is refused",
    "pk-143": "a needless escape is accepted",
    "pk-156": "a key that stands twice is refused",
    "pk-159": "a byte order mark is stripped",
    "pk-160": "a backslash separates folders on every system",
}
"""Cases marked `quirk` where this program does better; test_loader.py says so one by one."""


def content_of(value: Any) -> bytes:
    return base64.b64decode(value["b64"]) if isinstance(value, dict) else value.encode()


def written(case: dict[str, Any], folder: Path) -> Path:
    """The case's files below `folder`, which is made even when there are none."""
    folder.mkdir(exist_ok=True)
    for path, value in case["files"].items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content_of(value))
    return folder


def matches(found: str, wanted: str, code: str) -> bool:
    """A fault of a parameter is told with its whole path; the vectors give the parameter's name alone."""
    if code != "param":
        return found == wanted
    tail = found.split("scorer_params.", 1)[-1]
    return tail == wanted or tail.startswith((f"{wanted}.", f"{wanted}["))
