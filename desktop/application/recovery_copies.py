"""A copy of unsaved work, so that a crash or a power cut costs at most half a minute."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from desktop.foundation.private_files import make_private_folder
from packs.documents.atomic import write_atomically
from packs.documents.regular_file import read_regular

log = logging.getLogger(__name__)

VERSION = 1
MAX_BYTES = 600 * 2**20
SUFFIX = ".recovery.json"


@dataclass(frozen=True, slots=True)
class Recovered:
    """unsaved: bytes by file, None for removed ones. saved_at: when the copy was made, ISO 8601 with zone."""

    folder: Path
    unsaved: Mapping[str, bytes | None]
    saved_at: str
    file: Path


class RecoveryFolder:
    """One file for each pack with unsaved work. Never raises: a copy that cannot be kept is logged."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, pack: Path, unsaved: Mapping[str, bytes | None], now: datetime) -> bool:
        """Write or replace the copy for `pack`. Returns whether it is kept."""
        files = {
            name: None if data is None else base64.b64encode(data).decode() for name, data in unsaved.items()
        }
        content = {
            "version": VERSION,
            "folder": str(pack),
            "saved_at": now.isoformat(timespec="seconds"),
            "files": files,
        }
        try:
            make_private_folder(self._folder)
            write_atomically(self._file(pack), json.dumps(content).encode(), private=True)
        except OSError as error:
            log.warning("unsaved work could not be copied: %s", error)
            return False
        return True

    def drop(self, pack: Path) -> None:
        """The work is saved or given up."""
        try:
            self._file(pack).unlink(missing_ok=True)
        except OSError as error:
            log.warning("a recovery copy could not be removed: %s", error)

    def of(self, pack: Path) -> Recovered | None:
        return _read(self._file(pack))

    def all(self) -> list[Recovered]:
        """Every copy that is there, newest first; damaged ones are left aside."""
        try:
            files = sorted(self._folder.glob(f"*{SUFFIX}"))
        except OSError:
            return []
        found = [entry for entry in map(_read, files) if entry is not None]
        return sorted(found, key=lambda entry: entry.saved_at, reverse=True)

    def _file(self, pack: Path) -> Path:
        name = hashlib.sha256(str(pack.absolute()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
        return self._folder / f"{name}{SUFFIX}"


def _read(file: Path) -> Recovered | None:
    try:
        data = json.loads(read_regular(file, MAX_BYTES))
        if data["version"] != VERSION:
            raise ValueError("another version")
        unsaved = {
            str(name): None if text is None else base64.b64decode(text, validate=True)
            for name, text in data["files"].items()
        }
        return Recovered(Path(data["folder"]), unsaved, str(data["saved_at"]), file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        log.warning("a recovery copy is not readable and was left aside: %s", error)
        return None
