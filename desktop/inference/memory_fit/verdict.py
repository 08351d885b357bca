"""Does it fit, by how much, and what would make it fit (memory-fit specification, section 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from desktop.inference.machine.budget import MemoryBudget
from desktop.inference.memory_fit.fit import FitModel, FitSettings, LoadMode, Prediction, predict

_MARGIN_SHARE = 0.03
_ESTIMATE_SHARE = 0.15
_MARGIN_MIB = 32.0
CONTEXT_STEP = 1024
SMALL_MICRO_BATCH = 128
_LONGEST_CONTEXT = 1 << 20


class FitVerdict(StrEnum):
    COMFORTABLE = "comfortable"
    FITS = "fits"
    TIGHT = "tight"
    NO = "no"
    UNKNOWN = "unknown"
    """The file or the free memory could not be read."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """margin: how far the prediction may be off. short: MiB that are missing for 'tight'; 0 otherwise."""

    verdict: FitVerdict
    margin: float
    short: float


class RemedyKind(StrEnum):
    """LOAD_MODE only where the person can choose it: the embedded engine takes the better one by itself."""

    SMALL_CACHE = "small_cache"
    SHORTER_CONTEXT = "shorter_context"
    SMALL_BATCH = "small_batch"
    SMALLER_QUANTIZATION = "smaller_quantization"
    LOAD_MODE = "load_mode"


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change after which the model fits. saves: MiB of `need`. label: the other quantization, else ''."""

    kind: RemedyKind
    settings: FitSettings
    need: float
    saves: float
    verdict: FitVerdict
    label: str = ""


def margin_of(prediction: Prediction) -> float:
    """MiB. Covers every measured row; wider where the architecture is unknown."""
    share = _ESTIMATE_SHARE if prediction.is_estimate else _MARGIN_SHARE
    return share * prediction.need + _MARGIN_MIB


def judge(prediction: Prediction, budget: MemoryBudget | None) -> Judgement:
    """`budget` None: the free memory is not known."""
    margin = margin_of(prediction)
    if budget is None:
        return Judgement(FitVerdict.UNKNOWN, margin, 0.0)
    free = budget.available - budget.reserve
    if prediction.peak + margin <= free:
        return Judgement(FitVerdict.COMFORTABLE, margin, 0.0)
    if prediction.need + margin <= free:
        return Judgement(FitVerdict.FITS, margin, 0.0)
    short = prediction.need + margin - budget.available
    return Judgement(FitVerdict.TIGHT, margin, 0.0) if short <= 0 else Judgement(FitVerdict.NO, margin, short)


def fits(prediction: Prediction, budget: MemoryBudget) -> bool:
    return judge(prediction, budget).verdict in (FitVerdict.COMFORTABLE, FitVerdict.FITS)


def largest_context(model: FitModel, settings: FitSettings, budget: MemoryBudget) -> int | None:
    """The longest context, all slots together, that still fits: a multiple of 1024, at most what was trained,
    which may be less than 1024.

    None: not even the shortest fits. Exact: `need` never falls when the context grows.
    """
    trained = min(model.facts.trained_context or _LONGEST_CONTEXT, _LONGEST_CONTEXT) * settings.slots
    if trained < CONTEXT_STEP:
        whole = replace(settings, context_tokens=trained)
        return trained if fits(predict(model, whole), budget) else None
    maximum = trained // CONTEXT_STEP

    def works(steps: int) -> bool:
        return fits(predict(model, replace(settings, context_tokens=steps * CONTEXT_STEP)), budget)

    steps = _largest(maximum, works)
    return steps * CONTEXT_STEP if steps else None


def remedies(
    model: FitModel,
    settings: FitSettings,
    budget: MemoryBudget,
    *,
    smaller: Sequence[tuple[str, FitModel]] = (),
    least_context: int = CONTEXT_STEP,
    can_choose_load_mode: bool = False,
) -> tuple[Remedy, ...]:
    """Each single change that makes the model fit, in the specification's order: the first is to be offered.

    smaller: other quantizations of the same model by name. least_context: what the pack cannot do without.
    """
    before = predict(model, settings)
    found: list[Remedy] = []

    def offer(kind: RemedyKind, changed: FitSettings, other: FitModel = model, label: str = "") -> None:
        after = predict(other, changed)
        verdict = judge(after, budget).verdict
        if verdict in (FitVerdict.COMFORTABLE, FitVerdict.FITS) and after.need < before.need:
            found.append(Remedy(kind, changed, after.need, before.need - after.need, verdict, label))

    if cache_can_be_small(model, settings):
        offer(RemedyKind.SMALL_CACHE, replace(settings, key_type="q8_0", value_type="q8_0"))
    shorter = _shorter(model, settings, budget, least_context)
    if shorter:
        offer(RemedyKind.SHORTER_CONTEXT, replace(settings, context_tokens=shorter))
    if settings.micro_batch_tokens > SMALL_MICRO_BATCH:
        offer(RemedyKind.SMALL_BATCH, replace(settings, micro_batch_tokens=SMALL_MICRO_BATCH))
    for label, other in sorted(smaller, key=lambda entry: -entry[1].facts.tensor_bytes):
        if other.facts.tensor_bytes < model.facts.tensor_bytes:
            offer(RemedyKind.SMALLER_QUANTIZATION, settings, other, label)
            if found and found[-1].kind is RemedyKind.SMALLER_QUANTIZATION:
                break
    if can_choose_load_mode:
        other_mode: LoadMode = "read" if settings.load_mode == "mapped" else "mapped"
        offer(RemedyKind.LOAD_MODE, replace(settings, load_mode=other_mode))
    return tuple(found)


def cache_can_be_small(model: FitModel, settings: FitSettings) -> bool:
    """Section 5: a quantised V needs flash attention, and heads of a multiple of 32."""
    facts = model.facts
    return (
        settings.key_type == "f16"
        and settings.flash_attention
        and bool(model.plan.attention)
        and facts.key_length % 32 == 0
        and facts.value_length % 32 == 0
    )


def better_load_mode(model: FitModel, repack_types: frozenset[str]) -> LoadMode:
    """'read' where most weights get a second, rearranged copy: mapping would hold both (section 2)."""
    repacked = sum(model.facts.repackable_bytes.get(name, 0) for name in repack_types)
    return "read" if repacked * 2 > model.facts.tensor_bytes else "mapped"


def _shorter(model: FitModel, settings: FitSettings, budget: MemoryBudget, least: int) -> int | None:
    trained = (model.facts.trained_context or _LONGEST_CONTEXT) * settings.slots
    maximum = min(settings.context_tokens - 1, trained) // CONTEXT_STEP
    if maximum < 1:
        return None
    steps = _largest(
        maximum,
        lambda count: fits(predict(model, replace(settings, context_tokens=count * CONTEXT_STEP)), budget),
    )
    return steps * CONTEXT_STEP if steps and steps * CONTEXT_STEP >= least else None


def _largest(maximum: int, works: Callable[[int], bool]) -> int:
    """The largest of 1 … most that works, 0 for none; what works for a number works for all below it."""
    low, high = 0, maximum
    while low < high:
        middle = (low + high + 1) // 2
        if works(middle):
            low = middle
        else:
            high = middle - 1
    return low
