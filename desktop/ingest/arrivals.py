"""What a dropped or chosen file is, told before anything is done with it. Reads names and a few bytes only."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.ingest.limits import MAX_ZIP_ENTRIES

_GGUF = b"GGUF"
_TABLES = {".csv", ".tsv", ".xlsx", ".jsonl"}
_DOCUMENTS = {".pdf", ".docx", ".md", ".txt", ".html", ".htm", ".rst"}
_MOST_ENTRIES_LOOKED_AT = 2_000


class ArrivalKind(StrEnum):
    TASK_PACK = "task_pack"
    QUALIFICATION_PACK = "qualification_pack"
    PACK_ZIP = "pack_zip"
    MODEL = "model"
    TABLE = "table"
    DOCUMENT = "document"
    BUNDLE = "bundle"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Arrival:
    """path: what is to be opened; the folder where its `task.yaml` was given. words: one sentence."""

    path: Path
    kind: ArrivalKind
    words: str


def understand(path: Path) -> Arrival:
    """Never raises, whatever lies there."""
    try:
        if path.is_dir():
            return _folder(path)
        if path.is_file():
            return _file(path)
    except OSError as error:
        return _unknown(path, f"It could not be read: {error.strerror or 'unknown reason'}.")
    return _unknown(path, "There is nothing of this name.")


def _folder(path: Path) -> Arrival:
    if (path / "task.yaml").is_file():
        return Arrival(path, ArrivalKind.TASK_PACK, "Opens as a task pack.")
    if (path / "pack.yaml").is_file():
        return Arrival(path, ArrivalKind.QUALIFICATION_PACK, "Opens as a qualification pack.")
    if (path / "manifest.json").is_file() and (path / "decision.json").is_file():
        return Arrival(path, ArrivalKind.BUNDLE, "A bundle with the evidence of a qualification.")
    return _unknown(path, "There is no pack in this folder: it has neither task.yaml nor pack.yaml.")


def _file(path: Path) -> Arrival:
    name, suffix = path.name.lower(), path.suffix.lower()
    if name == "pack.yaml":
        # Said by name: a folder may hold a task pack as well, and that one would come first.
        return Arrival(path.parent, ArrivalKind.QUALIFICATION_PACK, "Opens as a qualification pack.")
    if name == "task.yaml":
        return _folder(path.parent)
    with path.open("rb") as file:
        start = file.read(len(_GGUF))
    if suffix == ".gguf" or start == _GGUF:
        if start != _GGUF:
            return _unknown(path, "The name says GGUF, but the content is something else. Get the file again.")
        return Arrival(path, ArrivalKind.MODEL, "Is added to the models, where it lies.")
    if suffix in _TABLES:
        return Arrival(path, ArrivalKind.TABLE, "A table of examples.")
    if suffix in _DOCUMENTS:
        return Arrival(path, ArrivalKind.DOCUMENT, "A document to draft examples from.")
    if start[:2] == b"PK":
        return _zip(path)
    return _unknown(path, "Packbench does not know this kind of file.")


def _zip(path: Path) -> Arrival:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return _unknown(path, "The zip file is damaged. Make it again, or open the folder itself.")
    if len(names) > MAX_ZIP_ENTRIES:
        return _unknown(path, f"The zip file has more than {MAX_ZIP_ENTRIES:,} entries; a pack has fewer.")
    short = {name for name in names[:_MOST_ENTRIES_LOOKED_AT] if name.count("/") <= 1}
    tops = {name.rpartition("/")[0] for name in short if name.rpartition("/")[2] == "task.yaml"}
    if tops:
        return Arrival(path, ArrivalKind.PACK_ZIP, "Is unpacked into your documents and opens as a task pack.")
    if any(name.rpartition("/")[2] == "pack.yaml" for name in short):
        return Arrival(path, ArrivalKind.QUALIFICATION_PACK, "A qualification pack as a zip file.")
    if any(name.rpartition("/")[2] == "decision.json" for name in short):
        return Arrival(path, ArrivalKind.BUNDLE, "A bundle with the evidence of a qualification.")
    return _unknown(path, "There is no pack in this zip file: it has neither task.yaml nor pack.yaml.")


def _unknown(path: Path, words: str) -> Arrival:
    return Arrival(path, ArrivalKind.UNKNOWN, words)
