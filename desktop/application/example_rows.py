"""The examples of a document as rows: read once, changed one by one, 10,000 of them without a stall."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from packs.task.content import PackContent, UnreadableContent
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
    state = _state(name, review)
    try:
        tree = content.tree(file)
    except UnreadableContent:
        data = content.files.get(file, b"")[:SHOWN]
        return ExampleRow(file, name, data.decode("utf-8", "replace"), "", state, readable=False)
    if not isinstance(tree, dict):
        return ExampleRow(file, name, _shown(tree), "", state, readable=False)
    return ExampleRow(file, name, _shown(tree.get("input", "")), _shown(tree.get("expected", "")), state)


def _state(name: str, review: Review | None) -> str:
    if review is None or name not in review.examples:
        return ""
    return STATES[review.examples[name].state.value]


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:SHOWN]


def rows_of(content: PackContent, review: Review | None) -> list[ExampleRow]:
    """Of all examples, in the order of their files."""
    return [row_of(content, file, review) for file in content.example_files()]


_NO_ROW: tuple[None, None] = (None, None)


class RowReader:
    """Rows that are kept with the bytes they were read from: what is as it was is not read again.

    Those of removed files are kept as well, for an undo that brings them back.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes | None, ExampleRow]] = {}

    def learn(self, content: PackContent, rows: Iterable[ExampleRow]) -> None:
        """These were read from the files of `content` as they are now."""
        files = content.files
        self._known.update({row.file: (files.get(row.file), row) for row in rows})

    def row(self, content: PackContent, file: str, review: Review | None) -> ExampleRow:
        data, known = content.files.get(file), self._known.get(file)
        if known is not None and known[0] is data and known[1].state == _state(known[1].id, review):
            return known[1]
        row = row_of(content, file, review)
        self._known[file] = (data, row)
        return row

    def rows(self, content: PackContent, review: Review | None) -> list[ExampleRow]:
        """Of all examples, in the order of their files."""
        files, known, found = content.files, self._known, []
        for file in content.example_files():
            data, row = known.get(file, _NO_ROW)
            if row is None or data is not files[file] or (review is not None or row.state):
                row = self.row(content, file, review)
            found.append(row)
        return found


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
