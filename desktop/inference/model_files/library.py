"""Every model found on this computer: by content, each once, with all its places. Nothing is copied."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.inference.model_files.file_card import CardCache, FileCard
from desktop.inference.model_files.gguf import split_parts
from desktop.inference.model_files.model_folders import ModelFolder
from desktop.inference.model_files.ollama_store import ollama_models
from packs.documents.regular_file import open_regular

OWN = "Packbench"
ADDED = "added by you"
OLLAMA = "Ollama"
MAX_DEPTH = 5
"""LM Studio: publisher/model/file; Hugging Face: models--…/snapshots/revision/file; Jan: one more."""
MAX_MODELS = 2_000
_MAX_ENTRIES = 50_000
_BLOCK = 1 << 20
_BLOB = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ModelLocation:
    """owner: whose folder. name: as the owner calls the model there."""

    owner: str
    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class FoundModel:
    """card: of the first place. digest: 'sha256:…' of the content where it is known without reading it all."""

    card: FileCard
    places: tuple[ModelLocation, ...]
    digest: str | None = None

    @property
    def name(self) -> str:
        return self.places[0].name


@dataclass(frozen=True, slots=True)
class LibrarySource:
    """A folder or a single file that is looked into. by_person: may be taken off the list again."""

    owner: str
    path: Path
    is_there: bool
    by_user: bool


@dataclass(frozen=True, slots=True)
class Library:
    """Where to look. folders: in order of preference, the program's own first; files: added one by one."""

    folders: tuple[ModelFolder, ...]
    files: tuple[Path, ...] = ()
    ollama: tuple[Path, ...] = ()

    def scan(
        self,
        cache: CardCache,
        *,
        on_found: Callable[[FoundModel], None] | None = None,
        raise_if_cancelled: Callable[[], None] = lambda: None,
    ) -> tuple[FoundModel, ...]:
        """Reads headers only. The same file through several links is one model with several places.

        on_found: told of each as soon as its header is read. Broken files are in the list with their problem.
        """
        by_file: dict[tuple[int, int] | Path, FoundModel] = {}
        for place, digest in self._places():
            raise_if_cancelled()
            key = _identity(place.path)
            known = by_file.get(key)
            if known is not None:
                if all(place.path != other.path for other in known.places):
                    by_file[key] = replace(known, places=(*known.places, place))
                continue
            card = cache.card(place.path)
            if place.owner == OLLAMA:
                # The file is named by its digest; the name people know is Ollama's.
                card = replace(card, title=place.name, family=place.name.partition(":")[0])
            model = FoundModel(
                card, (place,), digest or _digest_by_name(place.path) or cache.digest(place.path)
            )
            by_file[key] = model
            if on_found is not None:
                on_found(model)
            if len(by_file) >= MAX_MODELS:
                break
        return tuple(by_file.values())

    def sources(self) -> tuple[LibrarySource, ...]:
        """Every place that `scan` looks into, also those that are not there now."""
        files = [LibrarySource(ADDED, file, file.is_file(), True) for file in self.files]
        folders = [
            LibrarySource(folder.owner, folder.path, folder.path.is_dir(), folder.owner == ADDED)
            for folder in self.folders
        ]
        stores = [LibrarySource(OLLAMA, store, store.is_dir(), False) for store in self.ollama]
        return (*files, *folders, *stores)

    def _places(self) -> Iterator[tuple[ModelLocation, str | None]]:
        for file in self.files:
            first = split_parts(file)[0]
            yield ModelLocation(ADDED, first.absolute(), _name(first)), None
        for folder in self.folders:
            for file in _gguf_below(folder.path):
                yield ModelLocation(folder.owner, file, _name(file)), None
        for store in self.ollama:
            for model in ollama_models(store):
                yield ModelLocation(OLLAMA, model.path, model.name), model.digest


def unread_twins(models: Sequence[FoundModel], cache: CardCache) -> bool:
    """Would `merge_duplicates` have to read whole files?"""
    by_size: dict[int, list[FoundModel]] = {}
    for model in models:
        if not model.card.problem and model.card.size_bytes:
            by_size.setdefault(model.card.size_bytes, []).append(model)
    return any(
        len(group) > 1 and any(not (model.digest or cache.digest(model.card.path)) for model in group)
        for group in by_size.values()
    )


def merge_duplicates(
    models: Sequence[FoundModel], cache: CardCache, *, raise_if_cancelled: Callable[[], None] = lambda: None
) -> tuple[FoundModel, ...]:
    """The list with equal contents as one model. Files of equal size are read whole, once: may take minutes.

    A file that cannot be read to its end stays on its own.
    """
    by_size: dict[int, list[FoundModel]] = {}
    for model in models:
        by_size.setdefault(model.card.size_bytes, []).append(model)
    merged: list[FoundModel] = []
    for model in models:
        group = by_size[model.card.size_bytes]
        if len(group) == 1 or model.card.problem or model.card.size_bytes == 0:
            merged.append(model)
            continue
        digest = model.digest or _content_digest(model.card.path, cache, raise_if_cancelled)
        twin = next((i for i, other in enumerate(merged) if digest and other.digest == digest), None)
        if twin is None:
            merged.append(replace(model, digest=digest))
        else:
            merged[twin] = replace(merged[twin], places=(*merged[twin].places, *model.places))
    cache.save()
    return tuple(merged)


def content_digest(path: Path, raise_if_cancelled: Callable[[], None] = lambda: None) -> str:
    """'sha256:…' over all parts of a model one after the other. Raises OSError."""
    digest = hashlib.sha256()
    for part in split_parts(path):
        with open_regular(part) as file:
            while block := file.read(_BLOCK):
                raise_if_cancelled()
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _content_digest(path: Path, cache: CardCache, raise_if_cancelled: Callable[[], None]) -> str | None:
    known = cache.digest(path)
    if known is None:
        try:
            known = content_digest(path, raise_if_cancelled)
        except OSError:
            return None
        cache.keep_digest(path, known)
    return known


def _gguf_below(folder: Path) -> Iterable[Path]:
    """Files that end in .gguf, split models by their first part; links to folders are not followed."""
    entries = 0
    depth = len(folder.parts)
    for base, names, files in os.walk(folder):
        names.sort()
        if len(Path(base).parts) - depth >= MAX_DEPTH:
            names.clear()
        entries += len(names) + len(files)
        if entries > _MAX_ENTRIES:
            return
        for name in sorted(files):
            if not name.lower().endswith(".gguf"):
                continue
            file = Path(base) / name
            parts = split_parts(file)
            if file == parts[0] or (not parts[0].is_file() and file == _first_there(parts)):
                yield file


def _first_there(parts: tuple[Path, ...]) -> Path | None:
    """A split model whose first part is missing is shown by the first that is there."""
    return next((part for part in parts if part.is_file()), None)


def _identity(path: Path) -> tuple[int, int] | Path:
    """The same for all links to one file."""
    try:
        status = path.stat()
    except OSError:
        return path
    return (status.st_dev, status.st_ino) if status.st_ino else path


def _digest_by_name(path: Path) -> str | None:
    """The Hugging Face cache names large files by their SHA-256; links lead there."""
    try:
        target = path.resolve()
    except OSError:
        return None
    if target.parent.name == "blobs" and _BLOB.fullmatch(target.name):
        return f"sha256:{target.name}"
    return None


def _name(path: Path) -> str:
    name = re.sub(r"-\d{5}-of-\d{5}(?=\.gguf$)", "", path.name, flags=re.IGNORECASE)
    return re.sub(r"\.gguf$", "", name, flags=re.IGNORECASE)
