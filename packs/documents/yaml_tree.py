"""YAML 1.2 core schema with the place of every value (task-pack format, section 2.1).

Events come from PyYAML's parser, tree and values are made here: dates and `yes` stay texts, a key that stands
twice is a fault, merge keys are plain keys, and what aliases expand to is counted before anything is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from packs.documents.problems import FieldPath

MAX_DEPTH = 60
MAX_NODES = 100_000
"""After expansion of aliases."""

_NULL = re.compile(r"~|null|Null|NULL|")
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INF = re.compile(r"([-+]?)\.(inf|Inf|INF)")
_NAN = re.compile(r"\.(nan|NaN|NAN)")
_CORE_TAG = "tag:yaml.org,2002:"


class YamlFault(ValueError):
    """The text is not one YAML document that can be used. line, column: from 1, or None."""

    def __init__(self, reason: str, fix: str, line: int | None, column: int | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.fix = fix
        self.line = line
        self.column = column


@dataclass(slots=True)
class Node:
    """One value and where it stands. start, end: code points; line, column: from 1.

    kind: 'scalar', 'list' or 'map'. value: of a scalar. items: of a list. pairs: key node and value node.
    plain: a scalar without quotes. style: the quote or block sign, empty when plain.
    """

    kind: str
    start: int
    end: int
    line: int
    column: int
    value: Any = None
    style: str = ""
    flow: bool = False
    items: list[Node] = field(default_factory=list)
    pairs: list[tuple[Node, Node]] = field(default_factory=list)
    alias: bool = False
    seen: set[str] = field(default_factory=set)
    """Keys so far, while the mapping is being read."""

    def child(self, part: str | int) -> Node | None:
        if self.kind == "map":
            return next((value for key, value in self.pairs if key_text(key) == part), None)
        if self.kind == "list" and isinstance(part, int) and 0 <= part < len(self.items):
            return self.items[part]
        return None

    def key(self, part: str | int) -> Node | None:
        if self.kind != "map":
            return None
        return next((key for key, _ in self.pairs if key_text(key) == part), None)


class Document:
    """A parsed document. `value` is plain data: dict, list, str, int, float, bool, None."""

    def __init__(self, root: Node | None) -> None:
        self.root = root
        self.value: Any = _plain(root) if root is not None else None

    def node(self, path: FieldPath) -> Node | None:
        node = self.root
        for part in path:
            node = node.child(part) if node is not None else None
        return node

    def place(self, path: FieldPath) -> tuple[int | None, int | None]:
        """Line and column of a value; of its nearest parent's key when it is absent."""
        for length in range(len(path), 0, -1):
            node = self.node(path[:length])
            if node is not None:
                parent = self.node(path[: length - 1])
                key = parent.key(path[length - 1]) if parent is not None else None
                there = node if length == len(path) or key is None else key
                return there.line, there.column
        return (self.root.line, self.root.column) if self.root is not None else (None, None)

    def key_place(self, path: FieldPath) -> tuple[int | None, int | None]:
        """Line and column of the key that ends `path`; of the value when it is no key."""
        parent = self.node(path[:-1])
        key = parent.key(path[-1]) if parent is not None and path else None
        return (key.line, key.column) if key is not None else self.place(path)


def parse_yaml(text: str) -> Document:
    """Raises YamlFault, nothing else, whatever the text."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        root = _Composer().run(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason, fix = _explain(str(error.problem or error.context or ""), _line_at(text, mark))
        raise YamlFault(
            reason, fix, mark.line + 1 if mark else None, mark.column + 1 if mark else None
        ) from None
    except yaml.reader.ReaderError as error:
        at = error.position if isinstance(error.position, int) else 0
        line = text.count("\n", 0, at) + 1
        raise YamlFault(
            "It holds a control character that YAML does not allow.", "Remove the character.", line, None
        ) from None
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise YamlFault("It holds half of a character.", "Write the character anew.", line, None) from None
    return Document(root)


def key_text(node: Node) -> str:
    """A key as text; `1: x` has the key '1', as in the format's own reading."""
    if isinstance(node.value, str):
        return node.value
    if node.value is None:
        return ""
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    if isinstance(node.value, float) and node.value.is_integer() and abs(node.value) < 1e21:
        return str(int(node.value))
    return str(node.value)


class _Composer:
    """Makes the tree from events, one after the other, so that no depth of nesting can exhaust the stack."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self._open: list[Node] = []
        self._keys: list[Node | None] = []  # the key that waits for its value, for each open node
        self._anchors: dict[str, Node] = {}
        self._sizes: dict[int, tuple[int, int]] = {}  # expanded size and height of finished nodes, by identity
        self._documents = 0

    def run(self, events: Any) -> Node | None:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                self._begin_document(event)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(event)
            elif isinstance(event, yaml.ScalarEvent):
                node = _node(event, "scalar")
                node.style = event.style or ""
                node.value = _scalar(event)
                self._sizes[id(node)] = 1, 1
                self._anchor(event, node)
                self._add(node)
            elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
                node = _node(event, "list" if isinstance(event, yaml.SequenceStartEvent) else "map")
                node.flow = bool(event.flow_style)
                if len(self._open) >= MAX_DEPTH:
                    raise _too_deep(node)
                self._anchor(event, node)
                self._open.append(node)
                self._keys.append(None)
            elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                node = self._open.pop()
                self._keys.pop()
                node.end = _end(event)
                self._measure(node)
                self._add(node)
        return self.root

    def _begin_document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            mark = event.start_mark
            raise YamlFault(
                "A second document begins here; only one is allowed.",
                "Remove the line '---' and what follows.",
                mark.line + 1,
                mark.column + 1,
            )

    def _alias(self, event: Any) -> None:
        mark = event.start_mark
        target = self._anchors.get(event.anchor)
        if target is None or id(target) not in self._sizes:
            raise YamlFault(
                f"'*{event.anchor}' refers to an anchor that is not there, or to itself.",
                f"Define it before with '&{event.anchor}', or put the text in quotes.",
                mark.line + 1,
                mark.column + 1,
            )
        node = _node(event, target.kind)
        node.value, node.items, node.pairs, node.alias = target.value, target.items, target.pairs, True
        self._sizes[id(node)] = self._sizes[id(target)]
        self._add(node)

    def _anchor(self, event: Any, node: Node) -> None:
        if event.anchor:
            self._anchors[event.anchor] = node

    def _add(self, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        key = self._keys[-1]
        if parent.kind == "list":
            parent.items.append(node)
        elif key is None:
            _check_key(parent, node)
            self._keys[-1] = node
        else:
            parent.pairs.append((key, node))
            self._keys[-1] = None

    def _measure(self, node: Node) -> None:
        inside = [self._sizes[id(child)] for child in (*node.items, *(value for _, value in node.pairs))]
        size = 1 + len(node.pairs) + sum(size for size, _ in inside)
        height = 1 + max((height for _, height in inside), default=0)
        self._sizes[id(node)] = size, height
        if size > MAX_NODES:
            raise YamlFault(
                "It expands to more values than a pack may hold.", "Use fewer aliases.", node.line, None
            )
        if height > MAX_DEPTH:
            raise _too_deep(node)


def _end(event: Any) -> int:
    return int(event.end_mark.index)


def _too_deep(node: Node) -> YamlFault:
    return YamlFault(
        f"It is nested more than {MAX_DEPTH} levels deep.", "Make it flatter.", node.line, node.column
    )


def _node(event: Any, kind: str) -> Node:
    start, end = event.start_mark, event.end_mark
    return Node(kind, start.index, end.index, start.line + 1, start.column + 1)


def _check_key(parent: Node, key: Node) -> None:
    if key.kind != "scalar":
        raise YamlFault(
            "A list or mapping stands where a key is needed.", "Use a text as key.", key.line, key.column
        )
    text = key_text(key)
    if text in parent.seen:
        raise YamlFault(
            f"The key '{text}' stands twice in the same mapping.", "Keep one of the two.", key.line, key.column
        )
    parent.seen.add(text)


def _scalar(event: Any) -> Any:
    text: str = event.value
    tag: str | None = event.tag
    if event.implicit[0] and tag is None:
        return _resolve(text)
    if (
        tag is not None
        and tag.startswith(_CORE_TAG)
        and tag[len(_CORE_TAG) :] in ("int", "float", "bool", "null")
    ):
        return _resolve(text)
    return text


def _in_range(value: int) -> int | float:
    """Infinite where no double can hold it, as a fraction of that size is: nothing can be computed with it."""
    try:
        float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return value


def _resolve(text: str) -> Any:
    """A plain scalar by the core schema."""
    if _NULL.fullmatch(text):
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    if _INT.fullmatch(text):
        return _in_range(int(text)) if len(text) < 400 else float(text)
    if _BASED.fullmatch(text):
        return _in_range(int(text[2:], 8 if text[1] == "o" else 16))
    if _FLOAT.fullmatch(text):
        return float(text)
    infinite = _INF.fullmatch(text)
    if infinite:
        return float(f"{infinite[1]}inf")
    if _NAN.fullmatch(text):
        return float("nan")
    return text


def _plain(node: Node) -> Any:
    if node.kind == "list":
        return [_plain(item) for item in node.items]
    if node.kind == "map":
        return {key_text(key): _plain(value) for key, value in node.pairs}
    return node.value


def _line_at(text: str, mark: Any) -> str:
    """The line of a mark, up to it and one sign more."""
    lines = text.split("\n")
    return lines[mark.line][: mark.column + 1] if mark is not None and mark.line < len(lines) else ""


def _explain(problem: str, line: str) -> tuple[str, str]:
    """The parser's own words in plain ones. line: the text up to the place of the fault."""
    if "\t" in line and not line.strip():
        return "A tab is used where only spaces are allowed.", "Indent with spaces."
    if "mapping values are not allowed" in problem and re.fullmatch(r"\s*[\w-]+:", line):
        return "This line does not fit the indentation of the lines above.", "Align it with its neighbours."
    if "mapping values are not allowed" in problem:
        return "A ':' stands inside a text that is not in quotes.", "Put the text in quotes."
    if "undefined alias" in problem:
        return (
            "A '*' at the beginning of a text refers to an anchor that is not there.",
            "Put the text in quotes.",
        )
    if "quoted scalar" in problem or "unexpected end of stream" in problem:
        return "A quote is opened and never closed.", "Add the closing quote."
    if "expected <block end>" in problem or "did not find expected '-'" in problem:
        return "This line does not fit the indentation of the lines above.", "Align it with its neighbours."
    if "',' or ']'" in problem or "expected ',' or '}'" in problem or "',' or '}'" in problem:
        return "A list or mapping in brackets is not closed, or a comma is missing.", "Close the bracket."
    if "did not find expected key" in problem:
        return (
            "Something follows here that does not belong to the value before it.",
            "Put the whole text in quotes; a single quote inside single quotes is written twice.",
        )
    if "could not find expected ':'" in problem:
        return "A key has no ':' after it.", "Write 'key: value', or put the text in quotes."
    if "cannot start any token" in problem:
        return "A text begins with a sign that has a meaning of its own in YAML.", "Put the text in quotes."
    return f"It is not readable as YAML: {problem}.", "Correct this line."
