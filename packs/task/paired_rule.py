"""Our recommendation: honest with few examples.

All eligible candidates are compared on the examples that every one of them answered. A joint posterior gives
the probability that a candidate's true quality is no more than a margin below the best one's; the smallest
candidate that reaches the wanted sureness is recommended. "No difference shown" is never taken for "equally
good".
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations

from packs import numbers
from packs.statistics.bootstrap import joint_posterior, share_within
from packs.statistics.more_examples import MoreExamples, more_examples
from packs.statistics.paired import holm, paired_p
from packs.statistics.pooling import pooled
from packs.statistics.wilson import Interval, wilson_interval
from packs.task.compared_candidates import footprint_of, frontier, name_key, size_of, why_not_finished
from packs.task.decision_text import SURE, DecisionText, PairedScores, decision_text, floor_sentence
from packs.task.recommendation import Candidate, CandidateDecision, NotPicked, Recommendation, Rule

MAX_LOST = 0.1
"""Share of units lost to server or machine beyond which a candidate is not considered."""
LEAST_DRAWS = 400
DRAWN_WEIGHTS = 300_000
"""Random weights for all draws together, about a third of a second."""
SAME_SIZE = 1.05
SAME_SIZE_MIB = 16
"""Sizes within 5 % and 16 MiB are the same; so much differs between two runs of one model."""
FEW_EXAMPLES = 20


def paired_recommendation(
    candidates: Sequence[Candidate],
    rng: random.Random,
    margin: float,
    confidence: float,
    floor: float | None,
    floor_text: str,
    draws: int = 2000,
    groups: Mapping[str, str] | None = None,
) -> Recommendation:
    """See `recommend`. draws: of the posterior; its probabilities are good to about one point."""
    rule = Rule.PAIRED
    if not candidates:
        return Recommendation(rule, None, "No model was run.", none_because="no_candidates")
    excluded = {one.name: reason for one in candidates if (reason := _why_not(one)) is not None}
    paired = _common([one for one in candidates if one.name not in excluded], groups or {})
    if not paired.candidates or not paired.count:
        return _none(rule, candidates, excluded, "none_eligible", _nothing_text(candidates, excluded))
    # Many different results make a draw dear; fewer draws will do then, since the figures are steadier as well.
    scores = [paired.by_group(index) for index in range(len(paired.candidates))]
    kinds = len(set(zip(*scores, strict=True)))
    wanted = max(LEAST_DRAWS, min(draws, DRAWN_WEIGHTS // kinds))
    posterior = pooled(joint_posterior(scores, rng, wanted, sizes=paired.sizes), scores, rng)
    best = max(range(len(paired.candidates)), key=paired.mean)
    footprint = footprint_of(paired.candidates)
    decisions = _decisions(paired, scores, posterior, rng, best, footprint, margin)
    for index, one in enumerate(paired.candidates):
        reason = _below_floor(one.name, paired, index, floor, floor_text)
        if reason is not None:
            excluded[one.name] = reason
    open_to_choice = [i for i, one in enumerate(paired.candidates) if one.name not in excluded]
    kept, lost = frontier(paired.candidates)
    reported = [
        decisions[one.name] if one.name in decisions else _left_out(one, excluded) for one in candidates
    ]
    warnings = _warnings(paired, candidates)
    if not open_to_choice:
        message = floor_sentence(paired, best, floor, floor_text)
        result = _none(rule, candidates, excluded, "floor", message)
        return Recommendation(
            rule,
            None,
            message,
            kept,
            lost,
            result.excluded,
            nearest=result.nearest,
            none_because="floor",
            decisions=tuple(reported),
            margin=margin,
            confidence=confidence,
            warnings=warnings,
        )
    by_size = sorted(open_to_choice, key=lambda i: _size_key(paired, i, footprint))
    likely = [i for i in by_size if (decisions[paired.candidates[i].name].probability or 0) >= confidence]
    best_open = max(open_to_choice, key=paired.mean)
    pick = _among_equals(paired, likely, footprint) if likely else best_open
    writer = DecisionText(paired, decisions, margin, confidence, footprint, best_open, pick)
    return Recommendation(
        rule,
        paired.candidates[pick].name,
        writer.sentence(by_size),
        kept,
        lost,
        tuple(excluded.values()),
        writer.runners(candidates, excluded),
        footprint=footprint,
        pick_is_best=pick == best_open,
        reasons=writer.reasons(posterior),
        warnings=warnings,
        decisions=tuple(reported),
        margin=margin,
        confidence=confidence,
        more_examples=decisions[paired.candidates[pick].name].more_examples,
    )


def _among_equals(paired: PairedScores, by_size: Sequence[int], footprint: str) -> int:
    """The best of those whose size is about that of the smallest; a few MiB of measured memory are noise."""
    smallest = size_of(paired.candidates[by_size[0]], footprint)
    equal = [
        i for i in by_size if size_of(paired.candidates[i], footprint) <= smallest * SAME_SIZE + SAME_SIZE_MIB
    ]

    def key(index: int) -> tuple[float, float, float, tuple[str, str, str]]:
        one = paired.candidates[index]
        return -paired.mean(index), one.weights_mib or 0.0, -(one.tokens_per_second or 0.0), name_key(one.name)

    return min(equal, key=key)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _common(candidates: list[Candidate], groups: Mapping[str, str]) -> PairedScores:
    shared = [
        example
        for example in (candidates[0].example_scores if candidates else ())
        if _in_all(example, candidates)
    ]
    places: dict[str, int] = {}
    return PairedScores(
        candidates,
        [[one.example_scores[example] for example in shared] for one in candidates],
        [[one.example_passes.get(example, 0.0) for example in shared] for one in candidates],
        [places.setdefault(groups.get(example, example), place) for place, example in enumerate(shared)],
    )


def _in_all(example: str, candidates: Sequence[Candidate]) -> bool:
    return all(example in one.example_scores for one in candidates)


def _why_not(candidate: Candidate) -> NotPicked | None:
    """Gates do not bar a candidate here: a failed gate has cost the unit its score already."""
    reason = why_not_finished(candidate)
    if reason is not None:
        return reason
    if candidate.units_planned and candidate.units_lost > MAX_LOST * candidate.units_planned:
        return NotPicked(
            candidate.name,
            "too_many_failures",
            f"{candidate.units_lost} of {candidate.units_planned} units of {candidate.name} have no score for "
            "reasons that are not the model's doing.",
        )
    return None


def _below_floor(
    name: str, paired: PairedScores, index: int, floor: float | None, floor_text: str
) -> NotPicked | None:
    mean = paired.mean(index)
    if mean <= 0:
        return NotPicked(name, "floor", f"{name} got nothing right.")
    if floor is not None and mean <= floor + 1e-9:
        message = floor_text or "always giving the commonest answer"
        return NotPicked(
            name, "floor", f"{name} is no better than {message} (quality {numbers.quality(floor)})."
        )
    return None


def _decisions(
    paired: PairedScores,
    scores: Sequence[Sequence[float]],
    posterior: Sequence[Sequence[float]],
    rng: random.Random,
    best: int,
    footprint: str,
    margin: float,
) -> dict[str, CandidateDecision]:
    pairs = list(combinations(range(len(paired.candidates)), 2))
    # A group of many examples weighs as many; of equal ones the scores alone decide.
    sizes = paired.sizes if paired.different < paired.count else [1.0] * paired.count
    weighed = [[score * size for score, size in zip(row, sizes, strict=True)] for row in scores]
    raw = [paired_p(weighed[a], weighed[b], rng) for a, b in pairs]
    # Which one is best was seen from the same answers, so every pair counts as a comparison made.
    adjusted = dict(zip(pairs, holm(raw), strict=True))
    result = {}
    for index, one in enumerate(paired.candidates):
        p_value = adjusted.get((min(index, best), max(index, best)))
        probability = share_within(posterior, index, margin)
        more = MoreExamples(0)
        if index != best and 1 - SURE < probability < SURE:
            more = more_examples(scores[index], scores[best], margin)
        right, count = paired.right(index), paired.count
        interval = _interval(paired, index)
        result[one.name] = CandidateDecision(
            one.name,
            True,
            right,
            count,
            paired.mean(index),
            interval,
            probability,
            p_value,
            None if p_value is None else p_value <= 0.05,
            None if more.count is None else numbers.about(more.count) if more.count else 0,
            size_of(one, footprint) if footprint != "none" else None,
            decision_text(one.name, right, count, probability, margin),
            more.because,
        )
    return result


def _interval(paired: PairedScores, index: int) -> Interval:
    """Of the share right; only different examples are evidence."""
    right = min(paired.right(index), paired.count)
    if paired.different == paired.count:
        return wilson_interval(right, paired.count)
    return wilson_interval(min(right / paired.count, 1.0) * paired.different, paired.different)


def _left_out(candidate: Candidate, excluded: Mapping[str, NotPicked]) -> CandidateDecision:
    right = sum(candidate.example_passes.values())
    count = len(candidate.example_passes)
    return CandidateDecision(
        candidate.name,
        False,
        right,
        count,
        candidate.quality,
        wilson_interval(min(right, count), count) if count else None,
        None,
        None,
        None,
        None,
        candidate.peak_mib,
        excluded[candidate.name].message,
    )


def _size_key(
    paired: PairedScores, index: int, footprint: str
) -> tuple[float, float, float, tuple[str, str, str]]:
    one = paired.candidates[index]
    size = size_of(one, footprint)
    return size, -paired.mean(index), -(one.tokens_per_second or 0.0), name_key(one.name)


def _none(
    rule: Rule, candidates: Sequence[Candidate], excluded: Mapping[str, NotPicked], because: str, message: str
) -> Recommendation:
    nearest = sorted(candidates, key=lambda one: -(one.quality or 0.0))
    reasons = tuple(excluded[one.name] for one in nearest if one.name in excluded)
    return Recommendation(
        rule, None, message, excluded=tuple(excluded.values()), nearest=reasons, none_because=because
    )


def _nothing_text(candidates: Sequence[Candidate], excluded: Mapping[str, NotPicked]) -> str:
    if not excluded:
        return "No model can be recommended: no example was answered by all of them."
    first = next(iter(excluded.values()))
    if len(candidates) == 1:
        return f"No model can be recommended. {first.message}"
    return f"No model can be recommended: none of the {len(candidates)} finished. {first.message}"


def _warnings(paired: PairedScores, candidates: Sequence[Candidate]) -> tuple[str, ...]:
    reported = []
    if paired.different < paired.count:
        reported.append(
            f"Of {numbers.count(paired.count, 'example')} only {paired.different} are different; examples that "
            "repeat one another count as one."
        )
    if paired.different < FEW_EXAMPLES:
        what = "example" if paired.different == paired.count else "different example"
        reported.append(
            f"With {numbers.count(paired.different, what)} this is a first impression; "
            f"{FEW_EXAMPLES} or more say something."
        )
    maximum = max((len(one.example_scores) for one in paired.candidates), default=0)
    if maximum > paired.count:
        lacking = maximum - paired.count
        reported.append(
            f"{numbers.count(lacking, 'example')} {'was' if lacking == 1 else 'were'} not answered by every "
            f"model and {'is' if lacking == 1 else 'are'} left out here."
        )
    reported.extend(
        f"{one.name}: gates failed {_times(sum(one.gate_failures.values()))}; those answers count as not right."
        for one in candidates
        if one.gate_failures
    )
    return tuple(reported)
