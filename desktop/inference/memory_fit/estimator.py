"""What this machine makes of any model: settings, prediction, verdict, speed, and what was measured before.

Made once for a machine and a moment; then each question is arithmetic of some ten microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from desktop.inference.machine.budget import MemoryBudget
from desktop.inference.machine.machine import Machine
from desktop.inference.memory_fit.fit import (
    BASE_MIB,
    FitModel,
    FitSettings,
    Prediction,
    engine_settings,
    predict,
)
from desktop.inference.memory_fit.history import History, Measurement
from desktop.inference.memory_fit.speed import (
    MachineSpeed,
    SpeedRange,
    SpeedRun,
    TokenCost,
    calibrated_speed,
    default_speed,
    expected_speed,
    token_cost,
)
from desktop.inference.memory_fit.verdict import Judgement, better_load_mode, judge
from desktop.inference.model_files.file_card import FileCard


@dataclass(frozen=True, slots=True)
class Estimate:
    """settings: as the engine would be started. speed: None as long as the memory's speed is not measured."""

    settings: FitSettings
    prediction: Prediction
    judgement: Judgement
    speed: SpeedRange | None


class Estimator:
    """`history` None: nothing has been learned. Reads the history once, when made."""

    def __init__(self, machine: Machine, history: History | None = None) -> None:
        self.machine = machine
        self._history = history
        self.base_mib = history.base_mib(BASE_MIB) if history else BASE_MIB
        self._measured = history.latest() if history else {}

    @property
    def budget(self) -> MemoryBudget | None:
        return self.machine.memory.budget

    @cached_property
    def machine_speed(self) -> MachineSpeed | None:
        """None: neither the memory's speed nor any run is known."""
        threads = self.machine.processor.threads
        runs = self._history.speeds(threads) if self._history else ()
        learned = [
            SpeedRun(TokenCost(run.layers, run.fast_bytes, run.slow_bytes), run.tokens_per_second)
            for run in runs
            if run.tokens_per_second
        ]
        if self.machine.bandwidth is None:
            return calibrated_speed(default_speed(_MIDDLING_GBPS), learned) if learned else None
        return calibrated_speed(default_speed(self.machine.bandwidth.gbps), learned)

    def settings(
        self, model: FitModel, context_tokens: int, *, slots: int = 1, cache_type: str = "f16"
    ) -> FitSettings:
        types = self.machine.processor.repack_types
        return engine_settings(
            context_tokens,
            slots=slots,
            cache_type=cache_type,
            repack_types=types,
            load_mode=better_load_mode(model, types),
            base_mib=self.base_mib,
        )

    def estimate(self, model: FitModel, settings: FitSettings) -> Estimate:
        prediction = predict(model, settings)
        return Estimate(
            settings, prediction, judge(prediction, self.budget), self.speed(model, settings.key_type)
        )

    def speed(self, model: FitModel, cache_type: str = "f16") -> SpeedRange | None:
        if self.machine_speed is None:
            return None
        return expected_speed(token_cost(model, cache_type=cache_type), self.machine_speed)

    def measured(self, key: str) -> tuple[Measurement, ...]:
        """Newest first; `key` of `card_key`."""
        return self._measured.get(key, ())


def settings_as_measured(
    model: FitModel, settings: FitSettings, measurements: tuple[Measurement, ...]
) -> tuple[FitSettings, Measurement | None]:
    """The settings under which the predicted peak is what was measured here with them, and that measurement.

    The whole miss is laid to the process, so that the parts stay what they are. A peak more than a quarter off
    was taken under other conditions (pages were dropped, another program's file cache) and is only shown.
    """
    measured = measured_at(measurements, settings)
    if measured is None or measured.peak_mib is None:
        return settings, measured
    predicted = predict(model, settings).peak
    miss = measured.peak_mib - predicted
    if abs(miss) > _MAX_MISS * predicted:
        return settings, measured
    return replace(settings, base_mib=max(settings.base_mib + miss, 1.0)), measured


_MAX_MISS = 0.25
# Where only runs tell the speed, they scale a computer of usual memory.
_MIDDLING_GBPS = 30.0


def card_key(card: FileCard) -> str:
    """What a model is known by in the history: its content as far as the header tells, not its name."""
    return f"{card.architecture}:{card.quantization}:{card.parameters}:{card.size_bytes}"


def measured_at(measurements: tuple[Measurement, ...], settings: FitSettings) -> Measurement | None:
    """The newest measurement with the same context, slots and cache type."""
    for entry in measurements:
        same = (entry.context_tokens, entry.slots, entry.cache_type) == (
            settings.context_tokens,
            settings.slots,
            settings.key_type,
        )
        if same and entry.peak_mib is not None:
            return entry
    return None
