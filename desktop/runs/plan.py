"""What a run will do, made and shown before anything is run: which models, which examples, how long."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from desktop.inference.backends.base import JsonValue, ModelRef
from desktop.runs.estimate import HOUR_S, TimeRange, candidate_seconds, planned_range, rounded
from desktop.runs.settings import RunSettings
from desktop.runs.work import Work
from packs.errors import AppError
from packs.registry import nearest

MIB = 2**20
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class Assessment:
    """What is known of one model before it is loaded.

    verdict: 'fits', 'does-not-fit', 'unknown', 'not-applicable'. words: the verdict as a sentence.
    predicted_mib: the peak; arithmetic: how it comes about. unsuitable: why it answers no prompt at all (an
    embedding model), '' when it does. tokens_per_second: measured here before, else None.
    """

    verdict: str = "unknown"
    message: str = ""
    predicted_mib: float | None = None
    arithmetic: Mapping[str, JsonValue] = field(default_factory=dict)
    unsuitable: str = ""
    tokens_per_second: float | None = None


Assess = Callable[[ModelRef, int], Assessment]
"""(model, context in tokens) -> what is known. Given by the composition root from `desktop.hardware`."""


def assess_nothing(model: ModelRef, context_tokens: int) -> Assessment:
    """When nothing can be known beforehand."""
    return Assessment(message="Nothing is known about the memory this model needs.")


@dataclass(frozen=True, slots=True)
class PlannedCandidate:
    model: ModelRef
    assessment: Assessment
    seconds: int
    """By the format's own estimate."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """code: 'does-not-fit', 'unsuitable', 'remote'. reason: a sentence."""

    name: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class RunPlan:
    """candidates: in order of running, largest first. examples: ids in the pack's order."""

    candidates: tuple[PlannedCandidate, ...]
    left_out: tuple[LeftOut, ...]
    examples: tuple[str, ...]
    repetitions: int
    expected: TimeRange
    total_seconds: int
    notices: tuple[str, ...] = ()

    @property
    def units_per_candidate(self) -> int:
        return len(self.examples) * self.repetitions

    @property
    def total_minutes(self) -> int:
        return rounded(self.total_seconds / 60)

    @property
    def over_an_hour(self) -> bool:
        return self.total_seconds > HOUR_S

    @property
    def peak_mib(self) -> float | None:
        """The highest predicted; None when any is unknown."""
        peaks = [entry.assessment.predicted_mib for entry in self.candidates]
        known = [peak for peak in peaks if peak is not None]
        return max(known) if known and len(known) == len(peaks) else None


def choose(
    models: Sequence[ModelRef], settings: RunSettings, *, hint: str
) -> tuple[list[ModelRef], list[LeftOut]]:
    """Which of the `models` that a backend has are considered (task-pack format, section 13.1).

    Named ones alone if any were named; else the configured ones, then all others if local models are wanted.
    A name without a tag also finds '<name>:latest'. Raises AppError for a name that is not there, and for a
    named remote model unless that is allowed. hint: what to do when there are none.
    """
    left_out: list[LeftOut] = []
    if settings.models:
        named = _unique([_find(name, models) for name in settings.models])
        for model in named:
            if model.remote and not settings.allow_remote:
                raise AppError(
                    f"{model.name} runs on somebody else's computer: your examples would be sent there.",
                    "Allow other computers for this run (--allow-remote on the command line), or name another.",
                    code="remote_not_allowed",
                )
        return named, left_out
    wanted = [_find(name, models) for name in settings.configured]
    if settings.use_local_models:
        wanted += models
    chosen: list[ModelRef] = []
    for model in _unique(wanted):
        if model.remote and not settings.allow_remote:
            left_out.append(LeftOut(model.name, "remote", "It runs on somebody else's computer."))
        else:
            chosen.append(model)
    if not chosen:
        raise AppError("There is no model to run.", hint, code="no_candidates")
    return chosen, left_out


def _find(name: str, models: Sequence[ModelRef]) -> ModelRef:
    for wanted in (name, f"{name}:latest"):
        for model in models:
            if model.name == wanted or (model.path is not None and str(model.path) == wanted):
                return model
    like = nearest(name, [model.name for model in models])
    fix = f"Did you mean '{like}'?" if like else _those_here(models)
    raise AppError(f"There is no model '{name}' here.", fix, code="no_such_model")


def _those_here(models: Sequence[ModelRef]) -> str:
    if not models:
        return "Add a model first: a GGUF file that writes text."
    more = " and others" if len(models) > _MAX_NAMED else ""
    return f"Here are {', '.join(model.name for model in models[:_MAX_NAMED])}{more}."


def _unique(models: Sequence[ModelRef]) -> list[ModelRef]:
    by_name: dict[str, ModelRef] = {}
    for model in models:
        by_name.setdefault(model.name, model)
    return list(by_name.values())


def make_plan(
    work: Work,
    models: Sequence[ModelRef],
    settings: RunSettings,
    assess: Assess = assess_nothing,
    left_out: Sequence[LeftOut] = (),
) -> RunPlan:
    """The plan over the chosen `models`. Raises AppError when nothing is left to run, or for a bad limit.

    Those that do not fit are left out and named, unless forced or named by the person.
    """
    repetitions = work.sampling.repetitions if settings.repetitions is None else settings.repetitions
    for name, number in (
        ("limit", settings.limit),
        ("repetitions", repetitions),
        ("parallel", settings.parallel),
    ):
        if number is not None and number < 1:
            raise AppError(f"{name} is {number}.", "It must be 1 or more.", code=f"bad_{name}")
    examples = spread(work.example_ids, work.label, settings.limit)
    units = len(examples) * repetitions
    skipped = list(left_out)
    kept: list[tuple[ModelRef, Assessment]] = []
    for model in models:
        found = assess(model, work.sampling.context_tokens)
        unsuitable = model.unsuitable_because or found.unsuitable
        if unsuitable:
            skipped.append(LeftOut(model.name, "unsuitable", unsuitable))
        elif found.verdict == "does-not-fit" and not settings.force and not settings.models:
            skipped.append(LeftOut(model.name, "does-not-fit", found.message))
        else:
            kept.append((model, found))
    if not kept:
        raise _nothing_left(skipped)
    kept.sort(key=lambda entry: -(entry[0].size_bytes or 0))
    candidates = [
        PlannedCandidate(
            model, found, candidate_seconds(units, work.sampling.max_tokens, found.tokens_per_second)
        )
        for model, found in kept
    ]
    expected = TimeRange(0.0, 0.0)
    for _, found in kept:
        expected = expected + planned_range(units, work.sampling.max_tokens, found.tokens_per_second)
    return RunPlan(
        tuple(candidates),
        tuple(skipped),
        tuple(examples),
        repetitions,
        expected,
        sum(entry.seconds for entry in candidates),
    )


def _nothing_left(skipped: Sequence[LeftOut]) -> AppError:
    if any(entry.code == "does-not-fit" for entry in skipped):
        fix = "Close other programs, choose a smaller context or a smaller model, or force the run."
    else:
        fix = "Add a model that writes text."
    named = "; ".join(f"{entry.name}: {entry.reason}" for entry in skipped[:8])
    return AppError(f"None of the models can be run. {named}".strip(), fix, code="nothing_to_run")


def spread(example_ids: Sequence[str], label: Callable[[str], str], limit: int | None) -> list[str]:
    """So many examples, taken evenly from every label, in the pack's order; all of them without a limit.

    Within a label they are taken evenly over the pack, so that a pack sorted by anything is sampled fairly.
    """
    ids = list(example_ids)
    if limit is None or limit >= len(ids):
        return ids
    by_label: dict[str, list[str]] = {}
    for example in ids:
        by_label.setdefault(label(example), []).append(example)
    shares = {name: len(members) * limit / len(ids) for name, members in by_label.items()}
    counts = {name: int(share) for name, share in shares.items()}
    # Largest remainder; labels with nothing yet come first, then the order in the pack.
    order = sorted(by_label, key=lambda name: (counts[name] > 0, -(shares[name] - counts[name])))
    for name in order[: limit - sum(counts.values())]:
        counts[name] += 1
    taken: set[str] = set()
    for name, members in by_label.items():
        count = counts[name]
        taken.update(members[(2 * number + 1) * len(members) // (2 * count)] for number in range(count))
    return [example for example in ids if example in taken]
