"""The place of every value in a JSON text that is known to be valid. For problem places and for editing."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from packs.documents.problems import FieldPath

_TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+)', re.DOTALL)


@dataclass(slots=True)
class JsonNode:
    """start, end: code points, end excluded. members: key start, key and value of an object, in order."""

    kind: str
    start: int
    end: int
    members: list[tuple[int, str, JsonNode]] = field(default_factory=list)
    items: list[JsonNode] = field(default_factory=list)

    def child(self, part: str | int) -> JsonNode | None:
        if isinstance(part, int):
            return self.items[part] if self.kind == "list" and part < len(self.items) else None
        found = None
        for _, key, value in self.members:
            if key == part:
                found = value  # the last counts
        return found


def parse_tree(text: str) -> JsonNode:
    """Text must be strict JSON, nested no deeper than `strict_json.MAX_DEPTH`."""
    stack: list[JsonNode] = []
    pending_key: list[tuple[int, str] | None] = []
    root: JsonNode | None = None
    for match in _TOKEN.finditer(text):
        token, start = match[1], match.start(1)
        if token in ",:":
            continue
        if token in "]}":
            node = stack.pop()
            pending_key.pop()
            node.end = match.end(1)
            continue
        if stack and stack[-1].kind == "map" and pending_key[-1] is None:
            pending_key[-1] = (start, json.loads(token))
            continue
        node = JsonNode({"{": "map", "[": "list"}.get(token, "scalar"), start, match.end(1))
        if not stack:
            root = node
        elif stack[-1].kind == "list":
            stack[-1].items.append(node)
        else:
            key = pending_key[-1]
            assert key is not None
            stack[-1].members.append((*key, node))
            pending_key[-1] = None
        if token in "{[":
            stack.append(node)
            pending_key.append(None)
    assert root is not None
    return root


def node_at(root: JsonNode, path: FieldPath) -> JsonNode | None:
    node: JsonNode | None = root
    for part in path:
        node = node.child(part) if node is not None else None
    return node


def repeated_key(root: JsonNode) -> tuple[FieldPath, int] | None:
    """Path and place of the first key that stands twice in one object."""
    pending: list[tuple[FieldPath, JsonNode]] = [((), root)]
    while pending:
        path, node = pending.pop()
        seen: set[str] = set()
        for start, key, value in node.members:
            if key in seen:
                return (*path, key), start
            seen.add(key)
            pending.append(((*path, key), value))
        pending.extend(((*path, index), item) for index, item in enumerate(node.items))
    return None


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """From 1, in code points; CRLF counts as one line end."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
