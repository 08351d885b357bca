"""Where in one line of JSON a value starts. Used only once a fault has been found, so speed does not matter."""

from __future__ import annotations

import json

from packs.documents.problems import FieldPath


def column_of(text: str, path: FieldPath) -> int | None:
    """Column from 1 of the value at `path`, or of the nearest enclosing value that is there.

    None when `text` is not JSON.
    """
    decoder = json.JSONDecoder()
    try:
        start = _skip(text, 0)
        for step in path:
            found = _child(text, start, step, decoder)
            if found is None:
                break
            start = found
        return start + 1 if start < len(text) else None
    except (ValueError, IndexError, RecursionError):
        return None


def _skip(text: str, start: int) -> int:
    while start < len(text) and text[start] in " \t\r\n":
        start += 1
    return start


def _child(text: str, start: int, step: str | int, decoder: json.JSONDecoder) -> int | None:
    opening = text[start]
    if (opening == "{") != isinstance(step, str) or opening not in "{[":
        return None
    position = _skip(text, start + 1)
    index = 0
    while text[position] not in "}]":
        name: str | int = index
        if opening == "{":
            name, position = decoder.raw_decode(text, position)
            position = _skip(text, _skip(text, position) + 1)
        if name == step:
            return position
        _, position = decoder.raw_decode(text, position)
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
        index += 1
    return None
