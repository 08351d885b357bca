"""Changing values in a JSON text and nothing else: order, blanks and line ends stay."""

from __future__ import annotations

import json
import re
from typing import Any

from packs.documents.json_tree import JsonNode, node_at, parse_tree
from packs.documents.problems import FieldPath
from packs.documents.strict_json import MAX_FILE_DEPTH, parse
from packs.documents.yaml_pieces import same_data


def edited_json(text: str, value: Any) -> str:
    """`text` with as little changed as needed so that it means `value` (plain data, finite numbers).

    Raises JsonFault when `text` is no strict JSON.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix("\ufeff")
    old = parse(body, unique_keys=True, max_depth=MAX_FILE_DEPTH)
    if same_data(old, value):
        return text
    return mark + _Editor(body).run(old, value)


def new_json(value: Any) -> str:
    """A new file: two blanks of indent, one line break at the end."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


class _Editor:
    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        found = re.search(r"\n([ \t]+)\S", text)
        self.indent = found[1] if found else ""
        self.ascii = re.search(r"\\u[0-9a-fA-F]{4}", text) is not None and text.isascii()

    def run(self, old: Any, new: Any) -> str:
        self._merge((), old, new)
        return self.text

    def _node(self, path: FieldPath) -> JsonNode:
        node = node_at(parse_tree(self.text), path)
        assert node is not None
        return node

    def _put(self, start: int, end: int, piece: str) -> None:
        self.text = self.text[:start] + piece + self.text[end:]

    def _write(self, value: Any, depth: int) -> str:
        if not isinstance(value, dict | list) or not value or not self.indent:
            separators = (", ", ": ") if ", " in self.text or ": " in self.text or self.indent else (",", ":")
            return json.dumps(value, ensure_ascii=self.ascii, allow_nan=False, separators=separators)
        written = json.dumps(value, ensure_ascii=self.ascii, allow_nan=False, indent=self.indent)
        return written.replace("\n", self.newline + self.indent * depth)

    def _merge(self, path: FieldPath, old: Any, new: Any) -> None:
        if same_data(old, new):
            return
        if isinstance(old, dict) and isinstance(new, dict) and old and new:
            gone = [key for key in old if key not in new]
            if len(gone) < len(old):
                for key in gone:
                    self._delete(path, list(self._member_spans(path))[self._place(path, key)][0])
                for key, value in new.items():
                    if key in old:
                        self._merge((*path, key), old[key], value)
                    else:
                        self._insert(path, f"{self._write(key, 0)}: {self._write(value, len(path) + 1)}")
                return
        elif isinstance(old, list) and isinstance(new, list) and old and new:
            common = min(len(old), len(new))
            for place in range(common):
                self._merge((*path, place), old[place], new[place])
            for place in range(len(old) - 1, common - 1, -1):
                self._delete(path, place)
            for value in new[common:]:
                self._insert(path, self._write(value, len(path) + 1))
            return
        node = self._node(path)
        self._put(node.start, node.end, self._write(new, len(path)))

    def _member_spans(self, path: FieldPath) -> list[tuple[int, int, int]]:
        """Place, start and end of each member or item."""
        node = self._node(path)
        if node.kind == "map":
            return [(place, start, value.end) for place, (start, _, value) in enumerate(node.members)]
        return [(place, item.start, item.end) for place, item in enumerate(node.items)]

    def _place(self, path: FieldPath, key: str) -> int:
        return [name for _, name, _ in self._node(path).members].index(key)

    def _delete(self, path: FieldPath, place: int) -> None:
        spans = self._member_spans(path)
        if place:
            self._put(spans[place - 1][2], spans[place][2], "")
        else:
            self._put(spans[0][1], spans[1][1], "")

    def _insert(self, path: FieldPath, piece: str) -> None:
        spans = self._member_spans(path)
        end = spans[-1][2]
        if len(spans) > 1:
            between = re.sub(r"[^\s,]", "", self.text[spans[-2][2] : spans[-1][1]])
        elif self.indent and "\n" in self.text[self._node(path).start : spans[0][1]]:
            between = f",{self.newline}{self.indent * (len(path) + 1)}"
        else:
            between = ", "
        self._put(end, end, between + piece)
