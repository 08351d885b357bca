"""The models of the place and what the present settings make of each. Free of Qt, and fast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from desktop.inference.machine.budget import MemoryBudget
from desktop.inference.machine.machine import MemoryReading
from desktop.inference.memory_fit.estimator import Estimate, Estimator, card_key, settings_as_measured
from desktop.inference.memory_fit.fit import FitModel, LoadMode, engine_settings, predict
from desktop.inference.memory_fit.history import Measurement
from desktop.inference.memory_fit.speed import SpeedRange
from desktop.inference.memory_fit.verdict import (
    FitVerdict,
    Remedy,
    better_load_mode,
    judge,
    largest_context,
    remedies,
)
from desktop.inference.model_files.catalogue import CatalogueModel
from desktop.inference.model_files.library import FoundModel


@dataclass(frozen=True, slots=True)
class FitOptions:
    """What the controls say. context_tokens: of one slot times slots."""

    context_tokens: int = 4096
    slots: int = 1
    cache_type: str = "f16"

    @property
    def total_context(self) -> int:
        return self.context_tokens * self.slots


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One model: found here, or from the catalogue. model: None for a file that cannot be run."""

    key: str
    """Stays the same through every change."""
    family: str
    quantization: str
    size_mib: float
    model: FitModel | None
    problem: str = ""
    found: FoundModel | None = None
    listed: CatalogueModel | None = None
    measurements: tuple[Measurement, ...] = ()

    @property
    def is_here(self) -> bool:
        return self.found is not None

    @property
    def name(self) -> str:
        return f"{self.family} {self.quantization}".strip()


@dataclass(frozen=True, slots=True)
class ModelRow:
    """An entry under the present settings. first_of_family: its name leads a group."""

    entry: ModelEntry
    estimate: Estimate | None
    largest: int | None
    measured: Measurement | None
    first_of_family: bool = True

    @property
    def verdict(self) -> FitVerdict:
        return self.estimate.judgement.verdict if self.estimate else FitVerdict.UNKNOWN

    @property
    def need_mib(self) -> float | None:
        return self.estimate.prediction.need if self.estimate else None


class Workbench:
    """Holds the entries and the settings, and gives the rows."""

    def __init__(self, estimator: Estimator) -> None:
        self._estimator = estimator
        self._entries: dict[str, ModelEntry] = {}
        self._largest: dict[tuple[str, int, str, float], int | None] = {}
        self._fixed: dict[tuple[str, str], tuple[LoadMode, SpeedRange | None]] = {}
        self.choice = FitOptions()

    @property
    def estimator(self) -> Estimator:
        return self._estimator

    @property
    def budget(self) -> MemoryBudget | None:
        return self._estimator.budget

    def set_estimator(self, estimator: Estimator) -> None:
        """Another machine or other lessons: everything is computed anew."""
        self._estimator = estimator
        self._largest.clear()
        self._fixed.clear()
        self._entries = {
            key: replace(entry, measurements=self._measurements(entry.found))
            for key, entry in self._entries.items()
        }

    def set_memory(self, memory: MemoryReading) -> None:
        """Only the memory has changed."""
        self._estimator.machine = replace(self._estimator.machine, memory=memory)
        self._largest.clear()

    def set_found(self, models: Iterable[FoundModel]) -> None:
        """Instead of all that were found before; the catalogue stays."""
        listed = {key: entry for key, entry in self._entries.items() if not entry.is_here}
        self._entries = {}
        for model in models:
            self.add_found(model)
        self._entries |= listed

    def add_found(self, model: FoundModel) -> None:
        card = model.card
        key = str(model.places[0].path)
        self._entries[key] = ModelEntry(
            key=key,
            family=card.family,
            quantization=card.quantization or "",
            size_mib=card.size_bytes / 2**20,
            model=FitModel.of(card.facts) if card.facts is not None else None,
            problem=card.problem,
            found=model,
            measurements=self._measurements(model),
        )

    def set_catalogue(self, models: Sequence[CatalogueModel]) -> None:
        here = {
            (entry.family.casefold(), entry.quantization) for entry in self._entries.values() if entry.is_here
        }
        for listed in models:
            key = f"catalogue:{listed.name}:{listed.quantization}"
            self._entries.pop(key, None)
            if (listed.name.casefold(), listed.quantization) in here:
                continue
            self._entries[key] = ModelEntry(
                key=key,
                family=listed.name,
                quantization=listed.quantization,
                size_mib=listed.facts.file_bytes / 2**20,
                model=FitModel.of(listed.facts),
                listed=listed,
            )

    @property
    def entries(self) -> Sequence[ModelEntry]:
        return tuple(self._entries.values())

    def entry(self, key: str) -> ModelEntry | None:
        return self._entries.get(key)

    def rows(self) -> list[ModelRow]:
        """All entries, families together: those with a model here first, then by the family's least size."""
        least: dict[str, float] = {}
        here: dict[str, bool] = {}
        for entry in self._entries.values():
            least[entry.family] = min(least.get(entry.family, entry.size_mib), entry.size_mib)
            here[entry.family] = here.get(entry.family, False) or entry.is_here
        ordered = sorted(
            self._entries.values(),
            key=lambda entry: (
                bool(entry.problem),
                not here[entry.family],
                least[entry.family],
                entry.family,
                entry.size_mib,
                not entry.is_here,
            ),
        )
        rows: list[ModelRow] = []
        before = None
        for entry in ordered:
            rows.append(self.row(entry, entry.family != before))
            before = entry.family
        return rows

    def row(self, entry: ModelEntry, first_of_family: bool = True) -> ModelRow:
        if entry.model is None:
            return ModelRow(entry, None, None, None, first_of_family)
        choice = self.choice
        load_mode, speed = self._fixed_of(entry, entry.model)
        settings = engine_settings(
            choice.total_context,
            slots=choice.slots,
            cache_type=choice.cache_type,
            repack_types=self._estimator.machine.processor.repack_types,
            load_mode=load_mode,
            base_mib=self._estimator.base_mib,
        )
        measured = None
        if entry.measurements:
            settings, measured = settings_as_measured(entry.model, settings, entry.measurements)
        prediction = predict(entry.model, settings)
        estimate = Estimate(settings, prediction, judge(prediction, self.budget), speed)
        return ModelRow(entry, estimate, self._largest_of(entry, estimate), measured, first_of_family)

    def remedies_of(self, row: ModelRow, least_context: int | None = None) -> tuple[Remedy, ...]:
        """What would make it fit, the first to be offered first; nothing for what fits."""
        budget, entry = self.budget, row.entry
        if budget is None or row.estimate is None or entry.model is None:
            return ()
        if row.verdict not in (FitVerdict.TIGHT, FitVerdict.NO):
            return ()
        smaller = [
            (other.quantization, other.model)
            for other in self._entries.values()
            if other.model is not None and other.family == entry.family and other.key != entry.key
        ]
        return remedies(
            entry.model,
            row.estimate.settings,
            budget,
            smaller=smaller,
            least_context=(least_context or 1024) * self.choice.slots,
        )

    def would_fit_alone(self, row: ModelRow) -> bool:
        """Too little is free now, but the machine has enough."""
        budget = self.budget
        if budget is None or row.estimate is None or row.verdict not in (FitVerdict.TIGHT, FitVerdict.NO):
            return False
        return row.estimate.prediction.need + row.estimate.judgement.margin <= budget.total - budget.reserve

    def _fixed_of(self, entry: ModelEntry, model: FitModel) -> tuple[LoadMode, SpeedRange | None]:
        """What no slider changes."""
        key = (entry.key, self.choice.cache_type)
        if key not in self._fixed:
            mode = better_load_mode(model, self._estimator.machine.processor.repack_types)
            self._fixed[key] = (mode, self._estimator.speed(model, self.choice.cache_type))
        return self._fixed[key]

    def _largest_of(self, entry: ModelEntry, estimate: Estimate) -> int | None:
        """Does not depend on the context, so it is kept while that slides."""
        budget = self.budget
        if budget is None or entry.model is None:
            return None
        # A measured peak moves the program's own part, for the context it was measured at.
        base_mib = estimate.settings.base_mib
        key = (entry.key, self.choice.slots, self.choice.cache_type, base_mib)
        if key not in self._largest:
            self._largest[key] = largest_context(entry.model, estimate.settings, budget)
        return self._largest[key]

    def _measurements(self, found: FoundModel | None) -> tuple[Measurement, ...]:
        return self._estimator.measured(card_key(found.card)) if found is not None else ()
