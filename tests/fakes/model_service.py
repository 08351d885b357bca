"""The service of the Models place with a fixed machine and as many models as a test wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from desktop.application.model_service import ModelService, ModelTrial
from desktop.application.services import Services
from desktop.foundation.cancel import CancelToken
from desktop.foundation.paths import user_paths
from desktop.inference.machine.corrections import apply_corrections
from desktop.inference.machine.machine import (
    BandwidthReading,
    Machine,
    MemoryReading,
    ProbeAnswer,
    ProcessorReading,
)
from desktop.inference.machine.memory_users import MemoryUser
from desktop.inference.memory_fit.estimator import Estimator
from desktop.inference.memory_fit.fit import FitSettings
from desktop.inference.memory_fit.history import History
from desktop.inference.model_files.catalogue import CatalogueModel, load_catalogue
from desktop.inference.model_files.file_card import FileCard
from desktop.inference.model_files.library import FoundModel, LibrarySource, ModelLocation
from desktop.inference.model_files.model_kind import ModelKind
from packs.errors import AppError

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
AVX2 = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})
MACHINE = Machine(
    "Linux",
    ProcessorReading("Fast 9000", "x86_64", 8, 16, frozenset({"avx2"}), AVX2, "from the operating system"),
    MemoryReading(16_384, 9_626, 9_626, None, "from the operating system"),
    (ProbeAnswer("NVIDIA driver (NVML)", (), "No NVIDIA driver answered."),),
    BandwidthReading(31.0, 7, "2026-11-30T09:04:00+00:00", False, (31.0,)),
)
CATALOGUE = load_catalogue()
BROKEN = "page.gguf is a web page, not a model."


def found_models(count: int) -> list[FoundModel]:
    """Models as of the catalogue, under names of their own."""
    models = []
    for number in range(count):
        listed = CATALOGUE[number % len(CATALOGUE)]
        series = f"-{number // len(CATALOGUE)}" if number >= len(CATALOGUE) else ""
        path = Path(f"/models/{listed.name}{series}-{listed.quantization}.gguf")
        card = FileCard(
            path=path,
            size_bytes=int(listed.facts.file_bytes),
            kind=ModelKind.TEXT,
            title=listed.name,
            family=f"{listed.name}{series}",
            problem="",
            architecture=listed.facts.architecture,
            quantization=listed.quantization,
            licence=listed.licence,
            parameters=number,
            chat_template="{{ messages }}" if number % 2 else None,
            facts=listed.facts,
        )
        models.append(FoundModel(card, (ModelLocation("Packbench", path, path.stem),)))
    return models


def broken_model() -> FoundModel:
    path = Path("/models/page.gguf")
    card = FileCard(path, 1200, ModelKind.OTHER, "page", "page", BROKEN)
    return FoundModel(card, (ModelLocation("Packbench", path, "page"),))


class FakeModelService(ModelService):
    """The real one over a given machine and given models; settings and corrections are kept on disk.

    `trial` is what a trial gives, or raises when it is an error.
    """

    def __init__(
        self,
        models: Sequence[FoundModel] = (),
        *,
        machine: Machine = MACHINE,
        history: History | None = None,
        catalogue: Sequence[CatalogueModel] | None = None,
    ) -> None:
        super().__init__(Services(user_paths(), {}), lambda: NOW)
        self.models = list(models)
        self.machine = machine
        self.history = history
        self.listed = CATALOGUE if catalogue is None else tuple(catalogue)
        self.tried: list[tuple[Path, FitSettings, str]] = []
        self.trial: ModelTrial | AppError = ModelTrial("Hello there.", 1012.0, 1000.0, 47.0, 120.0)
        self.users: tuple[MemoryUser, ...] = (MemoryUser("browser", 2200, 12),)

    def estimator(self) -> Estimator:
        return Estimator(apply_corrections(self.machine, self.corrections()), self.history)

    def measure_memory_speed(self, cancel: CancelToken) -> None:
        pass

    def memory(self) -> MemoryReading:
        return self.machine.memory

    def memory_users(self) -> Sequence[MemoryUser]:
        return self.users

    def scan(self, on_found: Callable[[FoundModel], None], cancel: CancelToken) -> Sequence[FoundModel]:
        for model in self.models:
            on_found(model)
        return list(self.models)

    def merge(self, models: Sequence[FoundModel], cancel: CancelToken) -> Sequence[FoundModel]:
        return models

    def catalogue(self) -> Sequence[CatalogueModel]:
        return self.listed

    def sources(self) -> Sequence[LibrarySource]:
        return [
            *(source for source in super().sources() if source.by_user),
            LibrarySource("Packbench", Path("/models"), True, False),
            LibrarySource("Jan", Path("/home/eva/jan/models"), False, False),
        ]

    def try_out(
        self,
        path: Path,
        settings: FitSettings,
        prompt: str,
        on_progress: Callable[[str, str], None],
        cancel: CancelToken,
    ) -> ModelTrial:
        self.tried.append((path, settings, prompt))
        on_progress("answering…", "Hello")
        if isinstance(self.trial, AppError):
            raise self.trial
        return self.trial


def with_free(mib: float) -> Machine:
    return replace(MACHINE, memory=replace(MACHINE.memory, available_mib=mib, system_available_mib=mib))
