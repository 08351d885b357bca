"""Reading YAML, JSON lines and text of a pack: bounded, with the place of every value.

YAML is read as YAML 1.1 by PyYAML's safe loader, because packs are interchangeable only that way
(qualification-pack format, section 2.1). A duplicate key keeps its later value and is reported apart.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from packs.canonical import JsonValue, canonical_bytes
from packs.documents.problems import FieldPath
from packs.documents.regular_file import open_regular

YAML_BYTES = 4 * 1024 * 1024
CORPUS_BYTES = 128 * 1024 * 1024
TEXT_BYTES = 8 * 1024 * 1024
CORPUS_LINES = 200_000
YAML_VALUES = 200_000
"""Values after aliases are expanded; a pack of a thousand tests has some ten thousand."""
DEPTH = 60
NUMBER_CHARACTERS = 1000
"""Of one number. Reading a longer one can take time that grows with the square of its length."""


_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


class UnreadableFile(Exception):
    """The file has no usable content. `message` and `fix` are for a person; line and column count from 1."""

    def __init__(
        self, message: str, fix: str, *, code: str, line: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.code = code
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Position:
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """One parsed file. `places` gives where a value starts, `keys` where its name stands."""

    value: JsonValue
    places: dict[FieldPath, Position] = field(default_factory=dict)
    keys: dict[FieldPath, Position] = field(default_factory=dict)
    duplicates: tuple[FieldPath, ...] = ()

    def place(self, path: FieldPath) -> Position | None:
        """Of the value, or of the nearest enclosing one that has a place."""
        for length in range(len(path), -1, -1):
            found = self.keys.get(path[:length]) or self.places.get(path[:length])
            if found is not None:
                return found
        return None


def read_bytes(file: Path, limit: int) -> bytes:
    """Raises FileNotFoundError, Unreadable (too large, not a file, no permission)."""
    if not file.exists():
        raise FileNotFoundError(file)
    if not file.is_file():
        raise UnreadableFile(
            "This is a folder or device, not a file.", "Give the path of a file.", code="not_a_file"
        )
    try:
        with open_regular(file) as stream:
            content = stream.read(limit + 1)
    except OSError as error:
        raise UnreadableFile(
            f"The file cannot be opened ({error.strerror}).", "Check its permissions.", code="cannot_open"
        ) from None
    if len(content) > limit:
        raise UnreadableFile(
            f"The file is larger than {limit // (1024 * 1024)} MiB.",
            "Split it or remove content.",
            code="too_large",
        )
    return content


def decode(content: bytes) -> str:
    """UTF-8 only. Raises UnreadableFile naming the line of the first byte that is not."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(
            f"The file is not UTF-8 text (byte {error.start + 1}).",
            "Save it as UTF-8 in your editor.",
            code="not_utf8",
            line=line,
        ) from None


def read_yaml(text: str) -> ParsedFile:
    """Raises UnreadableFile: no YAML, no content, not JSON-like, too deep, too many aliases."""
    try:
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                raise _empty()
            _measure(node)
            value: JsonValue = loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = " ".join(part for part in (error.context, error.problem) if part)
        raise UnreadableFile(
            f"This is not YAML: {message}.",
            "Check indentation, colons and quotes at this place.",
            code="not_yaml",
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
        ) from None
    except (yaml.YAMLError, ValueError, OverflowError, TypeError, AttributeError) as error:
        message = (str(error) or "unknown value").splitlines()[0]
        raise UnreadableFile(
            f"This is not YAML that can be used: {message}.",
            "Put unusual values between quotes.",
            code="not_yaml",
        ) from None
    except RecursionError:
        raise _too_deep() from None
    if value is None:
        raise _empty()
    document = ParsedFile(value, *_places(node))
    _require_json(document)
    return document


def read_json_line(line: str) -> tuple[JsonValue, tuple[str, ...]]:
    """The value of one line and the keys that occur twice in one object. Raises UnreadableFile."""
    twice: list[str] = []

    def pairs(items: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        found = dict(items)
        if len(found) != len(items):
            seen: set[str] = set()
            twice.extend(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return found

    def number(text: str) -> float:
        result = float(text)
        if not math.isfinite(result):
            raise ValueError(f"{text[:40]} is too large for a number")
        return result

    def whole(text: str) -> int:
        number(text)
        return int(text)

    def constant(text: str) -> float:
        raise ValueError(f"{text} is not a JSON number")

    try:
        value: JsonValue = json.loads(
            line, object_pairs_hook=pairs, parse_float=number, parse_int=whole, parse_constant=constant
        )
        if "\\u" in line:
            canonical_bytes(value)
    except json.JSONDecodeError as error:
        raise UnreadableFile(
            f"This line is not JSON: {_json_text(error.msg)}.",
            "Write one whole JSON object on one line.",
            code="not_json",
            column=error.colno,
        ) from None
    except UnicodeError:
        raise UnreadableFile(
            "A text holds half of a surrogate pair (\\ud8…), which is no character.",
            "Write the character itself or both halves.",
            code="half_character",
        ) from None
    except ValueError as error:
        raise UnreadableFile(
            f"This line is not JSON: {error}.", "Use plain numbers.", code="not_json"
        ) from None
    except RecursionError:
        raise _too_deep() from None
    return value, tuple(twice)


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """(line number from 1, line) of every line that is not blank.

    Split at every boundary `str.splitlines` knows, U+2028 inside a JSON text included, as the format says.
    """
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, line


def _json_text(message: str) -> str:
    return message[:1].lower() + message[1:]


def _empty() -> UnreadableFile:
    return UnreadableFile("The file has no content.", "Write its fields, or restore it.", code="empty")


def _too_deep() -> UnreadableFile:
    return UnreadableFile(
        f"Values are nested more than {DEPTH} levels deep.", "Flatten the structure.", code="too_deep"
    )


def _measure(root: yaml.Node) -> None:
    """Refuse deep, circular or exploding documents before anything is expanded."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node, depth: int) -> int:
        if depth > DEPTH:
            raise _too_deep()
        known = sizes.get(id(node))
        if known is not None:
            if known < 0:
                raise UnreadableFile(
                    "A value contains itself through an alias.", "Write the value out.", code="circular"
                )
            return known
        sizes[id(node)] = -1
        total = 1
        if isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS and len(node.value) > NUMBER_CHARACTERS:
            raise UnreadableFile(
                f"A number has more than {NUMBER_CHARACTERS:,} characters.",
                "Put it between quotes if it is a text.",
                code="not_json_like",
                line=node.start_mark.line + 1,
                column=node.start_mark.column + 1,
            )
        if isinstance(node, yaml.MappingNode):
            total += sum(size(key, depth + 1) + size(item, depth + 1) for key, item in node.value)
        elif isinstance(node, yaml.SequenceNode):
            total += sum(size(item, depth + 1) for item in node.value)
        if total > YAML_VALUES:
            raise UnreadableFile(
                f"The file holds more than {YAML_VALUES:,} values, aliases expanded.",
                "Remove aliases (*name) or split the file.",
                code="too_many_values",
            )
        sizes[id(node)] = total
        return total

    size(root, 0)


def _places(
    root: yaml.Node,
) -> tuple[dict[FieldPath, Position], dict[FieldPath, Position], tuple[FieldPath, ...]]:
    values: dict[FieldPath, Position] = {}
    keys: dict[FieldPath, Position] = {}
    twice: list[FieldPath] = []

    def mark(node: yaml.Node) -> Position:
        return Position(node.start_mark.line + 1, node.start_mark.column + 1)

    def walk(node: yaml.Node, path: FieldPath) -> None:
        values[path] = mark(node)
        if isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                walk(item, (*path, index))
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, item in node.value:
                if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                    continue
                here = (*path, key.value)
                if key.value in seen:
                    twice.append(here)
                seen.add(key.value)
                keys[here] = mark(key)
                walk(item, here)

    walk(root, ())
    return values, keys, tuple(twice)


def _require_json(document: ParsedFile) -> None:
    """Only text keys, finite numbers, no dates, sets or bytes. Raises UnreadableFile at the place."""

    def refuse(path: FieldPath, message: str, fix: str) -> UnreadableFile:
        place = document.place(path)
        return UnreadableFile(
            message,
            fix,
            code="not_json_like",
            line=place.line if place else None,
            column=place.column if place else None,
        )

    def walk(value: JsonValue, path: FieldPath) -> None:
        if value is None or isinstance(value, bool):
            return
        if isinstance(value, int):
            if value.bit_length() > 1023:
                raise refuse(path, "A number is larger than any computer's number.", "Write a smaller number.")
        elif isinstance(value, str):
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise refuse(
                    path, "A text holds half of a surrogate pair.", "Write the whole character."
                ) from None
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise refuse(path, f"{value} is not a usable number.", "Write a finite number.")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                walk(item, (*path, index))
        elif isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str):
                    raise refuse(path, f"The key {key!r} is not text.", f'Put it between quotes: "{key}".')
                walk(item, (*path, key))
        else:
            raise refuse(
                path,
                f"The value {value!s} is read as a {type(value).__name__}, not as text or a number.",
                "Put it between quotes.",
            )

    walk(document.value, ())
