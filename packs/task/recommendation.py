"""What a recommendation is made from and what it says, for both rules alike (task-pack format, section 17)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from packs.statistics.more_examples import NoNumber
from packs.statistics.wilson import Interval


class Rule(StrEnum):
    PAIRED = "paired"
    """Ours: how likely a smaller candidate is good enough, from the same examples answered by all."""
    PEAK_WITHIN_TOLERANCE = "peak-within-tolerance"
    """The format's own: the smallest footprint among those whose quality is within a share of the best."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a run, as both rules need it. Unknown is None.

    status: 'completed', 'failed', 'oom', 'running', or another word for 'did not complete'. quality: mean
    score. gate_failures: by gate. weights_mib: 0 for a model behind an API. example_scores, example_passes:
    mean over repetitions by example, of units that have a score. units_planned: all units; units_lost: those
    without a score for reasons that are not the model's doing.
    """

    name: str
    status: str
    quality: float | None
    gates_passed: bool | None = None
    gate_failures: Mapping[str, int] = field(default_factory=dict)
    peak_mib: float | None = None
    weights_mib: float | None = None
    tokens_per_second: float | None = None
    example_scores: Mapping[str, float] = field(default_factory=dict)
    example_passes: Mapping[str, float] = field(default_factory=dict)
    units_planned: int = 0
    units_lost: int = 0


@dataclass(frozen=True, slots=True)
class NotPicked:
    """Why a candidate was not picked. code: stable word; message: a sentence for a person.

    drop_percent: below the best, one decimal; extra_mib: more than the pick, whole.
    """

    name: str
    code: str
    message: str
    drop_percent: float | None = None
    extra_mib: int | None = None


@dataclass(frozen=True, slots=True)
class CandidateDecision:
    """What the paired rule says of one candidate.

    right, examples: passes among the examples that all eligible candidates answered (a fraction when
    repetitions differ). quality: mean score on them. interval: 95 % Wilson bounds of the share right.
    probability: that its true quality is no more than the margin below the best one's; None when it is not
    eligible. p_value: of a difference to the best, adjusted for all pairs; difference_shown: it is at most
    0.05. more_examples: about how many more would make it sure (95 %) that it is good enough, if it is as good
    as the best; 0 when it is sure already, either way. None when not eligible or `no_number` says why not.
    """

    name: str
    eligible: bool
    right: float
    examples: int
    quality: float | None
    interval: Interval | None
    probability: float | None
    p_value: float | None
    difference_shown: bool | None
    more_examples: int | None
    footprint_mib: float | None
    message: str
    no_number: NoNumber | None = None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The answer of a run. sentence comes first wherever it is shown; reasons are the arithmetic on demand.

    pick: None when no candidate can be recommended; none_because: 'no_candidates', 'none_eligible', 'floor'.
    footprint: 'memory', 'weights' or 'none': what smallness was measured by. frontier, dominated: names in
    input order. nearest: candidates with the reason why not, best first, when there is no pick. The last four
    fields belong to the paired rule; None or empty with the other one.
    """

    rule: Rule
    pick: str | None
    sentence: str
    frontier: tuple[str, ...] = ()
    dominated: tuple[str, ...] = ()
    excluded: tuple[NotPicked, ...] = ()
    runners_up: tuple[NotPicked, ...] = ()
    nearest: tuple[NotPicked, ...] = ()
    none_because: str | None = None
    footprint: str | None = None
    pick_is_best: bool | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    decisions: tuple[CandidateDecision, ...] = ()
    margin: float | None = None
    confidence: float | None = None
    more_examples: int | None = None

    @property
    def by_name(self) -> Mapping[str, CandidateDecision]:
        return {decision.name: decision for decision in self.decisions}
