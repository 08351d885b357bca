"""Changing values in a YAML text and nothing else: comments, order, quotes and line ends stay.

Each change is made on the text by the place of the value in it, and the text is read again before the next one.
Whatever cannot be changed in place (a value with an anchor, two nodes on one dash) is written anew together
with its parent; the result is always checked to read back as the wanted value.
"""

from __future__ import annotations

import difflib
import json
from typing import Any

from packs.documents.line_ends import with_line_ends
from packs.documents.problems import FieldPath
from packs.documents.yaml_pieces import after_dash, after_key, flow, same_data, scalar
from packs.documents.yaml_text import yaml_block
from packs.documents.yaml_tree import Document, Node, YamlFault, key_text, parse_yaml


class _CannotEdit(Exception):
    pass


def edited_yaml(text: str, value: dict[str, Any]) -> str:
    """`text` with as little changed as needed so that it means `value`.

    value: plain data without infinite numbers. Raises YamlFault when `text` is no YAML. An empty text is
    written whole.
    """
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    body = text.removeprefix("\ufeff").replace("\r\n", "\n")
    old = parse_yaml(body).value
    if same_data(old, value):
        return text
    try:
        result = _merge(body, (), old, value)
        if not same_data(parse_yaml(result).value, value):
            raise _CannotEdit
    except (_CannotEdit, YamlFault):
        result = _leading_comment(body) + yaml_block(value)
    return mark + with_line_ends(result, text.removeprefix("\ufeff"))


def _leading_comment(text: str) -> str:
    lines = text.split("\n")
    kept = 0
    while kept < len(lines) - 1 and (not lines[kept].strip() or lines[kept].startswith("#")):
        kept += 1
    return "".join(f"{line}\n" for line in lines[:kept])


def _merge(text: str, path: FieldPath, old: Any, new: Any) -> str:
    """Makes the value at `path` into `new`, in the smallest steps that work."""
    if same_data(old, new):
        return text
    try:
        if isinstance(old, dict) and isinstance(new, dict) and old and new:
            result = _merge_map(text, path, old, new)
        elif isinstance(old, list) and isinstance(new, list) and old and new:
            result = _merge_list(text, path, old, new)
        else:
            result = _replace(text, path, new)
        if _means(result, path, new):
            return result
    except (_CannotEdit, YamlFault):
        pass
    if not path:
        raise _CannotEdit
    result = _replace(text, path, new)
    if not _means(result, path, new):
        raise _CannotEdit
    return result


def _means(text: str, path: FieldPath, value: Any) -> bool:
    found = parse_yaml(text).value
    for part in path:
        try:
            found = found[part]
        except (KeyError, IndexError, TypeError):
            return False
    return same_data(found, value)


def _merge_map(text: str, path: FieldPath, old: dict[str, Any], new: dict[str, Any]) -> str:
    renamed = _renamed(old, new)
    if renamed is not None:
        before, after = renamed
        _, node = _find(text, path)
        key_node = node.key(before)
        if key_node is None:
            raise _CannotEdit
        text = text[: key_node.start] + scalar(after, key_node.style) + text[key_node.end :]
        old = {after if key == before else key: value for key, value in old.items()}
    for key in old:
        if key not in new:
            text = _delete(text, (*path, key))
    previous: str | None = None
    for key, value in new.items():
        if key in old:
            text = _merge(text, (*path, key), old[key], value)
        else:
            text = _insert_key(text, path, key, value, previous)
        previous = key
    return text


def _renamed(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, str] | None:
    """The one key that has another name now and is otherwise the same, at the same place."""
    pairs = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
    if len(old) != len(new) or len(pairs) != 1 or not same_data(old[pairs[0][0]], new[pairs[0][1]]):
        return None
    return pairs[0]


def _merge_list(text: str, path: FieldPath, old: list[Any], new: list[Any]) -> str:
    """Items that stay keep their lines; from the end to the beginning, so that places stay valid."""
    steps = difflib.SequenceMatcher(None, _message(old), _message(new), autojunk=False).get_opcodes()
    for kind, first, last, start, stop in reversed(steps):
        if kind == "equal":
            continue
        common = min(last - first, stop - start)
        for place in range(last - 1, first + common - 1, -1):
            text = _delete(text, (*path, place))
        for offset in range(stop - start - 1, common - 1, -1):
            text = _insert_item(text, path, first + common, new[start + offset])
        for offset in range(common):
            text = _merge(text, (*path, first + offset), old[first + offset], new[start + offset])
    return text


def _message(items: list[Any]) -> list[str]:
    return [json.dumps(item, sort_keys=True, default=str) for item in items]


def _find(text: str, path: FieldPath) -> tuple[Document, Node]:
    document = parse_yaml(text)
    node = document.node(path)
    if node is None:
        raise _CannotEdit
    for length in range(len(path) + 1):
        above = document.node(path[:length])
        if above is None or above.alias:
            raise _CannotEdit  # changing it would change another place as well
    return document, node


def _in_flow(document: Document, path: FieldPath) -> bool:
    """Does the value at `path` stand inside brackets?"""
    nodes = (document.node(path[:length]) for length in range(len(path)))
    return any(node is not None and node.flow for node in nodes)


def _end(node: Node) -> int:
    """Where the text of a node really ends; the parser counts what follows a block to it."""
    if node.kind == "scalar" or node.flow or node.alias:
        return node.end
    children = node.items if node.kind == "list" else [value for _, value in node.pairs]
    last = children[-1] if children else None
    if last is None:
        return node.end
    return max(_end(last), node.pairs[-1][0].end + 1 if node.kind == "map" else 0)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Behind the line break that ends the line of `at`; a block text ends at the start of a line already."""
    if at > 0 and text[at - 1] == "\n":
        return at
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _replace(text: str, path: FieldPath, value: Any) -> str:
    if not path:
        raise _CannotEdit
    document, node = _find(text, path)
    start, end = node.start, _end(node)
    is_block_text = node.kind == "scalar" and node.style in ("|", ">")
    if isinstance(value, dict | list) or node.kind != "scalar" or is_block_text:
        if _in_flow(document, path) or (node.flow and isinstance(value, list)):
            return text[:start] + flow(value) + text[end:]
        return _replace_block(text, document, path, node, value)
    token = scalar(value, node.style)
    if _in_flow(document, path) and token == value:
        token = flow(value)
    lead = " " if start == end and text[start - 1 : start] != " " else ""
    return text[:start] + lead + token + text[end:]


def _replace_block(text: str, document: Document, path: FieldPath, node: Node, value: Any) -> str:
    """A whole value below its key or dash, written anew."""
    parent = document.node(path[:-1])
    assert parent is not None
    after = _end(node)
    tail = text[after : _line_end(text, after)]
    comment = tail.strip()
    if isinstance(path[-1], int):
        dash = text.rfind("-", 0, node.start)
        indent = dash - _line_start(text, dash)
        written, begin = after_dash(value, indent), dash + 1
    else:
        key = parent.key(path[-1])
        if key is None:
            raise _CannotEdit
        begin = text.index(":", key.end) + 1
        written = after_key(value, key.column - 1)
    if comment.startswith("#") and written.count("\n") == 1:
        written = f"{written.rstrip()}  {comment}\n"
    return text[:begin] + written + text[_line_end(text, after) :]


def _insert_key(text: str, path: FieldPath, key: str, value: Any, previous: str | None) -> str:
    """After the key `previous`; at the end of the mapping when there is none before it."""
    _, node = _find(text, path)
    if node.kind != "map" or not node.pairs:
        raise _CannotEdit
    neighbour = next((pair for pair in node.pairs if key_text(pair[0]) == previous), node.pairs[-1])
    last = max(_end(neighbour[1]), neighbour[0].end + 1)
    if node.flow:
        return f"{text[:last]}, {scalar(key)}: {flow(value)}{text[last:]}"
    indent = node.pairs[0][0].column - 1
    at = _line_end(text, last)
    lead = "" if at == 0 or text[at - 1] == "\n" else "\n"
    return f"{text[:at]}{lead}{' ' * indent}{scalar(key)}:{after_key(value, indent)}{text[at:]}"


def _insert_item(text: str, path: FieldPath, index: int, value: Any) -> str:
    _, node = _find(text, path)
    if node.kind != "list" or not node.items:
        raise _CannotEdit
    if node.flow:
        if index < len(node.items):
            at = node.items[index].start
            return f"{text[:at]}{flow(value)}, {text[at:]}"
        last = _end(node.items[-1])
        return f"{text[:last]}, {flow(value)}{text[last:]}"
    dash = text.rfind("-", 0, node.items[0].start)
    indent = dash - _line_start(text, dash)
    if text[_line_start(text, dash) : dash].strip():
        raise _CannotEdit
    at = _line_start(text, dash) if index == 0 else _line_end(text, _end(node.items[index - 1]))
    lead = "" if at == 0 or text[at - 1] == "\n" else "\n"
    return f"{text[:at]}{lead}{' ' * indent}-{after_dash(value, indent)}{text[at:]}"


def _delete(text: str, path: FieldPath) -> str:
    document, node = _find(text, path)
    parent = document.node(path[:-1])
    assert parent is not None
    if parent.flow:
        return _delete_in_flow(text, parent, path[-1])
    if isinstance(path[-1], int):
        start = text.rfind("-", 0, node.start)
    else:
        key = next((key for key, _ in parent.pairs if key_text(key) == path[-1]), None)
        if key is None:
            raise _CannotEdit
        start = key.start
    begin = _line_start(text, start)
    if text[begin:start].strip():
        raise _CannotEdit
    stop = max(_end(node), start + 1)
    if not isinstance(path[-1], int):
        stop = max(stop, text.index(":", start) + 1)
    return text[:begin] + text[_line_end(text, stop) :]


def _delete_in_flow(text: str, parent: Node, part: str | int) -> str:
    if parent.kind == "map":
        spans = [(key.start, _end(value), key_text(key)) for key, value in parent.pairs]
        place = next(index for index, span in enumerate(spans) if span[2] == part)
    else:
        spans = [(item.start, _end(item), "") for item in parent.items]
        place = int(part)
    if len(spans) == 1:
        raise _CannotEdit
    if place:
        return text[: spans[place - 1][1]] + text[spans[place][1] :]
    return text[: spans[0][0]] + text[spans[1][0] :]
