"""The services that commands and window share, made when first asked for.

The composition root makes one `Services` and hands it on; nothing here is global.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.paths import Paths
from desktop.settings import SettingsFile
from packs.errors import AppError

if TYPE_CHECKING:
    from desktop.backends.base import Backend, Clocks
    from desktop.backends.embedded import EmbeddedBackend
    from desktop.hardware.machine import Machine


BACKENDS = ("embedded",)
"""Names that `Services.backend` takes."""


@dataclass(frozen=True, slots=True)
class Services:
    """environment: of the process; keys are read from it and never written anywhere."""

    paths: Paths
    environment: Mapping[str, str]

    def settings(self) -> SettingsFile:
        return SettingsFile(self.paths.config)

    def machine(self) -> Machine:
        """Asks every probe; some 10 ms, never raises."""
        from desktop.hardware.corrections import CorrectionsFile
        from desktop.hardware.probe import read_machine

        return read_machine(CorrectionsFile(self.paths.config).read())

    def embedded(self, more_files: Sequence[Path] = (), clocks: Clocks | None = None) -> EmbeddedBackend:
        """The engine that comes along, with the models folder, the person's own folders and single files."""
        from desktop.backends.embedded import EmbeddedBackend

        settings = self.settings().current
        folders = [self.paths.models, *(Path(folder) for folder in settings.model_folders)]
        files = [*(Path(file) for file in settings.model_files), *more_files]
        return EmbeddedBackend(folders, files, clocks=clocks)

    def backend(
        self,
        kind: str,
        endpoint: str | None = None,
        *,
        more_files: Sequence[Path] = (),
        clocks: Clocks | None = None,
    ) -> Backend:
        """A backend by its name. Raises AppError for one that is not there."""
        if kind == "embedded":
            return self.embedded(more_files, clocks)
        raise AppError(
            f"There is no backend '{kind}'.", f"Known: {', '.join(BACKENDS)}.", code="unknown_backend"
        )
