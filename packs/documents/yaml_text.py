"""Writing plain values as YAML that every reader takes for the same value.

YAML 1.1 and 1.2 readers disagree on bare words such as `no`, `on`, `007`, `0o17`, `12:30` and `2026-01-02`: a
text is written without quotes only when no reader can take it for anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

# A letter first, then only signs that mean nothing in YAML, in any place.
_SAFE = re.compile(r"[A-Za-z](?:[A-Za-z0-9_./()+ -]*[A-Za-z0-9_./)+])?")
_TEXTS = frozenset({
    *("true", "false", "yes", "no", "on", "off", "y", "n", "null", "none", "nan", "inf"),
})  # fmt: skip
_PATH = re.compile(r"\.{1,2}/[A-Za-z0-9_./-]+")


def yaml_scalar(value: object) -> str:
    """A text, number, boolean or null on one line. Raises ValueError for NaN and infinities, TypeError else."""
    if isinstance(value, str):
        if (_SAFE.fullmatch(value) and value.casefold() not in _TEXTS) or _PATH.fullmatch(value):
            return value
        return _quoted(value)
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value, allow_nan=False)
    raise TypeError(f"not a scalar: {type(value).__name__}")


def yaml_block(value: object, indent: int = 0) -> str:
    """Mappings and lists in block form, two blanks a level, ending in a line end; scalars as `yaml_scalar`.

    indent: blanks before every line.
    """
    return "".join(f"{' ' * indent}{line}\n" for line in _lines(value))


def _lines(value: object) -> list[str]:
    if isinstance(value, Mapping):
        if not value:
            return ["{}"]
        lines: list[str] = []
        for key, entry in value.items():
            lines += _entry(f"{yaml_scalar(str(key))}:", entry, nested="  ")
        return lines
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            return ["[]"]
        lines = []
        for entry in value:
            inner = _lines(entry)
            lines += [f"- {inner[0]}", *(f"  {line}" for line in inner[1:])]
        return lines
    return [yaml_scalar(value)]


def _entry(head: str, value: object, nested: str) -> list[str]:
    inner = _lines(value)
    is_block = isinstance(value, Mapping | Sequence) and not isinstance(value, str) and bool(value)
    return [head, *(nested + line for line in inner)] if is_block else [f"{head} {inner[0]}"]


def _quoted(text: str) -> str:
    """Double quotes; JSON's escapes are all YAML's too, but for signs that YAML does not allow raw."""
    body = json.dumps(text, ensure_ascii=False)
    return re.sub(
        r"[\x7f-\x84\x86-\x9f\u2028\u2029\ufeff\ufffe\uffff\u0085]",
        lambda match: f"\\u{ord(match[0]):04x}",
        body,
    )
