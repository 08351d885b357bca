"""Words for faults of task.yaml, and a look for numbers that cannot be stored."""

from __future__ import annotations

import math

from packs.documents.problems import FieldPath
from packs.task.scorers import SCORERS

PURPOSE = {
    "name": "the pack's name, for example 'invoice-extraction'",
    "type": "the kind of task in one word, for example 'extraction'",
    "scorer": f"one of {', '.join(SCORERS.names)}",
    "prompt_template": "the path of the prompt file, for example './prompt.md'",
    "examples_dir": "the path of the folder with the examples, for example './examples'",
    "source": "the name of the document the pack was drafted from",
    "source_sha256": "the SHA-256 of that document",
    "drafted_by": "the model that drafted it",
    "drafted_at": "the date, for example 2026-11-30",
}
GENERATION_PURPOSE = {
    "context": "the context in tokens, for example 4096",
    "max_tokens": "the most tokens one answer may have, for example 512",
    "temperature": "0 for answers that repeat",
    "seed": "any whole number, for example 42",
    "runs_per_example": "how often each example is run, for example 1",
}


def kind_of(value: object) -> str:
    """'a list', 'a number', … in words."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "a yes-or-no value"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "a mapping"


def not_finite_in(value: object, path: FieldPath) -> FieldPath | None:
    """Path of the first number in a tree that is infinite or no number."""
    if isinstance(value, float) and not math.isfinite(value):
        return path
    children: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    for part, child in children:
        found = not_finite_in(child, (*path, part))
        if found is not None:
            return found
    return None
