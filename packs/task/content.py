"""A pack while it is edited: the bytes of its files, the values in them, and changes that can be taken back.

A pack that cannot be used can still be edited: whatever can be read is offered, the rest stays as it is. A
change holds the bytes before and after, so that taking back every change gives the very bytes of the start.
"""

from __future__ import annotations

import copy
from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packs.documents.files import DiskFiles, FileTrouble, NotUtf8, PackFiles, clean_path, decode
from packs.documents.problems import FieldPath, dotted
from packs.documents.strict_json import JsonFault, parse
from packs.documents.writer import json_bytes, manifest_bytes, text_bytes
from packs.documents.yaml_tree import YamlFault, parse_yaml
from packs.errors import AppError
from packs.task.model import MANIFEST
from packs.task.review import REVIEW_FILE
from packs.task.scorers import Scorer, scorer_named

DEFAULT_PROMPT = "prompt.md"
DEFAULT_EXAMPLES = "examples"
_LIMIT = 64 * 2**20
_MANY = 100
_TEXT: FieldPath = ()
"""The one place in a prompt file: its whole text."""


class UnreadableContent(Exception):
    """A file has no tree of values: absent, not UTF-8, not YAML or JSON. It can still be edited as text."""


@dataclass(frozen=True, slots=True)
class Change:
    """label: what it does, as 'Undo: …' shows it. before, after: bytes by file; None where there is no file.

    place: (file, path) of a changed value, so that typing a word can become one step; None for others.
    """

    label: str
    before: Mapping[str, bytes | None]
    after: Mapping[str, bytes | None]
    place: tuple[str, FieldPath] | None = None

    def then(self, later: Change) -> Change:
        """Both in one, for changes of the same files one after the other."""
        return Change(self.label, self.before, later.after, self.place)

    @property
    def is_nothing(self) -> bool:
        return self.before == self.after


def example_order(file: str) -> bytes:
    """The key by which example files are sorted."""
    return file.encode("utf-16-be", "surrogatepass")


class PackContent:
    """Files by path with `/`, relative to the pack folder. Only `apply` and `revert` change anything."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)
        self._trees: dict[str, tuple[bytes, Any]] = {}
        """What the bytes of a file say; kept for bytes that an undo brings back."""
        self._names: dict[str, str] = {}
        self._names_of: bytes | None = None
        self._examples: list[str] | None = None
        self._examples_of = ""

    @property
    def files(self) -> Mapping[str, bytes]:
        return self._files

    # What is there

    def scorer(self) -> tuple[type[Scorer] | None, Mapping[str, Any]]:
        """The pack's scorer and its parameters as written; None and none where they cannot be read."""
        try:
            manifest = self.manifest()
        except UnreadableContent:
            return None, {}
        params = manifest.get("scorer_params")
        return scorer_named(manifest.get("scorer")), params if isinstance(params, dict) else {}

    def manifest(self) -> dict[str, Any]:
        """task.yaml as plain data; empty when it is no mapping. Raises UnreadableContent."""
        tree = self.tree(MANIFEST)
        return tree if isinstance(tree, dict) else {}

    @property
    def prompt_file(self) -> str:
        """The prompt file that the manifest names, else the usual name."""
        return self._named("prompt_template", DEFAULT_PROMPT)

    @property
    def examples_folder(self) -> str:
        return self._named("examples_dir", DEFAULT_EXAMPLES)

    def example_files(self) -> Sequence[str]:
        """In the order that they are run: by file name, code unit by code unit (format, section 4).

        Kept up to date with every change, so that asking costs nothing.
        """
        folder = self.examples_folder
        if self._examples is None or folder != self._examples_of:
            self._examples_of = folder
            files = self._examples_now()
            # Plain names stand in that order as they are, which is several times as quick.
            files.sort(key=None if all(map(str.isascii, files)) else example_order)
            self._examples = files
        return self._examples

    def example_place(self, file: str) -> int | None:
        """Where an example stands in `example_files`; None when it is none."""
        files = self.example_files()
        place = bisect_left(files, example_order(file), key=example_order)
        return place if place < len(files) and files[place] == file else None

    def parse_examples(self) -> None:
        """Read every example once, for speed later; to be called where it may take a while."""
        for file in self.example_files():
            with suppress(UnreadableContent):
                self.tree(file)

    def _examples_now(self) -> list[str]:
        """In no order; in one go, as there may be 10,000."""
        prefix = f"{self._examples_of}/" if self._examples_of else ""
        last = len(prefix) - 1
        return [
            file
            for file in self._files
            if file.startswith(prefix) and file.endswith(".json") and file.rfind("/") == last
            if prefix or file != REVIEW_FILE
        ]

    def _is_example(self, path: str) -> bool:
        folder = self._examples_of
        prefix = f"{folder}/" if folder else ""
        own = path.startswith(prefix) and path.endswith(".json") and "/" not in path[len(prefix) :]
        return own and (bool(prefix) or path != REVIEW_FILE)

    def text(self, file: str) -> str:
        """A file as text, line ends as LF. Raises UnreadableContent."""
        content = self._files.get(file)
        if content is None:
            raise UnreadableContent(f"there is no {file}")
        try:
            return decode(content).removeprefix("\ufeff").replace("\r\n", "\n")
        except NotUtf8 as error:
            raise UnreadableContent(f"{file} is not UTF-8") from error

    def tree(self, file: str) -> Any:
        """A YAML or JSON file as plain data; a prompt as its text. Not to be changed.

        Raises UnreadableContent."""
        known = self._trees.get(file)
        if known is not None and known[0] is self._files.get(file):
            return known[1]
        tree = self._parse(file)
        self._trees[file] = (self._files[file], tree)
        return tree

    def take_parsed(self, other: PackContent) -> None:
        """What `other` has read is not read again, as far as the very same bytes are here."""
        self._trees.update(
            {name: known for name, known in other._trees.items() if known[0] is self._files.get(name)}
        )

    def value(self, file: str, path: FieldPath) -> Any:
        """The value at a path. Raises KeyError where there is none, Unreadable."""
        found: Any = self.tree(file)
        for part in path:
            in_list = isinstance(found, list) and isinstance(part, int) and 0 <= part < len(found)
            if not in_list and not (isinstance(found, dict) and part in found):
                raise KeyError(dotted(path))
            container: Any = found
            found = container[part]
        return found

    # Making changes

    def put(self, file: str, path: FieldPath, value: Any, label: str = "") -> Change:
        """A change that makes the value at `path` into `value`; missing mappings on the way are made.

        A list index equal to the list's length appends. Raises KeyError for a path that cannot be, Unreadable,
        AppError.
        """
        return self._with_tree(
            file, _with(self.tree(file), path, value), label or f"change {_reported(file, path)}", path
        )

    def drop(self, file: str, path: FieldPath, label: str = "") -> Change:
        """A change without the value at `path`. Raises KeyError, Unreadable, AppError."""
        self.value(file, path)
        tree = copy.deepcopy(self.tree(file))
        owner: Any = tree
        for part in path[:-1]:
            owner = owner[part]
        del owner[path[-1]]
        return self._with_tree(file, tree, label or f"remove {_reported(file, path)}", None)

    def put_text(self, file: str, text: str, label: str = "") -> Change:
        """A change of a whole file as text, in the line ends that it has."""
        after = text_bytes(self._files.get(file), text)
        return self._change(label or f"change {file}", {file: after}, (file, _TEXT))

    def put_files(self, files: Mapping[str, bytes | None], label: str) -> Change:
        """A change of whole files: bytes, or None to remove. Raises AppError for a path outside the pack."""
        folders: set[str] = set()
        for file in files:
            folder, _, name = file.rpartition("/")
            if file in self._files or (folder in folders and _is_plain(name)):
                continue
            try:
                clean = clean_path(file)
            except FileTrouble as trouble:
                raise AppError(trouble.message, trouble.fix, code="path_outside") from None
            if clean != file:
                raise AppError(
                    f"'{file}' is not a plain path inside the pack.", "Use a plain name.", code="bad_name"
                )
            if folder:
                folders.add(folder)
        return self._change(label, dict(files), None)

    # Doing and taking back

    def apply(self, change: Change) -> None:
        self._set(change.after)

    def revert(self, change: Change) -> None:
        self._set(change.before)

    def _set(self, files: Mapping[str, bytes | None]) -> None:
        if len(files) > _MANY:
            # Putting them in order once is quicker than one by one.
            self._examples = None
        for file, content in files.items():
            there = file in self._files
            if content is None:
                self._files.pop(file, None)
            else:
                self._files[file] = content
            if there != (content is not None):
                self._list(file, content is not None)

    def _list(self, file: str, there: bool) -> None:
        """Put a file into the list of examples, or take it out."""
        if self._examples is None or not self._is_example(file):
            return
        if there:
            insort(self._examples, file, key=example_order)
        else:
            self._examples.remove(file)

    def _change(
        self, label: str, after: dict[str, bytes | None], place: tuple[str, FieldPath] | None
    ) -> Change:
        return Change(label, {file: self._files.get(file) for file in after}, after, place)

    def _with_tree(self, file: str, tree: Any, label: str, path: FieldPath | None) -> Change:
        before = self._files.get(file)
        if file == MANIFEST:
            after = manifest_bytes(before, tree)
        elif file.endswith(".json"):
            after = json_bytes(before, tree, file)
        else:
            after = text_bytes(before, str(tree))
        return self._change(label, {file: after}, None if path is None else (file, path))

    def _parse(self, file: str) -> Any:
        text = self.text(file)
        try:
            if file == MANIFEST:
                return parse_yaml(text).value
            return parse(text) if file.endswith(".json") else text
        except (YamlFault, JsonFault) as error:
            raise UnreadableContent(str(error)) from error

    def _named(self, key: str, usual: str) -> str:
        manifest = self._files.get(MANIFEST)
        if self._names_of is not manifest:
            self._names, self._names_of = {}, manifest
        if key not in self._names:
            self._names[key] = self._read_name(key, usual)
        return self._names[key]

    def _read_name(self, key: str, usual: str) -> str:
        try:
            value = self.manifest().get(key)
            return clean_path(value) if isinstance(value, str) and value.strip() else usual
        except (UnreadableContent, FileTrouble):
            return usual


def _is_plain(name: str) -> bool:
    """Does it stay in a folder that is known to lie inside the pack?"""
    return name not in ("", ".", "..") and "\\" not in name and "\x00" not in name


def _with(tree: Any, path: FieldPath, value: Any) -> Any:
    """A copy of `tree` with `value` at `path`."""
    if not path:
        return value
    part, rest = path[0], path[1:]
    if isinstance(part, int):
        if not isinstance(tree, list) or not 0 <= part <= len(tree):
            raise KeyError(part)
        items = list(tree)
        if part == len(items):
            items.append(_with(None, rest, value))
        else:
            items[part] = _with(items[part], rest, value)
        return items
    if tree is None:
        tree = {}
    if not isinstance(tree, dict):
        raise KeyError(part)
    return {**tree, part: _with(tree.get(part), rest, value)}


def _reported(file: str, path: FieldPath) -> str:
    where = "" if file == MANIFEST else file.rsplit("/", 1)[-1]
    return " ".join(part for part in (dotted(path), "in" if where and path else "", where) if part)


def read_content(folder: Path, disk: PackFiles | None = None) -> PackContent:
    """Everything of a pack folder that the editor may touch: manifest, prompt, schema files, examples, review.

    What cannot be read is left out; validation tells why. Raises AppError when there is no task.yaml at all.
    disk: the folder's files where they have been read already.
    """
    disk = disk or DiskFiles(folder)
    files: dict[str, bytes] = {}
    _take(disk, MANIFEST, files)
    if MANIFEST not in files:
        raise AppError(
            f"There is no task pack in {folder}.", "Choose the folder that holds task.yaml.", code="no_pack"
        )
    content = PackContent(files)
    wanted = [content.prompt_file, REVIEW_FILE, *_schema_files(content)]
    folder_name = content.examples_folder
    try:
        names = disk.names(folder_name)
    except FileTrouble:
        names = []
    prefix = f"{folder_name}/" if folder_name else ""
    # Also 001.JSON, which is not read as an example: renaming it is a remedy.
    wanted += [f"{prefix}{name}" for name in names if name.lower().endswith((".json", ".jsonl"))]
    for file in wanted:
        _take(disk, file, files)
    return PackContent(files)


def _schema_files(content: PackContent) -> list[str]:
    try:
        manifest = content.manifest()
    except UnreadableContent:
        return []
    gates = manifest.get("gates")
    owners = [manifest, *(gates if isinstance(gates, list) else [])]
    found = []
    for owner in owners:
        params = owner.get("scorer_params") if isinstance(owner, dict) else None
        schema = params.get("schema") if isinstance(params, dict) else None
        if isinstance(schema, str):
            try:
                found.append(clean_path(schema))
            except FileTrouble:
                continue
    return found


def _take(disk: PackFiles, file: str, files: dict[str, bytes]) -> None:
    try:
        files[file] = disk.read(file, _LIMIT)
    except FileTrouble:
        return
