"""The services that commands and window share, made when first asked for.

The composition root makes one `Services` and hands it on; nothing here is global.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.foundation.paths import Paths
from desktop.foundation.settings import SettingsFile

if TYPE_CHECKING:
    from desktop.inference.backends.base import Backend, Clocks
    from desktop.inference.backends.embedded import EmbeddedBackend
    from desktop.inference.machine.machine import Machine
    from desktop.inference.memory_fit.estimator import Estimator
    from desktop.inference.model_files.file_card import CardCache
    from desktop.inference.model_files.library import Library


@dataclass(frozen=True, slots=True)
class Services:
    """environment: of the process; keys are read from it and never written anywhere."""

    paths: Paths
    environment: Mapping[str, str]

    def settings(self) -> SettingsFile:
        return SettingsFile(self.paths.config)

    def machine(self) -> Machine:
        """Asks every probe; some 10 ms, never raises."""
        from desktop.inference.machine.bandwidth_file import BandwidthFile
        from desktop.inference.machine.corrections import CorrectionsFile
        from desktop.inference.machine.probe import read_machine

        return read_machine(CorrectionsFile(self.paths.config).read(), BandwidthFile(self.paths.cache).read)

    def with_memory_speed(self, machine: Machine) -> Machine:
        """The same with the memory's speed, measured now (some 0.5 s) if it never was, or not undisturbed."""
        from dataclasses import replace

        from desktop.inference.machine.bandwidth import measure_bandwidth
        from desktop.inference.machine.bandwidth_file import BandwidthFile

        if machine.bandwidth is not None and not machine.bandwidth.busy:
            return machine
        reading = measure_bandwidth(machine.processor.threads)
        if reading is None:
            return machine
        BandwidthFile(self.paths.cache).write(reading)
        return replace(machine, bandwidth=reading)

    def estimator(self, machine: Machine | None = None) -> Estimator:
        """What this machine makes of models, with everything that finished runs have taught."""
        from desktop.application.calibrate_fit import learn_from_runs
        from desktop.inference.memory_fit.estimator import Estimator
        from desktop.inference.memory_fit.history import History

        machine = machine or self.machine()
        history = History(self.paths.data)
        learn_from_runs(self.paths.journal, history, machine)
        return Estimator(machine, history)

    def library(self) -> Library:
        """Where models are looked for: the program's folder, the person's, and those of other programs."""
        from desktop.inference.model_files.library import ADDED, OWN, Library
        from desktop.inference.model_files.model_folders import ModelFolder, ollama_stores, usual_folders

        settings = self.settings().current
        home = Path.home()
        return Library(
            folders=(
                *(ModelFolder(OWN, folder) for folder in self.paths.model_folders),
                *(ModelFolder(ADDED, Path(folder)) for folder in settings.model_folders),
                *usual_folders(home, self.environment),
            ),
            files=tuple(Path(file) for file in settings.model_files),
            ollama=ollama_stores(home, self.environment),
        )

    def cards(self) -> CardCache:
        """Headers read before; for one thread at a time."""
        from desktop.inference.model_files.file_card import CardCache

        return CardCache(self.paths.cache / "models.json")

    def embedded(self, more_files: Sequence[Path] = (), clocks: Clocks | None = None) -> EmbeddedBackend:
        """The engine that comes along, with the models folder, the person's own folders and single files."""
        from desktop.inference.backends.embedded import EmbeddedBackend

        return EmbeddedBackend(*self._own_models(more_files), clocks=clocks)

    def backend(
        self,
        kind: str,
        endpoint: str | None = None,
        *,
        more_files: Sequence[Path] = (),
        clocks: Clocks | None = None,
        remote_allowed: bool = False,
    ) -> Backend:
        """A backend by its name. Raises AppError for one that is not there, or for an address on another
        computer unless that is allowed."""
        from desktop.inference.backends.table import BackendOptions, make_backend

        folders, files = self._own_models(more_files)
        return make_backend(kind, BackendOptions(folders, files, endpoint, remote_allowed, clocks))

    def _own_models(self, more_files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
        """(folders, single files) of the program and of the person."""
        settings = self.settings().current
        folders = [*self.paths.model_folders, *(Path(folder) for folder in settings.model_folders)]
        return folders, [*(Path(file) for file in settings.model_files), *more_files]
