"""What a dropped or chosen file is, told before anything is done with it. Reads names and little content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.ingest.limits import MAX_FILE_BYTES, MAX_ZIP_ENTRIES
from packs.documents.regular_file import open_regular
from packs.documents.zip_faults import ZIP_FAULTS
from packs.documents.zip_opening import opened_zip
from packs.errors import AppError

TABLES = frozenset({".csv", ".tsv", ".tab", ".xlsx", ".xlsm", ".jsonl", ".ndjson", ".json"})
DOCUMENTS = frozenset(
    {".pdf", ".docx", ".eml", ".md", ".markdown", ".txt", ".text", ".log", ".html", ".htm", ".xhtml", ".rst"}
)
_GGUF = b"GGUF"
_PROGRAMS = (b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_ZIPPED = frozenset({".xlsx", ".xlsm", ".docx"})
_HINTS = {
    ".xls": "This is a workbook of the old kind. Save it as .xlsx or .csv.",
    ".ods": "Save it as .xlsx or .csv; then it can be read.",
    ".numbers": "Export it as .xlsx or .csv; then it can be read.",
    ".doc": "This is a document of the old kind. Save it as .docx or .pdf.",
    ".odt": "Save it as .docx or .pdf; then it can be read.",
    ".rtf": "Save it as .docx or .pdf; then it can be read.",
    ".pages": "Export it as .docx or .pdf; then it can be read.",
    ".msg": "Save the message as .eml or .txt; then it can be read.",
    ".safetensors": "Packbench runs models as GGUF files. Look for the same model as GGUF.",
}
_MAX_ENTRIES_LOOKED_AT = 2_000
_START_BYTES = 1_024
_WORD_BYTES = 4 * 2**20
"""Of a Word document, unpacked: enough to see what it mostly is."""
_WORD_PART = re.compile(rb"<w:tbl[ >]|</w:tbl>|<w:tr[ >]|<w:t(?: [^>]{0,200})?>([^<]*)</w:t>")
_LEAST_ROWS = 3


class ArrivalKind(StrEnum):
    TASK_PACK = "task_pack"
    QUALIFICATION_PACK = "qualification_pack"
    PACK_ZIP = "pack_zip"
    MODEL = "model"
    TABLE = "table"
    DOCUMENT = "document"
    TABLE_OR_DOCUMENT = "table_or_document"
    BUNDLE = "bundle"
    UNKNOWN = "unknown"


PACKS = frozenset({ArrivalKind.TASK_PACK, ArrivalKind.QUALIFICATION_PACK, ArrivalKind.PACK_ZIP})


@dataclass(frozen=True, slots=True)
class Arrival:
    """path: what is to be opened; the folder where its `task.yaml` was given. words: one sentence."""

    path: Path
    kind: ArrivalKind
    message: str

    @property
    def refused(self) -> bool:
        return self.kind is ArrivalKind.UNKNOWN


TABLE_TEXT = "Becomes a pack: you see the rows and choose the columns first."
DOCUMENT_TEXT = "A model on this computer drafts a pack from it: you choose which, and review every example."
EITHER_TEXT = "Mostly a table: you choose whether it is read as a table or as notes."
BUNDLE_TEXT = "Is checked and shown under Evidence."
ONE_PACK = "Is put into the recent packs: one pack is open at a time."
ONE_ZIP = "Not opened: one pack is open at a time. Drop this one by itself."


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


def plan_of(arrivals: Sequence[Arrival]) -> list[Arrival]:
    """What will happen with several at once: each once, and only the first pack is opened."""
    planned: list[Arrival] = []
    seen: set[Path] = set()
    has_pack = False
    for arrival in arrivals:
        if arrival.path in seen:
            continue
        seen.add(arrival.path)
        if arrival.kind in PACKS:
            if has_pack and arrival.kind is ArrivalKind.PACK_ZIP:
                arrival = _unknown(arrival.path, ONE_ZIP)
            elif has_pack:
                arrival = Arrival(arrival.path, arrival.kind, ONE_PACK)
            has_pack = True
        planned.append(arrival)
    return planned


def _folder(path: Path) -> Arrival:
    if (path / "task.yaml").is_file():
        return Arrival(path, ArrivalKind.TASK_PACK, "Opens as a task pack.")
    if (path / "pack.yaml").is_file():
        return Arrival(path, ArrivalKind.QUALIFICATION_PACK, "Opens as a qualification pack.")
    if _is_evidence({name for name in _EVIDENCE if (path / name).is_file()}):
        return Arrival(path, ArrivalKind.BUNDLE, BUNDLE_TEXT)
    return _unknown(path, "There is no pack in this folder: it has neither task.yaml nor pack.yaml.")


_EVIDENCE = frozenset({"manifest.json", "decision.json", "hashes.json", "results.jsonl", "fingerprint.json"})


def _is_evidence(names: set[str]) -> bool:
    """A damaged bundle is one as well: that it is damaged is to be shown."""
    return len(names & _EVIDENCE) >= 2


def _file(path: Path) -> Arrival:
    name, suffix = path.name.lower(), path.suffix.lower()
    if name == "pack.yaml":
        # Said by name: a folder may hold a task pack as well, and that one would come first.
        return Arrival(path.parent, ArrivalKind.QUALIFICATION_PACK, "Opens as a qualification pack.")
    if name == "task.yaml":
        return _folder(path.parent)
    with open_regular(path) as file:
        start = file.read(_START_BYTES)
    if suffix == ".gguf" or start.startswith(_GGUF):
        if not start.startswith(_GGUF):
            return _unknown(path, "The name says GGUF, but the content is something else. Get the file again.")
        return Arrival(path, ArrivalKind.MODEL, "Is added to the models, where it lies.")
    if start.startswith(_PROGRAMS) and b"\0" in start:
        if suffix in TABLES | DOCUMENTS:
            return _unknown(
                path, "The name is that of a document, but the content is a program. Do not open it."
            )
        return _unknown(path, "This is a program; Packbench does not know what to do with it.")
    if suffix in TABLES | DOCUMENTS:
        trouble = _fault(path, suffix, start)
        return _unknown(path, trouble) if trouble else _readable(path, suffix)
    if suffix in _HINTS:
        return _unknown(path, _HINTS[suffix])
    if start.startswith(b"PK"):
        return _zip(path)
    return _unknown(path, "Packbench does not know this kind of file.")


def _fault(path: Path, suffix: str, start: bytes) -> str:
    """Why a table or document will not be read; empty when nothing speaks against it so far."""
    if not start:
        return "The file is empty."
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        return f"The file has {size // 2**20} MiB; at most {MAX_FILE_BYTES // 2**20} MiB are read."
    if suffix in _ZIPPED and start.startswith(_OLD_OFFICE):
        return "It is protected with a password. Save a copy without one."
    if suffix in _ZIPPED and not start.startswith(b"PK\x03\x04"):
        return f"The name says {suffix}, but the content is something else. Save it again as {suffix}."
    if suffix == ".pdf" and b"%PDF" not in start:
        return "The name says .pdf, but the content is something else. Save it again as .pdf."
    return ""


def _readable(path: Path, suffix: str) -> Arrival:
    if suffix in TABLES:
        return Arrival(path, ArrivalKind.TABLE, TABLE_TEXT)
    if suffix == ".docx" and _mostly_table(path):
        return Arrival(path, ArrivalKind.TABLE_OR_DOCUMENT, EITHER_TEXT)
    return Arrival(path, ArrivalKind.DOCUMENT, DOCUMENT_TEXT)


def _mostly_table(path: Path) -> bool:
    """More text inside tables than beside them, and some rows. Looked at as bytes, before any parser."""
    try:
        with opened_zip(path, MAX_ZIP_ENTRIES) as archive, archive.open("word/document.xml") as stream:
            content = stream.read(_WORD_BYTES)
    except (*ZIP_FAULTS, AppError, KeyError, OSError, ValueError):
        return False
    depth = rows = inside = beside = 0
    for part in _WORD_PART.finditer(content):
        mark = part[0]
        if mark.startswith(b"<w:tbl"):
            depth += 1
        elif mark == b"</w:tbl>":
            depth = max(depth - 1, 0)
        elif mark.startswith(b"<w:tr"):
            rows += 1
        elif depth:
            inside += len(part[1].strip())
        else:
            beside += len(part[1].strip())
    return rows >= _LEAST_ROWS and inside > beside


def _zip(path: Path) -> Arrival:
    try:
        with opened_zip(path) as archive:
            names = archive.namelist()
    except AppError as error:
        return _unknown(path, error.message)
    except (*ZIP_FAULTS, OSError, ValueError):
        return _unknown(path, "The zip file is damaged. Make it again, or open the folder itself.")
    short = {name for name in names[:_MAX_ENTRIES_LOOKED_AT] if name.count("/") <= 1}
    plain = {name.rpartition("/")[2] for name in short}
    if {"manifest.json", "scores.json"} <= short or _is_evidence(plain):
        return Arrival(path, ArrivalKind.BUNDLE, BUNDLE_TEXT)
    if len(names) > MAX_ZIP_ENTRIES:
        return _unknown(path, f"The zip file has more than {MAX_ZIP_ENTRIES:,} entries; a pack has fewer.")
    for name, kind in (("task.yaml", "task"), ("pack.yaml", "qualification")):
        if name in plain:
            message = f"Is unpacked into your documents and opens as a {kind} pack."
            return Arrival(path, ArrivalKind.PACK_ZIP, message)
    return _unknown(path, "There is no pack in this zip file: it has neither task.yaml nor pack.yaml.")


def _unknown(path: Path, message: str) -> Arrival:
    return Arrival(path, ArrivalKind.UNKNOWN, message)
