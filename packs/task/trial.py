"""Some examples of a pack being edited, made ready to be asked at once, whatever the others are like."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from packs.documents.problems import Severity
from packs.errors import AppError
from packs.task.content import PackContent, UnreadableContent
from packs.task.loader import load_pack_from_files
from packs.task.model import MANIFEST, TaskPack


@dataclass(frozen=True, slots=True)
class ExampleTrial:
    """pack: with the wanted examples alone. unknown: ids of those whose expected value is not known yet.

    whole: loads the pack as it would be run, None while it has errors. Takes as long as the pack is large.
    """

    pack: TaskPack
    unknown: frozenset[str]
    whole: Callable[[], TaskPack | None]


def is_unknown(content: PackContent, file: str) -> bool:
    """Has the example no expected value yet: none at all, an empty text, or fields that are all null?"""
    scorer, _ = content.scorer()
    if scorer is not None and not scorer.uses_expected:
        return False
    try:
        tree = content.tree(file)
    except UnreadableContent:
        return False
    if not isinstance(tree, dict):
        return False
    value = tree.get("expected")
    if isinstance(value, dict):
        return all(part is None for part in value.values())
    return value is None or value == ""


def trial_of(
    content: PackContent, files: Sequence[str], folder: Path | None = None, removed: Collection[str] = ()
) -> ExampleTrial:
    """Raises AppError with the first problem that keeps these examples from being asked.

    folder: where files that `content` does not name are looked up, but for those that are `removed`. Problems
    of other examples do not matter. An unknown expected value gets a stand-in, so that an answer can be had;
    what it scores then says nothing.
    """
    kept = {name: data for name, data in content.files.items() if not _is_example(content, name)}
    unknown = set()
    for file in files:
        data = content.files.get(file)
        if data is None:
            continue
        if is_unknown(content, file):
            unknown.add(file.rsplit("/", 1)[-1].removesuffix(".json"))
            data = json.dumps({**content.tree(file), "expected": _stand_in(content)}).encode()
        kept[file] = data
    hidden = [*removed, *(name for name in content.example_files() if name not in kept)]
    loaded = load_pack_from_files(kept, folder, hidden)
    if loaded.pack is None:
        first = next(problem for problem in loaded.problems if problem.severity is Severity.ERROR)
        raise AppError(f"It cannot be tried yet: {first.message}", first.fix, code=first.code)
    wanted = {file.rsplit("/", 1)[-1].removesuffix(".json") for file in files}
    if not wanted & {example.id for example in loaded.pack.examples}:
        raise AppError("There is no example to try.", "Add one first.", code="no_examples")
    files_now = dict(content.files)
    return ExampleTrial(
        loaded.pack,
        frozenset(unknown),
        lambda: load_pack_from_files(files_now, folder, tuple(removed)).pack,
    )


def _is_example(content: PackContent, file: str) -> bool:
    return file != MANIFEST and content.example_place(file) is not None


def _stand_in(content: PackContent) -> object:
    scorer, params = content.scorer()
    if scorer is None:
        return ""
    return next(iter(scorer.labels(params)), None) or scorer.blank(params)
