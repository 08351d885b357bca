"""A decision of the paired rule in words: the plain sentence first, arithmetic only on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packs import numbers
from packs.statistics.bootstrap import PRIOR_EXAMPLES
from packs.statistics.more_examples import NoNumber
from packs.task.compared_candidates import size_of
from packs.task.recommendation import Candidate, CandidateDecision, NotPicked

SURE = 0.95
"""Probability that is told as 'sure'."""
MAY_DO = 1 / 3
"""Least probability with which a smaller candidate is named beside the recommended one."""


@dataclass(frozen=True, slots=True)
class PairedScores:
    """The common ground of the eligible candidates: scores and passes by the same examples.

    groups: for each example the place of the first one that it repeats, its own where it repeats none. Examples
    of one group stand for one: they are drawn together, and only different ones count as evidence.
    """

    candidates: list[Candidate]
    scores: list[list[float]]
    passes: list[list[float]]
    groups: list[int]

    @property
    def count(self) -> int:
        return len(self.scores[0]) if self.scores else 0

    @property
    def different(self) -> int:
        """Examples that repeat no other."""
        return len(set(self.groups))

    @property
    def sizes(self) -> list[float]:
        """Examples of each group, against the mean of all groups."""
        times = Counter(self.groups)
        return [size * len(times) / self.count for size in times.values()]

    def by_group(self, index: int) -> list[float]:
        """Mean score of a candidate on each group, in the order of `sizes`."""
        sums: dict[int, float] = {}
        for group, score in zip(self.groups, self.scores[index], strict=True):
            sums[group] = sums.get(group, 0.0) + score
        times = Counter(self.groups)
        return [total / times[group] for group, total in sums.items()]

    def mean(self, index: int) -> float:
        return sum(self.scores[index]) / self.count

    def right(self, index: int) -> float:
        return sum(self.passes[index])


def decision_text(name: str, right: float, count: int, probability: float, margin: float) -> str:
    return (
        f"{name}: {_count(right)} of {count} right; {_chance(probability)} likely to be no more than "
        f"{_points(margin)} below the best."
    )


def floor_sentence(paired: PairedScores, best: int, floor: float | None, floor_text: str) -> str:
    name, right, count = paired.candidates[best].name, _count(paired.right(best)), paired.count
    if paired.mean(best) <= 0:
        what = f"{name} got" if len(paired.candidates) == 1 else "every model got"
        return f"No model can be recommended: {what} nothing right in {numbers.count(count, 'example')}."
    message = floor_text or "always giving the commonest answer"
    return (
        f"No model can be recommended: {name} has {right} of {count} right (quality "
        f"{numbers.quality(paired.mean(best))}), and {message} would reach {numbers.quality(floor)}."
    )


class DecisionText:
    """Puts a decision into words. The plain sentence first; arithmetic only on demand."""

    def __init__(
        self,
        paired: PairedScores,
        decisions: Mapping[str, CandidateDecision],
        margin: float,
        confidence: float,
        footprint: str,
        best: int,
        pick: int,
    ) -> None:
        self.paired = paired
        self.decisions = decisions
        self.margin = margin
        self.confidence = confidence
        self.footprint = footprint
        self.best = best
        self.pick = pick

    def _name(self, index: int) -> str:
        return self.paired.candidates[index].name

    def _decision(self, index: int) -> CandidateDecision:
        return self.decisions[self._name(index)]

    @property
    def _graded(self) -> bool:
        """Are there answers that are partly right?"""
        return any(0 < score < 1 for row in self.paired.scores for score in row)

    def _reached(self, index: int) -> str:
        """'27 of 30 right', or the quality where answers are graded."""
        if self._graded:
            return f"quality {numbers.quality(self.paired.mean(index))}"
        return f"{_count(self.paired.right(index))} of {self.paired.count} right"

    def _in_full(self, index: int) -> str:
        """'14 of 24 right (quality 0.694)'."""
        right = f"{_count(self.paired.right(index))} of {self.paired.count} right"
        return f"{right} (quality {numbers.quality(self.paired.mean(index))})" if self._graded else right

    def _had(self, index: int) -> str:
        """'28', or the quality: beside another candidate's figure."""
        return numbers.quality(self.paired.mean(index)) if self._graded else _count(self.paired.right(index))

    def _ties(self, index: int) -> bool:
        """Did another candidate reach the very same?"""
        mine = self.paired.mean(index)
        others = (self.paired.mean(i) for i in range(len(self.paired.candidates)) if i != index)
        return any(abs(mine - other) < 1e-9 for other in others)

    def _saving(self, index: int, other: int) -> float:
        """MiB that `index` needs less than `other`."""
        one, two = self.paired.candidates[index], self.paired.candidates[other]
        return size_of(two, self.footprint) - size_of(one, self.footprint)

    def sentence(self, by_size: Sequence[int]) -> str:
        if len(self.paired.candidates) == 1:
            return (
                f"{self._name(self.pick)} has {self._in_full(self.pick)}. It is the only model to choose from."
            )
        if self.pick != self.best:
            return self._smaller()
        smaller = [i for i in by_size if i != self.pick and self._saving(i, self.pick) > 0]
        return self._best(smaller)

    def _smaller(self) -> str:
        decision = self._decision(self.pick)
        probability = decision.probability or 0.0
        best, own = self.paired.mean(self.best), self.paired.mean(self.pick)
        had = f"; the best had {self._had(self.best)}" if best - own > 1e-9 else ", as much as any other"
        sure = "sure" if probability >= SURE else "likely"
        saving = self._saving(self.pick, self.best)
        what = "memory" if self.footprint == "memory" else "weights"
        less = f" and needs {numbers.memory(saving)} less {what}" if saving > 0 else ""
        text = f"Use {self._name(self.pick)}: {self._in_full(self.pick)}{had}. "
        text += f"It is {sure} ({_chance(probability)}) no more than {_points(self.margin)} worse{less}."
        return text + self._more(self.pick, "make it sure")

    def _best(self, smaller: Sequence[int]) -> str:
        rank = "as much as any other" if self._ties(self.pick) else "the most of all"
        if self._graded:
            rank = rank.replace("as much", "as good").replace("the most", "the best")
        text = f"Use {self._name(self.pick)}: {self._in_full(self.pick)}, {rank}."
        probability = self._decision(self.pick).probability or 0.0
        if probability < self.confidence:
            text += (
                f" Another may be better in truth: it is {_chance(probability)} likely to be within "
                f"{_points(self.margin)} of the best."
            )
        may = [i for i in smaller if (self._decision(i).probability or 0.0) >= MAY_DO]
        if may:
            index = max(may, key=lambda i: self._decision(i).probability or 0.0)
            decision = self._decision(index)
            text += (
                f" {self._name(index)} needs {numbers.memory(self._saving(index, self.pick))} less and may do: "
                f"{self._reached(index)}, {_chance(decision.probability or 0.0)} likely no more than "
                f"{_points(self.margin)} worse."
            )
            return text + self._more(index, "show it")
        others = [self._decision(i) for i in range(len(self.paired.candidates)) if i != self.pick]
        if probability < self.confidence and not any(decision.difference_shown for decision in others):
            text += f" These {self.paired.count} examples do not show which is better."
        return text

    def _more(self, index: int, what: str) -> str:
        """A sentence on how many more examples would do `what`, 'make it sure' or 'show it'."""
        decision = self._decision(index)
        if (decision.probability or 0.0) >= SURE:
            return ""
        if decision.no_number is NoNumber.TOO_FEW_DIFFER:
            return f" Too few answers differ to tell how many more examples would {what}."
        if decision.no_number is NoNumber.MARGIN_TOO_SMALL:
            return f" With a margin of only {_points(self.margin)}, more examples would hardly decide."
        if not decision.more_examples:
            return ""
        return (
            f" If it is as good as {self._name(self.best)}, about {decision.more_examples:,} more examples "
            f"would {what}."
        )

    def runners(
        self, candidates: Sequence[Candidate], excluded: Mapping[str, NotPicked]
    ) -> tuple[NotPicked, ...]:
        pick = self._name(self.pick)
        others = sorted((one for one in candidates if one.name != pick), key=lambda one: -(one.quality or 0.0))
        return tuple(excluded.get(one.name) or self._runner(one) for one in others)

    def _runner(self, one: Candidate) -> NotPicked:
        index = self.paired.candidates.index(one)
        decision = self._decision(index)
        probability = decision.probability or 0.0
        extra = -self._saving(index, self.pick)
        reached = f"{one.name}: {self._reached(index)}"
        if probability < self.confidence and index != self.best:
            return NotPicked(
                one.name,
                "not_likely_enough",
                f"{reached}; {_chance(probability)} likely to be no more than "
                f"{_points(self.margin)} below the best.",
            )
        if extra > 0:
            code = "larger_memory" if self.footprint == "memory" else "larger_weights"
            return NotPicked(
                one.name, code, f"{reached}; needs {numbers.memory(extra)} more.", extra_mib=round(extra)
            )
        return NotPicked(one.name, "same_footprint_lost_tie", f"{reached}; of the same size.")

    def reasons(self, posterior: Sequence[Sequence[float]]) -> tuple[str, ...]:
        """The arithmetic, a sentence each."""
        repeat = self.paired.different < self.paired.count
        different = f", {self.paired.different} of them different," if repeat else ""
        reported = [
            f"Compared on {self.paired.count} examples{different} that all "
            f"{len(self.paired.candidates)} models answered, with {len(posterior):,} draws of a Bayesian "
            f"bootstrap and a prior worth {numbers.count(PRIOR_EXAMPLES, 'example')}. Results that are alike "
            "are taken to be more alike in truth than chance makes them look (partial pooling).",
            f"Recommended is the smallest model that is {numbers.chance(self.confidence)} likely to be no more "
            f"than {_points(self.margin)} below the best.",
        ]
        for index in range(len(self.paired.candidates)):
            decision = self._decision(index)
            interval = decision.interval
            assert interval is not None
            lower = numbers.fixed(interval.lower * 100, 0)
            text = f"{decision.message} 95 % interval of its share right: {lower}–"
            text += f"{numbers.fixed(interval.upper * 100, 0)} %."
            if decision.p_value is not None:
                shown = (
                    "A difference to the best is shown"
                    if decision.difference_shown
                    else "No difference is shown"
                )
                text += f" {shown} (p = {numbers.fixed(decision.p_value, 3)}, all pairs counted)."
            reported.append(text)
        if any(self._decision(index).more_examples for index in range(len(self.paired.candidates))):
            reported.append(
                "How many more examples it takes supposes that the model is as good as the best: with so many, "
                "half of all sets of examples would be sure."
            )
        return tuple(reported)


def _count(right: float) -> str:
    return numbers.fixed(right, 0) if abs(right - round(right)) < 1e-9 else numbers.fixed(right, 1)


def _chance(probability: float) -> str:
    """A probability counted from draws: none of them is no proof that it cannot be."""
    return numbers.chance(min(max(probability, 0.001), 0.999))


def _points(margin: float) -> str:
    points = margin * 100
    number = numbers.fixed(points, 0) if abs(points - round(points)) < 1e-9 else numbers.fixed(points, 1)
    return f"{number} point{'' if number == '1' else 's'}"
