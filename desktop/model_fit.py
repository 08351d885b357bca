"""One model on this machine at one context: header, arithmetic, verdict and its words, put together once.

Used by the commands, by the window, and before a run to decide what is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from desktop.backends.base import ModelRef
from desktop.hardware.facts import facts_from_gguf
from desktop.hardware.fit import FitModel, FitSettings, Prediction, engine_settings, predict
from desktop.hardware.gguf import read_gguf
from desktop.hardware.machine import Machine
from desktop.hardware.speed import SpeedRange, default_speed, expected_speed, token_cost
from desktop.hardware.verdict import (
    Budget,
    Judgement,
    Remedy,
    RemedyKind,
    Verdict,
    judge,
    largest_context,
    remedies,
)
from desktop.runs.plan import Assess, Assessment
from packs.errors import AppError

_GIB = 1024.0


@dataclass(frozen=True, slots=True)
class ModelFit:
    """What is known before the model is loaded; everything in MiB and tokens. prediction: None when the file
    could not be read; then `words` say why."""

    verdict: Verdict
    words: str
    prediction: Prediction | None = None
    judgement: Judgement | None = None
    settings: FitSettings | None = None
    largest_context: int | None = None
    trained_context: int | None = None
    speed: SpeedRange | None = None
    remedies: tuple[Remedy, ...] = ()


def fit_of(path: Path, context_tokens: int, machine: Machine, *, cache_type: str = "f16") -> ModelFit:
    """Reads the header only. Never raises for what the file holds."""
    try:
        facts = facts_from_gguf(read_gguf(path))
        model = FitModel.of(facts)
        settings = engine_settings(
            context_tokens, cache_type=cache_type, repack_types=machine.processor.repack_types
        )
        prediction = predict(model, settings)
    except AppError as error:
        return ModelFit(Verdict.UNKNOWN, str(error))
    budget = machine.memory.budget
    judgement = judge(prediction, budget)
    offered = remedies(model, settings, budget) if budget and judgement.verdict in _WANTS_REMEDY else ()
    speed = None
    if machine.bandwidth is not None:
        speed = expected_speed(token_cost(model, cache_type=cache_type), default_speed(machine.bandwidth.gbps))
    return ModelFit(
        judgement.verdict,
        verdict_words(prediction, judgement, budget, offered),
        prediction,
        judgement,
        settings,
        largest_context(model, settings, budget) if budget else None,
        facts.trained_context,
        speed,
        offered,
    )


_WANTS_REMEDY = (Verdict.TIGHT, Verdict.NO)


def verdict_words(
    prediction: Prediction, judgement: Judgement, budget: Budget | None, offered: tuple[Remedy, ...] = ()
) -> str:
    """One or two sentences: 'Tight: needs 9.06 GiB, 9.40 GiB are free now. Close other programs, or …'."""
    need = _gib(prediction.need)
    if budget is None:
        return f"Needs {need}; how much memory is free is not known."
    needs = f"needs {need}, {_gib(budget.available)} are free now"
    match judgement.verdict:
        case Verdict.COMFORTABLE:
            return f"Comfortable: {needs}."
        case Verdict.FITS:
            return f"Fits: {needs}."
        case Verdict.TIGHT:
            return f"Tight: {needs}. Close other programs{_or_remedy(offered)}."
        case Verdict.NO:
            return f"Does not fit: {needs}. It is short of {_gib(judgement.short)}{_instead(offered)}."
        case Verdict.UNKNOWN:
            return f"Needs {need}; whether that fits is not known."


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


def assessor(machine: Machine) -> Assess:
    """For planning: what is known of a model before it is loaded."""

    def assess(model: ModelRef, context_tokens: int) -> Assessment:
        if model.path is None:
            return Assessment("not-applicable", "Its memory belongs to the server that runs it.")
        fit = fit_of(model.path, context_tokens, machine)
        return Assessment(
            _PLAN_VERDICTS[fit.verdict],
            fit.words,
            fit.prediction.peak if fit.prediction else None,
            arithmetic(fit),
            unsuitable=model.unsuitable_because or "",
        )

    return assess


_PLAN_VERDICTS = {
    Verdict.COMFORTABLE: "fits",
    Verdict.FITS: "fits",
    Verdict.TIGHT: "fits",
    Verdict.NO: "does-not-fit",
    Verdict.UNKNOWN: "unknown",
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
