"""Reading the example files of a pack (task-pack format, section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from packs.documents.files import FileTrouble, NotUtf8, PackFiles, decode
from packs.documents.json_tree import line_and_column, node_at, parse_tree, repeated_key
from packs.documents.problems import FieldPath, Problem, Severity
from packs.documents.strict_json import MAX_FILE_DEPTH, DuplicateKey, JsonFault, parse
from packs.task.model import Example
from packs.task.text import is_blank

MAX_GROUP_CHARACTERS = 200
"""Of the author's word for examples that stand for one."""
MAX_EXAMPLE_BYTES = 64 * 2**20
MAX_TOTAL_BYTES = 512 * 2**20
MAX_LOCATED = 1000
"""Problems for which the line is looked up; more are not listed anyway."""


@dataclass(frozen=True, slots=True)
class ReadExamples:
    """examples: the usable ones, in order. files: path to bytes of everything read.

    file_count: how many are named `.json`.
    """

    examples: tuple[Example, ...]
    paths: dict[str, str]
    """Example id to file."""
    files: dict[str, bytes]
    problems: tuple[Problem, ...]
    file_count: int


def read_examples(files: PackFiles, folder: str) -> ReadExamples:
    """All `.json` files of `folder`, which must be a clean path. Raises FileTrouble for the folder itself."""
    problems: list[Problem] = []
    names = []
    for name in files.names(folder):
        path = f"{folder}/{name}" if folder else name
        if name.endswith(".json"):
            names.append(name)
        elif name.lower().endswith((".json", ".jsonl")):
            problems.append(
                Problem(
                    path,
                    (),
                    "example_ignored",
                    f"'{name}' is not read: only names that end in '.json' in small letters are.",
                    "Rename it, one example a file.",
                    Severity.WARNING,
                )
            )
    problems.sort(key=lambda problem: problem.file)
    names.sort(key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    examples: list[Example] = []
    paths: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    left = MAX_TOTAL_BYTES
    for name in names:
        path = f"{folder}/{name}" if folder else name
        try:
            name.encode("utf-8")
        except UnicodeEncodeError:
            shown_name = path.encode("utf-8", "replace").decode()
            problems.append(
                Problem(
                    shown_name,
                    (),
                    "bad_file_name",
                    "The file name is not UTF-8.",
                    "Rename it in plain letters.",
                )
            )
            continue
        try:
            content = files.read(path, min(MAX_EXAMPLE_BYTES, left))
        except FileTrouble as trouble:
            code = {"outside": "path_outside", "too_large": "too_large"}.get(trouble.code, "json_syntax")
            problems.append(Problem(path, (), code, trouble.message, trouble.fix))
            if left < MAX_EXAMPLE_BYTES and trouble.code == "too_large":
                problems[-1] = _too_much(path)
                break
            continue
        left -= len(content)
        contents[path] = content
        example = _read_example(path, name.removesuffix(".json"), content, problems)
        if example is not None:
            examples.append(example)
            paths[example.id] = path
    return ReadExamples(tuple(examples), paths, contents, tuple(problems), len(names))


def example_problem(
    path: str,
    content: bytes,
    where: FieldPath,
    code: str,
    message: str,
    fix: str,
    severity: Severity,
    *,
    locate: bool = True,
) -> Problem:
    """A problem of a readable example file, with the place of the field unless `locate` is off."""
    line = column = None
    if locate and len(content) < 1_000_000:  # finding a place is not worth seconds
        text = content.decode("utf-8", "replace").removeprefix("\ufeff")
        node = node_at(parse_tree(text), where)
        line, column = line_and_column(text, node.start if node else 0)
    return Problem(path, where, code, message, fix, severity, line, column)


def _too_much(path: str) -> Problem:
    return Problem(
        path,
        (),
        "too_large",
        f"The examples together are larger than {MAX_TOTAL_BYTES / 2**20:g} MiB; this one and those after it "
        "are not read.",
        "Use fewer or shorter examples.",
    )


def _read_example(path: str, name: str, content: bytes, problems: list[Problem]) -> Example | None:
    try:
        text = decode(content)
    except NotUtf8 as error:
        code = "json_syntax" if error.utf16 else "not_utf8"
        problems.append(
            Problem(
                path,
                (),
                code,
                f"The file is not saved as UTF-8; it looks like {error.likely}.",
                "Save it as UTF-8.",
            )
        )
        return None
    try:
        value = parse(text, unique_keys=True, max_depth=MAX_FILE_DEPTH)
    except JsonFault as fault:
        problems.append(json_problem(path, text, fault, "json_syntax"))
        return None

    def add(where: FieldPath, code: str, message: str, fix: str) -> None:
        locate = len(problems) < MAX_LOCATED
        problems.append(
            example_problem(path, content, where, code, message, fix, Severity.ERROR, locate=locate)
        )

    if not isinstance(value, dict):
        add((), "not_object", "An example must be an object with input and expected.", _SHAPE)
        return None
    if "replace_me" in value:
        add(
            ("replace_me",),
            "placeholder",
            "This is still the stand-in that a new pack begins with.",
            "Write a real input and its expected value, then remove the line with replace_me.",
        )
        return None
    usable = True
    if not isinstance(value.get("input"), str) or is_blank(value["input"]):
        what = "is needed and is not there" if "input" not in value else "must be a text that is not blank"
        add(
            ("input",), "input_required", f"input {what}.", 'Write "input": "…" with what the model is to read.'
        )
        usable = False
    if "expected" not in value:
        add(
            ("expected",),
            "expected_missing",
            "expected is needed and is not there.",
            'Write "expected": … with the right answer.',
        )
        usable = False
    if not usable:
        return None
    for key in ("input", "expected"):
        if _has_half_character(value[key]):
            add(
                (key,),
                "broken_character",
                f"{key} holds half of a character, written as an escape such as \\ud83d.",
                "Write the character itself.",
            )
            return None
    group = value.get("group")
    if not isinstance(group, str) or _has_half_character(group):
        group = ""
    return Example(name, value["input"], value["expected"], group[:MAX_GROUP_CHARACTERS])


_SHAPE = 'Write {"input": "…", "expected": …}.'


def json_problem(path: str, text: str, fault: JsonFault, code: str, where: FieldPath = ()) -> Problem:
    """A fault of a JSON file as a problem, with line and column."""
    offset, fix = fault.offset, "Correct this place; it must be JSON."
    if isinstance(fault, DuplicateKey):
        repeated = repeated_key(parse_tree(text))
        code = "duplicate_key"
        fix = "Keep one of the two."
        if repeated is not None:
            where, offset = repeated
    line, column = line_and_column(text, offset)
    return Problem(path, where, code, fault.reason, fix, Severity.ERROR, line, column)


def has_infinity(value: object) -> bool:
    """Does a JSON value hold a number beyond the range of doubles?"""
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(has_infinity(child) for child in value.values())
    if isinstance(value, list):
        return any(has_infinity(child) for child in value)
    return False


def _has_half_character(value: Any) -> bool:
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return True
        return False
    if isinstance(value, dict):
        return any(_has_half_character(key) or _has_half_character(child) for key, child in value.items())
    if isinstance(value, list):
        return any(_has_half_character(child) for child in value)
    return False
