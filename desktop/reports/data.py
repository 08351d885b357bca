"""Everything a report says, gathered once, as plain frozen records. Renderers only turn it into bytes.

Proportions are 0 to 1, times milliseconds, memory MiB; unknown is None and never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from desktop.runs.records import CandidateRecord, RunRecord, UnitRecord
from packs.statistics.wilson import Interval
from packs.task.outcome import Cause

if TYPE_CHECKING:
    from packs.task.model import Example


class AnswerTone(StrEnum):
    """How the answer panel looks; always told in words as well."""

    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Spread:
    """Middle value with the smallest and the largest of `count` measured ones."""

    median: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class NearMissCount:
    """How often one small thing kept an answer from being read."""

    code: str
    message: str
    count: int


@dataclass(frozen=True, slots=True)
class CandidateView:
    """One model and what became of it.

    right of judged: examples answered rightly, of those that count. causes: units by cause, in the order of the
    report, none with count 0. same_text: were repetitions of an example equal to the byte?
    why_not: why it is not considered for the recommendation; empty when it is.
    """

    record: CandidateRecord
    right: int
    judged: int
    interval: Interval | None
    quality: float | None
    quality_spread: tuple[float, float] | None
    pass_rate: float | None
    causes: Mapping[Cause, int]
    near_misses: tuple[NearMissCount, ...] = ()
    gates_failed: Mapping[str, int] = field(default_factory=dict)
    ttft_cold: Spread | None = None
    ttft_warm: Spread | None = None
    tokens_per_second: Spread | None = None
    speed_source: str = ""
    wall_total_ms: float | None = None
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    memory_delta_percent: float | None = None
    same_text: bool | None = None
    cut_without_text: int = 0
    on_frontier: bool = False
    recommended: bool = False
    why_not: str = ""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def footprint_mib(self) -> float | None:
        """Measured peak, else the weights on disk, else None."""
        return self.record.peak_mib if self.record.peak_mib is not None else self.weights_mib

    @property
    def weights_mib(self) -> float | None:
        """Size of the model file."""
        return None if self.record.size_bytes is None else self.record.size_bytes / 2**20


@dataclass(frozen=True, slots=True)
class RunnerUp:
    name: str
    sentence: str


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """The result in words: `headline` is one sentence, `reason` one line, `limits` what restricts it."""

    headline: str
    reason: str
    limits: tuple[str, ...]
    tone: AnswerTone
    runners_up: tuple[RunnerUp, ...] = ()
    arithmetic: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PackView:
    """What the run's pack says, as it was when the run was planned.

    scoring: what scoring needs and nothing else (scorer, params, gates), or None when the snapshot lacks it.
    """

    name: str
    type: str
    scorer: str
    gates: tuple[str, ...]
    prompt: str
    generation: Mapping[str, object]
    provenance: Mapping[str, object]
    fingerprint: str
    scoring: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class ReportData:
    """One run, ready to be rendered. `created_at` is UTC, ISO 8601, and the only value that is not of the
    run.
    """

    run: RunRecord
    state: str
    """'finished', 'stopped', 'failed', 'running'."""
    pack: PackView
    answer: RunAnswer
    candidates: tuple[CandidateView, ...]
    examples: tuple[Example, ...]
    units: tuple[UnitRecord, ...]
    repetitions: int
    label: str
    """Who drafted the pack, as long as nobody has reviewed it; else empty."""
    notes: tuple[str, ...]
    local: str
    """What has left this computer."""
    environment: tuple[tuple[str, str], ...]
    methodology: tuple[str, ...]
    repeat: tuple[str, ...]
    """Commands, one a line."""
    elapsed_s: float | None
    program: str
    choice: Mapping[str, float | str | None]
    created_at: str

    @property
    def title(self) -> str:
        return f"Result: {self.pack.name}"
