"""The examples of a document as rows: read once, changed one by one, 10,000 of them without a stall."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from packs.task.content import PackContent, Unreadable
from packs.task.review import Review

SHOWN = 300
"""Characters of a text that go into a cell."""
STATES = {
    "drafted": "not yet",
    "accepted": "accepted",
    "edited": "edited",
    "rejected": "rejected",
}


@dataclass(frozen=True, slots=True)
class ExampleRow:
    """expected: as text, JSON where it is no text. state: of the review, '' without one.

    readable: False when the file is no example yet; then `input` is its beginning.
    """

    file: str
    id: str
    input: str
    expected: str
    state: str = ""
    readable: bool = True


def row_of(content: PackContent, file: str, review: Review | None = None) -> ExampleRow:
    """Reads one example file; never raises."""
    name = file.rsplit("/", 1)[-1].removesuffix(".json")
    state = ""
    if review is not None and name in review.examples:
        state = STATES[review.examples[name].state.value]
    try:
        tree = content.tree(file)
    except Unreadable:
        data = content.files.get(file, b"")[:SHOWN]
        return ExampleRow(file, name, data.decode("utf-8", "replace"), "", state, readable=False)
    if not isinstance(tree, dict):
        return ExampleRow(file, name, _shown(tree), "", state, readable=False)
    return ExampleRow(file, name, _shown(tree.get("input", "")), _shown(tree.get("expected", "")), state)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:SHOWN]


def rows_of(content: PackContent, review: Review | None) -> list[ExampleRow]:
    """Of all examples, in the order of their files."""
    return [row_of(content, file, review) for file in content.example_files()]


def next_example_file(content: PackContent) -> str:
    """`examples/025.json` after 024; as wide as the others are."""
    folder = content.examples_folder
    stems = [file.rsplit("/", 1)[-1].removesuffix(".json") for file in content.example_files()]
    numbers = [int(stem) for stem in stems if stem.isascii() and stem.isdigit()]
    width = max([3, *(len(stem) for stem in stems if stem.isascii() and stem.isdigit())])
    number = max(numbers, default=0) + 1
    prefix = f"{folder}/" if folder else ""
    while f"{prefix}{number:0{width}d}.json" in content.files:
        number += 1
    return f"{prefix}{number:0{width}d}.json"
