"""Which candidate to use: the entry for both rules and what they share (task-pack format, section 17)."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from packs.errors import AppError
from packs.statistics.more_examples import NoNumber
from packs.statistics.wilson import Interval

DEFAULT_MARGIN = 0.05
DEFAULT_CONFIDENCE = 0.8


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
    """Why a candidate was not picked. code: stable word; words: a sentence for a person.

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


def recommend(
    candidates: Sequence[Candidate],
    *,
    rule: Rule = Rule.PAIRED,
    rng: random.Random | None = None,
    tolerance: float = 0.02,
    margin: float = DEFAULT_MARGIN,
    confidence: float = DEFAULT_CONFIDENCE,
    floor: float | None = None,
    floor_text: str = "",
) -> Recommendation:
    """The recommendation of one run.

    rng: a seeded generator, so that the same journal always gives the same words; `random.Random(0)` if None.
    tolerance: share of the best quality, [0, 1), for the format's rule. margin: in quality, [0, 1); sureness:
    probability wanted, (0.5, 1). floor: quality reached by always giving the commonest answer, and floor_words
    what that answer is, for example "always answering 'other'".
    Raises AppError for settings outside their range.
    """
    from packs.task.paired_rule import paired_recommendation
    from packs.task.tolerance_rule import tolerance_recommendation

    if not 0 <= tolerance < 1:
        raise AppError(f"The tolerance is {tolerance:g}.", "Use 0 or more and less than 1.", code="tolerance")
    if not 0 <= margin < 1:
        raise AppError(f"The margin is {margin:g}.", "Use 0 or more and less than 1.", code="margin")
    if not 0.5 < confidence < 1:
        raise AppError(
            f"The sureness is {confidence:g}.", "Use more than 0.5 and less than 1.", code="sureness"
        )
    if rule is Rule.PEAK_WITHIN_TOLERANCE:
        return tolerance_recommendation(candidates, tolerance)
    return paired_recommendation(candidates, rng or random.Random(0), margin, confidence, floor, floor_text)


def why_not_finished(candidate: Candidate) -> NotPicked | None:
    """Why a candidate cannot be considered whatever its answers are; None when it finished with a score."""
    name = candidate.name
    if candidate.status == "oom":
        return NotPicked(name, "oom", f"{name} ran out of memory.")
    if candidate.status == "running":
        return NotPicked(name, "interrupted", f"{name} was interrupted.")
    if candidate.status != "completed":
        return NotPicked(name, "failed", f"{name} did not complete.")
    if candidate.quality is None:
        return NotPicked(name, "no_score", f"{name} has no scored answer.")
    return None


def frontier(candidates: Sequence[Candidate]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names not dominated and dominated, in input order (section 17.3).

    Axes: quality, measured peak, tokens per second. On an axis where either is unknown the two are equal.
    """
    kept: list[str] = []
    lost: list[str] = []
    for one in candidates:
        (lost if any(_dominates(other, one) for other in candidates) else kept).append(one.name)
    return tuple(kept), tuple(lost)


def _dominates(one: Candidate, other: Candidate) -> bool:
    gains = []
    for mine, theirs, larger_is_better in (
        (one.quality, other.quality, True),
        (one.peak_mib, other.peak_mib, False),
        (one.tokens_per_second, other.tokens_per_second, True),
    ):
        if mine is not None and theirs is not None:
            gains.append(mine - theirs if larger_is_better else theirs - mine)
    return all(gain >= 0 for gain in gains) and any(gain > 0 for gain in gains)


def footprint_of(candidates: Sequence[Candidate]) -> str:
    """What sizes are compared by: 'memory', 'weights', or 'none' for models behind an API."""
    if candidates and all(candidate.peak_mib is not None for candidate in candidates):
        return "memory"
    return "none" if all(not candidate.weights_mib for candidate in candidates) else "weights"


def size_of(candidate: Candidate, footprint: str) -> float:
    """MiB by the given footprint; 0 with 'none'."""
    if footprint == "memory":
        return candidate.peak_mib or 0.0
    return (candidate.weights_mib or 0.0) if footprint == "weights" else 0.0


def name_key(name: str) -> tuple[str, str, str]:
    """Alphabetical as people sort: accents and case last, small letters before capitals."""
    decomposed = unicodedata.normalize("NFD", name.casefold())
    bare = "".join(char for char in decomposed if not unicodedata.combining(char))
    return bare, name.casefold(), name.swapcase()
