"""Pieces of YAML text for edits in place: one value as it would stand after a key, a dash or in brackets."""

from __future__ import annotations

from typing import Any

from packs.documents.yaml_text import yaml_block, yaml_scalar


def scalar(value: Any, style: str = "") -> str:
    """One value on one line. style: quote sign of the text it replaces, kept where it can be."""
    if not isinstance(value, str) or not style:
        return yaml_scalar(value)
    if style == "'" and value.isprintable() and value.isascii():
        return "'" + value.replace("'", "''") + "'"
    written = yaml_scalar(value)
    return written if written.startswith('"') else f'"{written}"'


def flow(value: Any) -> str:
    """`[a, b]` or `{a: 1}` on one line; a single value as it is."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_scalar(str(key))}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return yaml_scalar(value)


def after_key(value: Any, indent: int) -> str:
    """What follows `key:` in a mapping indented by `indent`, with its line end."""
    if isinstance(value, dict | list) and value:
        return "\n" + yaml_block(value, indent + 2)
    return f" {flow(value)}\n"


def after_dash(value: Any, indent: int) -> str:
    """What follows `-` in a list indented by `indent`, with its line end."""
    if isinstance(value, dict | list) and value:
        return " " + yaml_block(value, indent + 2)[indent + 2 :]
    return f" {flow(value)}\n"


def same_data(left: Any, right: Any) -> bool:
    """Equal as data: true is not 1, 1 is 1.0, order of keys counts for nothing."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_data(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same_data(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and bool(left == right)
