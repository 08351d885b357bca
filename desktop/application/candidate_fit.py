"""One model on this machine at one context: header, arithmetic, verdict and its words, put together once.

Used by the commands, by the window, and before a run to decide what is left out.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from desktop.inference.backends.base import Backend, JsonValue, ModelRef, TellsMetadata
from desktop.inference.machine.budget import MemoryBudget
from desktop.inference.memory_fit.estimator import Estimator, card_key, settings_as_measured
from desktop.inference.memory_fit.fit import FitModel, FitSettings, Prediction, predict
from desktop.inference.memory_fit.history import Measurement
from desktop.inference.memory_fit.simple_fit import simple_fit
from desktop.inference.memory_fit.speed import SpeedRange
from desktop.inference.memory_fit.verdict import (
    FitVerdict,
    Judgement,
    Remedy,
    RemedyKind,
    judge,
    largest_context,
    remedies,
)
from desktop.inference.model_files.facts import ModelFacts, facts_from_metadata
from desktop.inference.model_files.file_card import FileCard, read_card
from desktop.inference.model_files.gguf import Value
from desktop.runs.plan import Assess, Assessment
from packs.errors import AppError

_GIB = 1024.0
_MAX_LISTED = 4096
"""Of one value a layer."""


@dataclass(frozen=True, slots=True)
class ModelFit:
    """What is known before the model is loaded; everything in MiB and tokens. prediction: None when the file
    could not be read or answers no prompt; then `words` say why. measured: here, last, with these settings."""

    verdict: FitVerdict
    message: str
    prediction: Prediction | None = None
    judgement: Judgement | None = None
    settings: FitSettings | None = None
    largest_context: int | None = None
    trained_context: int | None = None
    speed: SpeedRange | None = None
    remedies: tuple[Remedy, ...] = ()
    measured: Measurement | None = None


def fit_of(path: Path, context_tokens: int, estimator: Estimator, *, cache_type: str = "f16") -> ModelFit:
    """Reads the header only. Never raises for what the file holds."""
    return fit_of_card(read_card(path), context_tokens, estimator, cache_type=cache_type)


def simple_text(card: FileCard, context_tokens: int, free_mib: float | None) -> tuple[str, float | None]:
    """The short rule of the task-pack format: its verdict as it is spelled there, and its prediction in MiB."""
    found = simple_fit(card.scalars, card.size_bytes, context_tokens, free_mib)
    return found.verdict.value, found.predicted_mib


def fit_of_card(
    card: FileCard,
    context_tokens: int,
    estimator: Estimator,
    *,
    cache_type: str = "f16",
    smaller: Callable[[], Sequence[tuple[str, FitModel]]] = tuple,
) -> ModelFit:
    """The same for a file whose header has been read.

    smaller: other quantizations of the model by name, asked for only where the model does not fit.
    """
    if card.facts is None:
        return ModelFit(FitVerdict.UNKNOWN, card.problem)
    model = FitModel.of(card.facts)
    settings = estimator.settings(model, context_tokens, cache_type=cache_type)
    settings, measured = settings_as_measured(model, settings, estimator.measured(card_key(card)))
    found = estimator.estimate(model, settings)
    budget = estimator.budget
    offered: tuple[Remedy, ...] = ()
    if budget and found.judgement.verdict in _WANTS_REMEDY:
        offered = remedies(model, settings, budget, smaller=smaller())
    return ModelFit(
        found.judgement.verdict,
        verdict_text(found.prediction, found.judgement, budget, offered) + _measured_text(measured),
        found.prediction,
        found.judgement,
        settings,
        largest_context(model, settings, budget) if budget else None,
        card.facts.trained_context,
        found.speed,
        offered,
        measured,
    )


_WANTS_REMEDY = (FitVerdict.TIGHT, FitVerdict.NO)


def verdict_text(
    prediction: Prediction, judgement: Judgement, budget: MemoryBudget | None, offered: tuple[Remedy, ...] = ()
) -> str:
    """One or two sentences: 'Tight: needs 9.06 GiB, 9.40 GiB are free now. Close other programs, or …'."""
    need = _gib(prediction.need)
    if budget is None:
        return f"Needs {need}; how much memory is free is not known."
    needs = f"needs {need}, {_gib(budget.available)} are free now"
    match judgement.verdict:
        case FitVerdict.COMFORTABLE:
            return f"Comfortable: {needs}."
        case FitVerdict.FITS:
            return f"Fits: {needs}."
        case FitVerdict.TIGHT:
            return f"Tight: {needs}. Close other programs{_or_remedy(offered)}."
        case FitVerdict.NO:
            return f"Does not fit: {needs}. It is short of {_gib(judgement.short)}{_instead(offered)}."
        case FitVerdict.UNKNOWN:
            return f"Needs {need}; whether that fits is not known."


def _measured_text(measured: Measurement | None) -> str:
    if measured is None or measured.peak_mib is None:
        return ""
    return f" Measured here: {_gib(measured.peak_mib)} at its highest."


def _or_remedy(offered: tuple[Remedy, ...]) -> str:
    return f", or {_remedy(offered[0])}" if offered else ""


def _instead(offered: tuple[Remedy, ...]) -> str:
    return f"; it would fit if you {_remedy(offered[0])}" if offered else ""


def _remedy(remedy: Remedy) -> str:
    saved = f" (−{_gib(remedy.saves)})"
    match remedy.kind:
        case RemedyKind.SMALL_CACHE:
            return f"use 8-bit chat memory{saved}"
        case RemedyKind.SHORTER_CONTEXT:
            return f"choose a context of {remedy.settings.context_tokens:,} tokens{saved}"
        case RemedyKind.SMALL_BATCH:
            return f"read the prompt in smaller steps{saved}"
        case RemedyKind.SMALLER_QUANTIZATION:
            return f"take {remedy.label}{saved}"
        case RemedyKind.LOAD_MODE:
            return f"load it the other way{saved}"


def _gib(mib: float) -> str:
    return f"{mib / _GIB:.2f} GiB"


def fit_on_server(facts: ModelFacts, context_tokens: int, estimator: Estimator) -> ModelFit:
    """On another engine of this computer (Ollama) with settings of its own: an estimate with a wide margin.

    Mapped files, batches of 512, two snapshots: what llama.cpp does unless it is told otherwise.
    """
    model = FitModel.of(facts)
    settings = FitSettings(context_tokens, base_mib=estimator.base_mib)
    prediction = replace(predict(model, settings), is_estimate=True)
    judgement, budget = judge(prediction, estimator.budget), estimator.budget
    message = verdict_text(prediction, judgement, budget).replace("needs ", "needs about ", 1)
    return ModelFit(
        judgement.verdict,
        message,
        prediction,
        judgement,
        settings,
        largest_context(model, settings, budget) if budget else None,
        facts.trained_context,
    )


def facts_of_server(backend: Backend, models: Sequence[ModelRef]) -> dict[str, ModelFacts]:
    """By model name, from a server here that tells the metadata of its files; else nothing. Blocks."""
    if not isinstance(backend, TellsMetadata) or not backend.capabilities.local:
        return {}

    async def ask() -> dict[str, ModelFacts]:
        found: dict[str, ModelFacts] = {}
        for model in models:
            if model.remote or not model.size_bytes:
                continue
            with contextlib.suppress(AppError):
                metadata = await backend.metadata(model.name)
                found[model.name] = facts_from_metadata(
                    {key: known for key, value in metadata.items() if (known := _entry(value)) is not None},
                    model.size_bytes,
                    quantization=model.quantization,
                )
        return found

    return asyncio.run(ask())


def _entry(value: JsonValue) -> Value | None:
    """As in a header: one value, or one for each layer. None for anything else."""
    if isinstance(value, list):
        numbers = tuple(entry for entry in value if isinstance(entry, int | float))
        return numbers if len(numbers) == len(value) <= _MAX_LISTED else None
    return value if isinstance(value, int | float | str) else None


def assessor(estimator: Estimator, server: Mapping[str, ModelFacts] = MappingProxyType({})) -> Assess:
    """For planning: what is known of a model before it is loaded. server: of `facts_of_server`."""

    def assess(model: ModelRef, context_tokens: int) -> Assessment:
        if model.path is None and model.name in server:
            fit = fit_on_server(server[model.name], context_tokens, estimator)
            peak = fit.prediction.peak if fit.prediction else None
            return Assessment(_PLAN_VERDICTS[fit.verdict], fit.message, peak, arithmetic(fit))
        if model.path is None:
            return Assessment("not-applicable", "Its memory belongs to the server that runs it.")
        fit = fit_of(model.path, context_tokens, estimator)
        return Assessment(
            _PLAN_VERDICTS[fit.verdict],
            fit.message,
            fit.prediction.peak if fit.prediction else None,
            arithmetic(fit),
            unsuitable=model.unsuitable_because or "",
            tokens_per_second=fit.measured.tokens_per_second if fit.measured else None,
        )

    return assess


_PLAN_VERDICTS = {
    FitVerdict.COMFORTABLE: "fits",
    FitVerdict.FITS: "fits",
    FitVerdict.TIGHT: "fits",
    FitVerdict.NO: "does-not-fit",
    FitVerdict.UNKNOWN: "unknown",
}


def arithmetic(fit: ModelFit) -> dict[str, object]:
    """The parts of a prediction in MiB, for journal, report and `--json`; empty without one."""
    if fit.prediction is None:
        return {}
    found = fit.prediction
    return {
        "weights_mib": found.weights,
        "chat_memory_mib": found.chat_memory,
        "working_memory_mib": found.working_memory,
        "program_mib": found.program,
        "need_mib": found.need,
        "peak_mib": found.peak,
        "estimate": found.is_estimate,
        "verdict": fit.verdict.value,
    }


def fit_figures(fit: ModelFit) -> dict[str, object]:
    """What else is known, for `--json`. Unknown is null."""
    measured = fit.measured
    return {
        "largest_context_tokens": fit.largest_context,
        "trained_context_tokens": fit.trained_context,
        "expected_tokens_per_second": [fit.speed.low, fit.speed.high] if fit.speed else None,
        "measured": None
        if measured is None
        else {
            "peak_mib": measured.peak_mib,
            "tokens_per_second": measured.tokens_per_second,
            "engine": measured.engine,
            "at": measured.at,
        },
    }
