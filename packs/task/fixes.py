"""Safe remedies for problems of a pack: one click, one step that can be taken back.

A remedy is offered only when it cannot destroy anything a person meant: a misspelt key gets its name, a
repeated example goes, a number in quotes becomes a text. Whatever needs a decision is left to the person.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from packs.documents.files import NotUtf8, decode
from packs.documents.problems import Problem
from packs.errors import AppError
from packs.registry import nearest
from packs.task.content import Change, PackContent, UnreadableContent
from packs.task.model import MANIFEST
from packs.task.new_pack import GENERATION
from packs.task.prompt import PLACEHOLDER, lookalikes
from packs.task.scorers import SCORERS
from packs.task.text import normalise


@dataclass(frozen=True, slots=True)
class Fix:
    """words: on the button or link ('Write {{input}}'). change: what it does."""

    message: str
    change: Change


def fix_for(problem: Problem, content: PackContent) -> Fix | None:
    """The safe remedy for a problem in `content` as it is now; None when there is none. Never raises."""
    make = _FIXES.get(problem.code)
    if make is None:
        return None
    try:
        fix = make(problem, content)
    except (UnreadableContent, AppError, KeyError, IndexError, TypeError, ValueError):
        return None
    if fix is None or fix.change.is_nothing:
        return None
    # Never one step with what was typed in the same place.
    return Fix(fix.message, replace(fix.change, place=None))


def fixable_codes() -> tuple[str, ...]:
    return tuple(_FIXES)


def _write_placeholder(problem: Problem, content: PackContent) -> Fix | None:
    text = content.text(problem.file)
    found = lookalikes(text)
    if found:
        piece, at = _nearest_to(found, text, problem.line)
        fixed = text[:at] + PLACEHOLDER + text[at + len(piece) :]
        message = f"Write {PLACEHOLDER}"
    elif PLACEHOLDER not in text:
        fixed = text.rstrip("\n") + f"\n\n{PLACEHOLDER}\n"
        message = f"Add {PLACEHOLDER} at the end"
    else:
        return None
    return Fix(message, content.put_text(problem.file, fixed, f"write {PLACEHOLDER}"))


def _nearest_to(found: list[tuple[str, int]], text: str, line: int | None) -> tuple[str, int]:
    wanted = line or 1
    return min(found, key=lambda entry: abs(text.count("\n", 0, entry[1]) + 1 - wanted))


def _rename_key(problem: Problem, content: PackContent) -> Fix | None:
    *parent, key = problem.path
    known = _KNOWN_KEYS.get(_kind_of(tuple(parent)))
    owner = content.value(problem.file, tuple(parent))
    if known is None:
        known = _scorer_params(content, tuple(parent))
    near = nearest(str(key), known)
    if near is None or near in owner:
        label = f"remove {key}"
        return Fix(f"Remove {_short(str(key))}", content.drop(problem.file, problem.path, label))
    renamed = {near if name == key else name: value for name, value in owner.items()}
    return Fix(f"Write {near}", content.put(problem.file, tuple(parent), renamed, f"rename {key} to {near}"))


def _kind_of(parent: tuple[str | int, ...]) -> str:
    match parent:
        case ():
            return "top"
        case ("generation",):
            return "generation"
        case ("provenance",):
            return "provenance"
        case ("gates", int()):
            return "gate"
    return "params"


_KNOWN_KEYS: Mapping[str, tuple[str, ...]] = {
    "top": (
        *("name", "type", "scorer", "scorer_params", "gates", "generation"),
        *("prompt_template", "examples_dir", "provenance"),
    ),
    "generation": (*GENERATION, "answer", "stop"),
    "provenance": ("source", "source_sha256", "drafted_by", "drafted_at", "reviewed"),
    "gate": ("scorer", "scorer_params"),
}


def _scorer_params(content: PackContent, parent: tuple[str | int, ...]) -> tuple[str, ...]:
    scorer = content.value(MANIFEST, (*parent[:-1], "scorer"))
    return tuple(SCORERS[scorer].Params.model_fields) if scorer in SCORERS else ()


def _near_scorer(problem: Problem, content: PackContent) -> Fix | None:
    near = nearest(str(content.value(problem.file, problem.path)), SCORERS.names)
    return Fix(f"Use {near}", content.put(problem.file, problem.path, near)) if near else None


def _quote(problem: Problem, content: PackContent) -> Fix | None:
    """A number, a date-like value or a boolean where a text is due."""
    value = content.value(problem.file, problem.path)
    if not isinstance(value, bool | int | float):
        return None
    text = _as_written(problem, content) or json.dumps(value)
    return Fix("Put it in quotes", content.put(problem.file, problem.path, text, f"quote {problem.subject}"))


def _as_written(problem: Problem, content: PackContent) -> str | None:
    """The characters in the file: `007` must not become `7`."""
    if problem.line is None or problem.column is None:
        return None
    lines = content.text(problem.file).split("\n")
    rest = lines[problem.line - 1][problem.column - 1 :]
    word = rest.split(" #")[0].split(",")[0].strip().rstrip("]}").strip()
    return word if word and word[0] not in "\"'&*!|>[{" and ": " not in word else None


def _number(problem: Problem, content: PackContent) -> Fix | None:
    """The usual value for a generation field that is absent or of another kind."""
    if len(problem.path) != 2 or problem.path[0] != "generation" or problem.path[1] not in GENERATION:
        return None
    usual = GENERATION[str(problem.path[1])]
    try:
        value = content.value(problem.file, problem.path)
    except KeyError:
        value = None
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return None
        usual = int(number) if number.is_integer() else number  # type: ignore[assignment]
    elif value is not None:
        return None
    return Fix(f"Write {usual}", content.put(problem.file, problem.path, usual))


def _mapping(problem: Problem, content: PackContent) -> Fix | None:
    """An explicit null where a mapping is due, or `generation` that is not there at all."""
    if problem.path == ("generation",):
        return Fix("Add the usual values", content.put(problem.file, problem.path, dict(GENERATION)))
    if content.value(problem.file, problem.path) is not None:
        return None
    return Fix("Remove the empty field", content.drop(problem.file, problem.path))


def _list(problem: Problem, content: PackContent) -> Fix | None:
    if content.value(problem.file, problem.path) is not None:
        return None
    return Fix("Remove the empty field", content.drop(problem.file, problem.path))


def _remove_example(problem: Problem, content: PackContent) -> Fix | None:
    name = problem.file.rsplit("/", 1)[-1]
    return Fix(f"Remove {name}", content.put_files({problem.file: None}, f"remove {name}"))


def _remove_stand_in(problem: Problem, content: PackContent) -> Fix | None:
    """Only when there are real examples beside it."""
    others = [file for file in content.example_files() if file != problem.file]
    real = [file for file in others if "replace_me" not in _keys(content, file)]
    return _remove_example(problem, content) if real else None


def _keys(content: PackContent, file: str) -> Mapping[str, Any]:
    try:
        tree = content.tree(file)
    except UnreadableContent:
        return {}
    return tree if isinstance(tree, dict) else {}


def _rename_example(problem: Problem, content: PackContent) -> Fix | None:
    """`001.JSON` or `001.json.txt` is not read; its content becomes a file that is."""
    name = problem.file.rsplit("/", 1)[-1]
    if not name.lower().endswith(".json") or problem.file not in content.files:
        return None
    target = problem.file[: -len(".json")] + ".json"
    if target in content.files:
        return None
    files = {problem.file: None, target: content.files[problem.file]}
    return Fix(f"Rename to {target.rsplit('/', 1)[-1]}", content.put_files(files, f"rename {name}"))


def _near_label(problem: Problem, content: PackContent) -> Fix | None:
    """An expected value that is nearly a label."""
    scorer, params = content.scorer()
    texts = scorer.labels(params) if scorer is not None else []
    value = content.value(problem.file, ("expected",))
    near = nearest(str(value), texts) if isinstance(value, str | int | float) else None
    if near is None:
        return None
    return Fix(f"Use “{_short(near)}”", content.put(problem.file, ("expected",), near))


def _add_fields(problem: Problem, content: PackContent) -> Fix | None:
    """Key fields that an expected object lacks, as null: nothing to find."""
    scorer, params = content.scorer()
    expected = content.value(problem.file, ("expected",))
    missing = [key for key in (scorer.fields(params) if scorer is not None else []) if key not in expected]
    if not missing:
        return None
    filled = {**expected, **dict.fromkeys(missing)}
    return Fix(f"Add {_short(', '.join(missing))} as null", content.put(problem.file, ("expected",), filled))


def _add_expected(problem: Problem, content: PackContent) -> Fix | None:
    """Where the scorer does not look at the expected value, an empty one will do."""
    scorer, _ = content.scorer()
    if scorer is None or scorer.uses_expected:
        return None
    return Fix("Add an empty one", content.put(problem.file, ("expected",), ""))


def _remove_label(problem: Problem, content: PackContent) -> Fix | None:
    """A label that is the same to the scorer as an earlier one, or blank."""
    labels = content.value(problem.file, problem.path[:-1])
    label = labels[problem.path[-1]]
    others = [entry for entry in labels if entry is not label]
    if not others:
        return None
    if problem.code == "labels_collapse" and normalise(label) not in [normalise(other) for other in others]:
        return None
    message = f"Remove “{_short(label)}”" if label.strip() else "Remove it"
    return Fix(message, content.drop(problem.file, problem.path, f"remove label {label}"))


def _remove_alias(problem: Problem, content: PackContent) -> Fix | None:
    alias = str(problem.path[-1])
    return Fix(f"Remove the alias “{_short(alias)}”", content.drop(problem.file, problem.path))


def _save_as_utf8(problem: Problem, content: PackContent) -> Fix | None:
    """Files from older programs: read as Windows-1252, which fits every byte that such files use."""
    data = content.files[problem.file]
    try:
        decode(data)
        return None
    except NotUtf8:
        pass
    if b"\0" in data:
        return None
    text = data.decode("windows-1252")
    return Fix("Save it as UTF-8", content.put_files({problem.file: text.encode()}, "save as UTF-8"))


def _short(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"


_FIXES: Mapping[str, Callable[[Problem, PackContent], Fix | None]] = {
    "no_placeholder": _write_placeholder,
    "placeholder_like": _write_placeholder,
    "unknown_key": _rename_key,
    "unknown_param": _rename_key,
    "unknown_scorer": _near_scorer,
    "text_required": _quote,
    "number_required": _number,
    "mapping_required": _mapping,
    "list_required": _list,
    "duplicate_input": _remove_example,
    "placeholder": _remove_stand_in,
    "example_ignored": _rename_example,
    "expected_unfit": _near_label,
    "expected_missing": _add_expected,
    "expected_lacks_field": _add_fields,
    "labels_collapse": _remove_label,
    "label_blank": _remove_label,
    "alias_shadows_label": _remove_alias,
    "not_utf8": _save_as_utf8,
}
