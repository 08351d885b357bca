"""Where the program keeps things: `PACKBENCH_HOME` if set, else the platform's user folders."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

from packs.errors import AppError

APP_NAME = "Packbench"


@dataclass(frozen=True, slots=True)
class Paths:
    """Absolute folders; none is made until something is written into it."""

    data: Path
    config: Path
    cache: Path
    logs: Path
    documents: Path
    beside: Path | None = None
    """The `models` folder beside the one-file program, where models may come along; None from source."""

    @property
    def models(self) -> Path:
        return self.data / "models"

    @property
    def model_folders(self) -> tuple[Path, ...]:
        """Where the program's own models lie: the data folder's first, then those that came along."""
        return (self.models,) if self.beside is None else (self.models, self.beside)

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
    """Raises AppError where `PACKBENCH_HOME` names the home of a user that there is not."""
    home = os.environ.get("PACKBENCH_HOME")
    if home:
        try:
            root = Path(home).expanduser().absolute()
        except (RuntimeError, OSError) as error:
            raise AppError(
                f"PACKBENCH_HOME names a folder that cannot be found: {home}",
                "Set it to a whole path, or leave it out for the usual folders.",
                code="usage",
            ) from error
        return Paths(
            root / "data", root / "config", root / "cache", root / "logs", root / "documents", _beside()
        )
    dirs = PlatformDirs(APP_NAME, appauthor=False, roaming=False)
    return Paths(
        data=dirs.user_data_path,
        config=dirs.user_config_path,
        cache=dirs.user_cache_path,
        logs=dirs.user_log_path,
        documents=dirs.user_documents_path / APP_NAME,
        beside=_beside(),
    )


def _beside() -> Path | None:
    return Path(sys.executable).parent / "models" if getattr(sys, "frozen", False) else None
