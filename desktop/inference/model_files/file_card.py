"""What a list of models shows of one file: read once from its header, kept for the next time."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from desktop.foundation.private_files import make_private_folder
from desktop.inference.model_files.facts import FactsError, ModelFacts, facts_from_gguf
from desktop.inference.model_files.facts_json import facts_from_json, facts_to_json
from desktop.inference.model_files.gguf import GgufError, GgufFile, read_gguf, split_parts
from desktop.inference.model_files.model_kind import KIND_TEXT, ModelKind, model_kind
from packs.documents.atomic import write_atomically
from packs.documents.regular_file import open_regular

log = logging.getLogger(__name__)

_VERSION = 3
_MAX_CACHE = 64 << 20
_QUANTIZATION = re.compile(
    r"[-_. ](?:UD-)?(?:I?Q\d(?:_[0-9A-Z]+)*|BF16|F16|F32|FP16|MXFP4(?:_MOE)?|TQ\d_0)(?=$|[-_.])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FileCard:
    """path: the first part. problem: a sentence why the file is no model that can be run, '' when it is one.

    title, family: for a person; files of one family are quantizations of one model. facts: None with a problem.
    """

    path: Path
    size_bytes: int
    kind: ModelKind
    title: str
    family: str
    problem: str
    architecture: str | None = None
    quantization: str | None = None
    licence: str | None = None
    parameters: int | None = None
    chat_template: str | None = None
    facts: ModelFacts | None = None
    scalars: Mapping[str, float | str] = field(default_factory=dict)
    """Numbers and names of the header as it has them, without the tokenizer's."""

    @property
    def can_run(self) -> bool:
        return self.kind is ModelKind.TEXT and not self.problem


def read_card(path: Path) -> FileCard:
    """From the header. Never raises: a broken file gets a card that says what is wrong with it."""
    family = family_of(path.name)
    try:
        file = read_gguf(path)
    except GgufError as error:
        size = sum(_size(part) for part in split_parts(path))
        return FileCard(path, size, ModelKind.OTHER, family, family, str(error))
    kind = model_kind(file)
    facts, problem = None, "" if kind is ModelKind.TEXT else KIND_TEXT[kind]
    if not problem:
        try:
            facts = facts_from_gguf(file)
        except FactsError as error:
            problem = str(error)
    return FileCard(
        path=file.parts[0],
        size_bytes=file.file_bytes,
        kind=kind,
        title=family,
        family=family,
        problem=problem,
        architecture=file.architecture,
        quantization=file.quantization,
        licence=file.licence,
        parameters=_parameters(file),
        chat_template=file.chat_template,
        facts=facts,
        scalars=_scalars(file),
    )


def family_of(file_name: str) -> str:
    """The file's name without ending, part number and quantization: 'SmolLM2-135M-Instruct'."""
    name = re.sub(r"-\d{5}-of-\d{5}(?=\.gguf$)", "", file_name, flags=re.IGNORECASE)
    name = re.sub(r"\.gguf$", "", name, flags=re.IGNORECASE)
    return _QUANTIZATION.sub("", name) or name


class CardCache:
    """Cards by path, good as long as size and time of the file are the same. For one thread at a time."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._entries: dict[str, dict[str, Any]] = {}
        self._changed = False
        try:
            with open_regular(file) as opened:
                data = json.loads(opened.read(_MAX_CACHE))
            if isinstance(data, dict) and data.get("version") == _VERSION:
                self._entries = {str(key): value for key, value in data["entries"].items()}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, RecursionError, KeyError, AttributeError) as error:
            log.info("the cache of model headers starts anew: %s", error)

    def card(self, path: Path) -> FileCard:
        """The kept one, or read now."""
        stamp = _stamp(path)
        entry = self._entries.get(str(path))
        if isinstance(entry, dict) and stamp and entry.get("stamp") == stamp:
            try:
                return _card_from_json(path, entry["card"])
            except (KeyError, TypeError, ValueError, AttributeError):
                log.info("a kept header was not readable and is read again")
        card = read_card(path)
        if stamp:
            self._entries[str(path)] = {"stamp": stamp, "card": _card_to_json(card)}
            self._changed = True
        return card

    def digest(self, path: Path) -> str | None:
        """A digest kept by `keep_digest`, None when there is none for the file as it is now."""
        entry = self._entries.get(str(path))
        if isinstance(entry, dict) and entry.get("stamp") == _stamp(path):
            kept = entry.get("digest")
            return kept if isinstance(kept, str) else None
        return None

    def keep_digest(self, path: Path, digest: str) -> None:
        entry = self._entries.get(str(path))
        if isinstance(entry, dict):
            entry["digest"] = digest
            self._changed = True

    def save(self) -> None:
        """Write what is new. A folder that cannot be written is logged: headers are read again next time."""
        if not self._changed:
            return
        kept = {path: entry for path, entry in self._entries.items() if Path(path).is_file()}
        # ASCII: names on disk need not be valid text, and must come back as they are.
        content = json.dumps({"version": _VERSION, "entries": kept})
        try:
            make_private_folder(self._file.parent)
            write_atomically(self._file, content.encode("ascii"))
            self._changed = False
        except OSError as error:
            log.warning("headers of models were not kept: %s", error)


def _card_to_json(card: FileCard) -> dict[str, Any]:
    return {
        "path": str(card.path),
        "size_bytes": card.size_bytes,
        "kind": card.kind.value,
        "title": card.title,
        "family": card.family,
        "problem": card.problem,
        "architecture": card.architecture,
        "quantization": card.quantization,
        "licence": card.licence,
        "parameters": card.parameters,
        "chat_template": card.chat_template,
        "facts": facts_to_json(card.facts) if card.facts else None,
        "scalars": dict(card.scalars),
    }


def _card_from_json(path: Path, data: Mapping[str, Any]) -> FileCard:
    values = dict(data)
    values["path"] = Path(values["path"]) if values.get("path") else path
    values["kind"] = ModelKind(values["kind"])
    values["facts"] = facts_from_json(values["facts"]) if values.get("facts") else None
    return FileCard(**values)


def _stamp(path: Path) -> list[int] | None:
    """Sizes and times of all parts; None when a file is gone."""
    stamp: list[int] = []
    for part in split_parts(path):
        try:
            status = part.stat()
        except OSError:
            return None
        stamp += [status.st_size, status.st_mtime_ns]
    return stamp


def _scalars(file: GgufFile) -> dict[str, float | str]:
    found: dict[str, float | str] = {}
    for key, value in file.metadata.items():
        short_text = isinstance(value, str) and len(value) <= 200
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if isinstance(value, str | int | float) and (short_text or number) and not key.startswith("tokenizer."):
            found[key] = value
    return found


def _parameters(file: GgufFile) -> int | None:
    total = 0
    for tensor in file.tensors:
        elements = 1
        for length in tensor.dimensions:
            elements *= length
        total += elements
    return total or None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
