"""Where the program keeps things: `PACKBENCH_HOME` if set, else the platform's user folders."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

APP_NAME = "Packbench"


@dataclass(frozen=True, slots=True)
class Paths:
    """Absolute folders; none is made until something is written into it."""

    data: Path
    config: Path
    cache: Path
    logs: Path
    documents: Path

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def journal(self) -> Path:
        return self.data / "runs.db"

    @property
    def reports(self) -> Path:
        return self.data / "reports"

    @property
    def recovery(self) -> Path:
        return self.data / "recovery"


def user_paths() -> Paths:
    home = os.environ.get("PACKBENCH_HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Paths(root / "data", root / "config", root / "cache", root / "logs", root / "documents")
    dirs = PlatformDirs(APP_NAME, appauthor=False, roaming=False)
    return Paths(
        data=dirs.user_data_path,
        config=dirs.user_config_path,
        cache=dirs.user_cache_path,
        logs=dirs.user_log_path,
        documents=dirs.user_documents_path / APP_NAME,
    )
