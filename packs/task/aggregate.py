"""What the units of one candidate come to: quality, spread, latency, flags (task-pack format, section 10)."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from packs.statistics.wilson import Interval, wilson_interval
from packs.task.outcome import Cause, CauseKind
from packs.task.text import is_blank


@dataclass(frozen=True, slots=True)
class UnitResult:
    """One unit as the figures need it. repetition from 1; times in milliseconds; None where unknown.

    status: 'completed', 'failed', 'skipped', 'pending'. retried: left out of latency figures.
    """

    example: str
    repetition: int
    status: str
    score: float | None = None
    passed: bool | None = None
    output: str = ""
    finish_reason: str = ""
    ttft_ms: float | None = None
    tokens_per_second: float | None = None
    wall_ms: float | None = None
    failed_gate: str | None = None
    cause: Cause | None = None
    near_misses: tuple[str, ...] = ()
    """Codes."""
    retried: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A median with smallest and largest."""

    median: float
    smallest: float
    largest: float


@dataclass(frozen=True, slots=True)
class Summary:
    """One candidate.

    quality: mean score over completed units with a score. pass_rate: share of them passed. Both in [0, 1].
    repetition_means: repetition and mean score, in order. spread: smallest and largest of them; no uncertainty.
    deterministic: None when no example has two completed repetitions. truncated_empty: cut at the limit with
    nothing to see. gates_passed: None without completed units. gate_failures: by name of the first that failed.
    memory_delta_percent: measured against predicted.
    example_scores: mean score of each example, in order of first appearance; the basis of paired comparisons.
    pass_interval, quality_interval: 95 % Wilson bounds over examples (not units: repetitions add no examples).
    """

    completed: int
    failed: int
    skipped: int
    pending: int
    quality: float | None
    pass_rate: float | None
    repetition_means: tuple[tuple[int, float], ...]
    spread: tuple[float, float] | None
    ttft: Figure | None
    tokens_per_second: Figure | None
    wall_total_ms: float
    deterministic: bool | None
    truncated_empty: int
    gates_passed: bool | None
    gate_failures: Mapping[str, int]
    memory_delta_percent: float | None
    causes: Mapping[Cause, int] = field(default_factory=dict)
    near_misses: Mapping[str, int] = field(default_factory=dict)
    example_scores: Mapping[str, float] = field(default_factory=dict)
    example_passes: Mapping[str, float] = field(default_factory=dict)
    quality_interval: Interval | None = None
    pass_interval: Interval | None = None

    @property
    def spread_is_shown(self) -> bool:
        """Only when it is at least 1e-9 wide."""
        return self.spread is not None and self.spread[1] - self.spread[0] >= 1e-9

    @property
    def units(self) -> int:
        return self.completed + self.failed + self.skipped + self.pending

    def count_of(self, kind: CauseKind) -> int:
        """Units whose cause is of this kind."""
        return sum(count for cause, count in self.causes.items() if cause.kind is kind)


def summarise(
    units: Sequence[UnitResult], *, predicted_mib: float | None = None, peak_mib: float | None = None
) -> Summary:
    """All figures of one candidate from its units."""
    completed = [unit for unit in units if unit.status == "completed"]
    scored = [unit for unit in completed if unit.score is not None]
    states = Counter(unit.status for unit in units)
    means = _repetition_means(scored)
    gate_failures = Counter(unit.failed_gate for unit in completed if unit.failed_gate is not None)
    timed = [unit for unit in completed if not unit.retried]
    scores = _by_example(scored, lambda unit: unit.score or 0.0)
    passes = _by_example(scored, lambda unit: float(bool(unit.passed)))
    return Summary(
        completed=len(completed),
        failed=states["failed"],
        skipped=states["skipped"],
        pending=states["pending"],
        quality=_mean([unit.score for unit in scored if unit.score is not None]),
        pass_rate=_mean([float(bool(unit.passed)) for unit in scored]),
        repetition_means=means,
        spread=(min(mean for _, mean in means), max(mean for _, mean in means)) if means else None,
        ttft=figure(unit.ttft_ms for unit in timed),
        tokens_per_second=figure(unit.tokens_per_second for unit in timed),
        wall_total_ms=sum(unit.wall_ms or 0.0 for unit in completed),
        deterministic=_deterministic(completed),
        truncated_empty=sum(unit.finish_reason == "length" and is_blank(unit.output) for unit in completed),
        gates_passed=not gate_failures if completed else None,
        gate_failures=dict(gate_failures),
        memory_delta_percent=memory_delta_percent(predicted_mib, peak_mib),
        causes=dict(Counter(unit.cause for unit in units if unit.cause is not None)),
        near_misses=dict(Counter(code for unit in units for code in set(unit.near_misses))),
        example_scores=scores,
        example_passes=passes,
        quality_interval=wilson_interval(min(sum(scores.values()), len(scores)), len(scores))
        if scores
        else None,
        pass_interval=wilson_interval(min(sum(passes.values()), len(passes)), len(passes)) if passes else None,
    )


def figure(values: Iterable[float | None]) -> Figure | None:
    """Median (mean of the middle two when even), smallest and largest of the known values."""
    known = [value for value in values if value is not None]
    return Figure(statistics.median(known), min(known), max(known)) if known else None


def memory_delta_percent(predicted_mib: float | None, peak_mib: float | None) -> float | None:
    """(measured − predicted) / predicted × 100; None without both."""
    if predicted_mib is None or peak_mib is None or predicted_mib <= 0:
        return None
    return (peak_mib - predicted_mib) / predicted_mib * 100


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _repetition_means(scored: Sequence[UnitResult]) -> tuple[tuple[int, float], ...]:
    by_repetition: dict[int, list[float]] = defaultdict(list)
    for unit in scored:
        if unit.score is not None:
            by_repetition[unit.repetition].append(unit.score)
    return tuple((number, sum(values) / len(values)) for number, values in sorted(by_repetition.items()))


def _by_example(scored: Sequence[UnitResult], value: Callable[[UnitResult], float]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for unit in scored:
        values.setdefault(unit.example, []).append(value(unit))
    return {example: sum(entries) / len(entries) for example, entries in values.items()}


def _deterministic(completed: Sequence[UnitResult]) -> bool | None:
    outputs: dict[str, list[str]] = defaultdict(list)
    for unit in completed:
        outputs[unit.example].append(unit.output)
    repeated = [texts for texts in outputs.values() if len(texts) > 1]
    return all(len(set(texts)) == 1 for texts in repeated) if repeated else None
