"""The person's own settings: one small JSON file, read whole and written whole."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

from desktop.foundation.private_files import make_private_folder
from packs.documents.atomic import write_atomically
from packs.documents.regular_file import read_regular

log = logging.getLogger(__name__)

FILE_NAME = "settings.json"
MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Every value has a default that suits a person who never opens the settings."""

    theme: str = "system"
    """'system', 'light', 'dark'."""
    zoom_percent: int = 100
    """80 to 200."""
    roomy: bool = False
    fade: bool = True
    model_folders: tuple[str, ...] = ()
    model_files: tuple[str, ...] = ()
    """GGUF files that were added where they lie."""
    first_steps_hidden: bool = False
    """The three steps for the first time on Start are not wanted any more."""
    recent: tuple[str, ...] = ()
    """Packs, newest first."""
    recent_bundles: tuple[str, ...] = ()
    """Folders and zips with evidence that were looked into, newest first."""
    window: str = ""
    """Geometry and state of the main window as the window wrote it (base64)."""


class SettingsFile:
    """Reads and writes the settings. Unknown keys of a newer version are kept; broken values are left at
    their defaults and logged."""

    def __init__(self, folder: Path, *, keep: bool = True) -> None:
        """keep: off for a check that must leave no trace: changes hold until the program ends."""
        self._file = folder / FILE_NAME
        self._keep = keep
        self._unknown: dict[str, Any] = {}
        self.current = self._read()

    def change(self, **values: Any) -> Settings:
        """Take over the values and write them. A folder that cannot be written is logged, not raised."""
        self.current = replace(self.current, **values)
        if not self._keep:
            return self.current
        content = json.dumps({**self._unknown, **asdict(self.current)}, indent=1, ensure_ascii=False)
        try:
            make_private_folder(self._file.parent)
            write_atomically(self._file, content.encode(), private=True)
        except OSError as error:
            log.warning("settings were not kept: %s", error)
        return self.current

    def _read(self) -> Settings:
        try:
            data = json.loads(read_regular(self._file, MAX_BYTES))
        except FileNotFoundError:
            return Settings()
        except (OSError, ValueError, RecursionError) as error:
            log.warning("settings are not readable and were left aside: %s", error)
            return Settings()
        if not isinstance(data, dict):
            log.warning("settings are not a mapping and were left aside")
            return Settings()
        hints = get_type_hints(Settings)
        known = {entry.name: hints[entry.name] for entry in fields(Settings)}
        self._unknown = {key: value for key, value in data.items() if key not in known}
        taken = {key: _fit(value, known[key]) for key, value in data.items() if key in known}
        return Settings(**{key: value for key, value in taken.items() if value is not None})


def _fit(value: Any, wanted: Any) -> Any:
    """The value in the wanted type, or None when it has another."""
    if get_args(wanted):
        if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            return tuple(value)
        return None
    return value if type(value) is wanted else None
