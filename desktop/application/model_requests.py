"""What the Models place needs from the rest of the program, as one protocol. `app.py` hands in what fulfils it.

Everything here blocks and is called on a lane of the task runner, unless a docstring says that it is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop.foundation.cancel import CancelToken
from desktop.inference.machine.corrections import Corrections
from desktop.inference.machine.machine import MemoryReading
from desktop.inference.machine.memory_users import MemoryUser
from desktop.inference.memory_fit.estimator import Estimator
from desktop.inference.memory_fit.fit import FitSettings
from desktop.inference.model_files.catalogue import CatalogueModel
from desktop.inference.model_files.library import FoundModel, LibrarySource


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """One model loaded and asked once. Unknown is None. text: what it answered."""

    text: str
    peak_mib: float | None
    predicted_mib: float
    tokens_per_second: float | None
    load_ms: float | None


class ModelsDesk(Protocol):
    """The services of the Models place."""

    def estimator(self) -> Estimator:
        """Asks every probe and takes over what runs have taught. Some 50 ms."""

    def measure_memory_speed(self, cancel: CancelToken) -> None:
        """Once, and again when the last time was disturbed; the next `estimator` knows it. Up to a second."""

    def memory(self) -> MemoryReading:
        """Now, with the person's bound. Cheap enough for every other second, on the io lane."""

    def memory_users(self) -> Sequence[MemoryUser]:
        """Other programs that hold much memory, the largest first."""

    def scan(self, on_found: Callable[[FoundModel], None], cancel: CancelToken) -> Sequence[FoundModel]:
        """Every model on this computer. `on_found` is called on the lane's thread."""

    def merge(self, models: Sequence[FoundModel], cancel: CancelToken) -> Sequence[FoundModel]:
        """The same with copies shown once. May read large files."""

    def catalogue(self) -> Sequence[CatalogueModel]:
        """Well-known models. Some 100 ms."""

    def corrections(self) -> Corrections: ...

    def correct(self, corrections: Corrections) -> None:
        """Raises OSError."""

    def sources(self) -> Sequence[LibrarySource]:
        """Where `scan` looks. A network folder may take its time."""

    def add_files(self, files: Sequence[Path]) -> None:
        """Kept in the settings; the files stay where they are. Cheap."""

    def add_folder(self, folder: Path) -> None:
        """The same for a folder with everything below it."""

    def forget(self, path: Path) -> None:
        """An added file or folder is not looked into any more; nothing on the disk changes. Cheap."""

    def try_out(
        self,
        path: Path,
        settings: FitSettings,
        prompt: str,
        on_progress: Callable[[str, str], None],
        cancel: CancelToken,
    ) -> ModelTrial:
        """Load the model once, ask it, measure, unload, and keep what was measured. On the run lane.

        on_progress(what happens now, the new piece of text), on the lane's thread. Raises AppError.
        """
