"""GGUF files on this computer as models: where they lie, what they are called, and whether they can answer."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from desktop.inference.backends.base import ModelRef
from desktop.inference.model_files import starter_model
from desktop.inference.model_files.gguf import GgufFile, read_gguf, split_parts
from desktop.inference.model_files.gguf_cursor import GgufError
from desktop.inference.model_files.model_kind import KIND_TEXT, ModelKind, model_kind
from packs.documents.regular_file import open_regular

BACKEND = "embedded"
SUFFIX = ".gguf"
MAX_DEPTH = 4
MAX_FILES = 2000
_MAX_ENTRIES = 50_000
_BLOCK = 2**20


def find_model_files(folders: Iterable[Path], files: Iterable[Path] = ()) -> list[Path]:
    """GGUF files below the folders (four levels, links to files followed, links to folders not) and the named
    ones, each once, a split model by its first part. Unreadable folders are passed over. At most 2,000."""
    found: dict[Path, Path] = {}
    for file in (*_below(folders), *files):
        first = split_parts(file)[0]
        if first.is_file():
            found.setdefault(_identity(first), first.absolute())
        if len(found) >= MAX_FILES:
            break
    return list(found.values())


def model_ref(path: Path) -> ModelRef:
    """One file as a model. A file that cannot be read or cannot answer prompts says so in
    `unsuitable_because`. Reads the header only."""
    name = model_name(path)
    size = sum(_size(part) for part in split_parts(path)) or None
    try:
        header = read_gguf(path)
    except GgufError as error:
        return ModelRef(BACKEND, name, path.absolute(), size_bytes=size, unsuitable_because=str(error))
    kind = model_kind(header)
    return ModelRef(
        backend=BACKEND,
        name=name,
        path=header.parts[0].absolute(),
        size_bytes=header.file_bytes,
        quantization=header.quantization,
        parameter_count=parameter_text(header),
        unsuitable_because=None if kind is ModelKind.TEXT else KIND_TEXT[kind],
    )


def model_name(path: Path) -> str:
    """The file's name without `.gguf` and without the numbering of a split model."""
    first = split_parts(path)[0].name
    name = first[: -len(SUFFIX)] if first.lower().endswith(SUFFIX) else first
    return name.removesuffix("-00001-of-" + name[-5:]) if "-00001-of-" in name else name


def distinct_names(models: Sequence[ModelRef]) -> list[ModelRef]:
    """Models of the same name in different folders get the folder's name in front."""
    seen: dict[str, int] = {}
    for model in models:
        seen[model.name] = seen.get(model.name, 0) + 1
    distinguishable = []
    for model in models:
        if seen[model.name] > 1 and model.path is not None:
            model = replace(model, name=f"{model.path.parent.name}/{model.name}")
        distinguishable.append(model)
    return distinguishable


def find_by_name(models: Iterable[ModelRef], wanted: str) -> ModelRef | None:
    """By name, by file name, or as 'starter'; upper and lower case are the same. None when there is none."""
    known = list(models)
    low = wanted.casefold()
    if low == starter_model.SHORT_NAME:
        low = starter_model.FILE_NAME.casefold()
    for model in known:
        if model.name.casefold() == low:
            return model
    for model in known:
        if model.path is not None and model.path.name.casefold() in (low, low + SUFFIX):
            return model
    return None


def parameter_text(header: GgufFile) -> str | None:
    """'135M', '7.2B' from the sizes of the tensors; None for a file without any."""
    total = 0
    for tensor in header.tensors:
        elements = 1
        for length in tensor.dimensions:
            elements *= length
        total += elements
    if total <= 0:
        return None
    if total >= 10**9:
        return f"{total / 10**9:.1f}B"
    return f"{round(total / 10**6)}M" if total >= 10**6 else f"{total:,}"


def sha256_of(files: Sequence[Path], stop: Callable[[], bool]) -> str | None:
    """'sha256:…' over the files' bytes one after the other; None when `stop()` became true. Raises OSError."""
    digest = hashlib.sha256()
    for file in files:
        with open_regular(file) as stream:
            while block := stream.read(_BLOCK):
                if stop():
                    return None
                digest.update(block)
    return f"sha256:{digest.hexdigest()}"


def _below(folders: Iterable[Path]) -> Iterator[Path]:
    entries = 0
    for folder in folders:
        root_depth = len(folder.parts)
        for base, names, files in os.walk(folder):
            names.sort()
            if len(Path(base).parts) - root_depth >= MAX_DEPTH:
                names.clear()
            entries += len(names) + len(files)
            if entries > _MAX_ENTRIES:
                return
            for file in sorted(files):
                if file.lower().endswith(SUFFIX):
                    yield Path(base) / file


def _identity(path: Path) -> Path:
    try:
        return path.resolve()
    except OSError:
        return path.absolute()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
