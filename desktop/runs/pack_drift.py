"""What became another in a pack since a run began, in words: the person should not have to look for it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from desktop.inference.backends.base import JsonValue

MAX_NAMED = 4
_MANIFEST_PARTS = {
    "scorer": "the scorer",
    "params": "the scorer's settings",
    "gates": "the gates",
    "generation": "the generation settings",
}
_ELSEWHERE = "something in task.yaml, or only how a file is written"
"""The fingerprint takes every byte; the snapshot holds what is asked and how it is scored."""


def changed_parts(before: Mapping[str, JsonValue], now: Mapping[str, JsonValue]) -> str:
    """'prompt.md, example 007'. Both are snapshots of `Work`; '' when they tell no difference.

    Of the examples, those that the run uses are compared; files that came or went are named as well.
    """
    parts: list[str] = []
    if before.get("prompt") != now.get("prompt"):
        parts.append(str(now.get("prompt_path") or "the prompt"))
    parts += [
        message for key, message in _MANIFEST_PARTS.items() if _plain(before.get(key)) != _plain(now.get(key))
    ]
    old, new = _examples(before), _examples(now)
    parts += [f"example {name}" for name in old if name in new and _plain(old[name]) != _plain(new[name])]
    there, present = _files(before), _files(now)
    parts += [f"{file} is gone" for file in there if file not in present]
    parts += [f"{file} is new" for file in present if file not in there]
    if not parts and there and there == present:
        parts.append(_ELSEWHERE)
    if len(parts) > MAX_NAMED:
        parts = [*parts[:MAX_NAMED], f"and {len(parts) - MAX_NAMED} more"]
    return ", ".join(parts)


def _examples(snapshot: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    found = snapshot.get("examples")
    entries = found if isinstance(found, list) else []
    return {str(entry.get("id")): entry for entry in entries if isinstance(entry, dict)}


def _files(snapshot: Mapping[str, JsonValue]) -> list[str]:
    found = snapshot.get("files")
    return [str(file) for file in found] if isinstance(found, list) else []


def _plain(value: JsonValue) -> str:
    """As it is stored: one of the two comes from the journal, the other does not."""
    return json.dumps(value, sort_keys=True, default=str)
