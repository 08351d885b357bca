"""Synthetic sweeps with known true qualities: does the paired rule keep its word? Run by hand:

    python -m tests.bench.bench_recommend [sweeps]
    python -m tests.bench.bench_recommend families [sweeps]

The first: each sweep has 2 to 6 candidates and 20 to 100 examples, of a difficulty that is shared by all;
true qualities are those over all difficulties. Larger candidates tend to be better, not always. Wanted:
of recommendations made at 80 % at least 78 % truly within 5 points of the truly best, at 95 % at least 94 %;
a difference between equal models claimed in at most 5 % of sweeps; 95 % intervals cover in at least 94 %.
"N more examples" has a simulation of its own: bench_more_examples.

The second: families of sweeps apart, from 2 to 24 models, 20 to 200 examples, equal to widely spread, with
none to nine tenths of the difficulty shared, and with near-copies. By bin: what was said less what was true,
points (above 0: overconfident), and how many; then how often the recommended model was truly within 5 points.
Of models that are equal in truth any probability below 100 % says too little: no rule can tell them from nearly
equal ones by 30 examples, so what counts is the mixture of spreads, and that no family is recommended wrongly.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from packs.task.paired_rule import paired_recommendation
from packs.task.recommend import recommend
from packs.task.recommendation import Candidate, Rule

MARGIN = 0.05
DRAWS = 400
"""Fewer than the program's 2,000, for speed; the probabilities are then good to two points."""


@dataclass
class Sweep:
    """truth: true quality by candidate. The last three are what more answers are drawn with."""

    candidates: list[Candidate]
    truth: list[float]
    abilities: list[float]
    spread: float
    graded: bool


def quality_of(ability: float, spread: float) -> float:
    """True share right over a normal spread of difficulty."""
    steps = 201
    total = weight = 0.0
    for step in range(steps):
        z = -4 + 8 * step / (steps - 1)
        density = math.exp(-z * z / 2)
        total += density / (1 + math.exp(-(ability - spread * z)))
        weight += density
    return total / weight


def answered(rng: random.Random, abilities: Sequence[float], spread: float, graded: bool) -> tuple[float, ...]:
    """One more example: the score of every candidate, of one difficulty for all."""
    hard = rng.gauss(0, 1) * spread
    parts = 3 if graded else 1
    chances = (1 / (1 + math.exp(hard - ability)) for ability in abilities)
    return tuple(sum(rng.random() < chance for _ in range(parts)) / parts for chance in chances)


def make(rng: random.Random, *, equal: bool = False) -> Sweep:
    count, examples = rng.randint(2, 6), rng.randint(20, 100)
    spread = rng.choice((0.0, 1.0, 2.0))
    graded = rng.random() < 0.25
    base = rng.gauss(1.2, 1.0)
    abilities = [base if equal else base + rng.gauss(0, 0.8) + 0.25 * place for place in range(count)]
    sizes = [400 * 1.7**place * rng.uniform(0.9, 1.1) for place in range(count)]
    columns = [answered(rng, abilities, spread, graded) for _ in range(examples)]
    candidates = []
    for place in range(count):
        scores = {f"e{example}": column[place] for example, column in enumerate(columns)}
        candidates.append(
            Candidate(
                f"m{place}",
                "completed",
                sum(scores.values()) / len(scores),
                True,
                peak_mib=sizes[place],
                weights_mib=sizes[place],
                tokens_per_second=10.0,
                example_scores=scores,
                example_passes={example: float(score == 1) for example, score in scores.items()},
            )
        )
    return Sweep(candidates, [quality_of(ability, spread) for ability in abilities], abilities, spread, graded)


@dataclass(frozen=True)
class Family:
    """spread: standard deviation of the models' abilities, against that of one answer; None: any of `SPREADS`.

    shared: of an answer's difficulty, the part that is the example's and not the model's. copies: near-copies
    of each example, which share nine tenths of the rest as well.
    """

    models: int
    examples: int
    spread: float | None
    shared: float
    copies: int = 1


SPREADS = (0.0, 0.05, 0.15, 0.4, 1.0)
FAMILIES = (
    *(Family(models, examples, None, shared) for models, examples in
      ((2, 30), (4, 40), (6, 20), (6, 100), (12, 30), (24, 50), (24, 200)) for shared in (0.0, 0.6, 0.9)),
    *(Family(models, examples, spread, shared) for models, examples in ((2, 30), (6, 100), (12, 30), (24, 50))
      for spread in SPREADS for shared in (0.0, 0.9)),
    Family(4, 40, 0.3, 0.6, copies=4),
    Family(4, 80, 0.6, 0.3, copies=4),
)  # fmt: skip
BINS = ((0.0, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01))
PROBIT = statistics.NormalDist()


def sweep_of(family: Family, rng: random.Random) -> tuple[list[Candidate], list[float], dict[str, str]]:
    """Candidates from the smallest to the largest, their true qualities, and which examples are copies."""
    base = rng.gauss(0.8, 0.7)
    spread = rng.choice(SPREADS) if family.spread is None else family.spread
    abilities = [base + rng.gauss(0, spread) for _ in range(family.models)]
    alike = 0.9 if family.copies > 1 else 0.0
    columns: list[list[float]] = []
    groups: dict[str, str] = {}
    for place in range(0, family.examples, family.copies):
        hard = rng.gauss(0, math.sqrt(family.shared))
        own = [rng.gauss(0, math.sqrt((1 - family.shared) * alike)) for _ in abilities]
        for copy in range(family.copies):
            groups[f"e{place + copy}"] = f"e{place}"
            rest = math.sqrt((1 - family.shared) * (1 - alike))
            columns.append(
                [
                    float(ability > hard + mine + rng.gauss(0, rest))
                    for ability, mine in zip(abilities, own, strict=True)
                ]
            )
    candidates = []
    for place in range(family.models):
        scores = {f"e{example}": column[place] for example, column in enumerate(columns)}
        candidates.append(
            Candidate(
                f"m{place}",
                "completed",
                statistics.fmean(scores.values()),
                True,
                peak_mib=400 * 1.7**place,
                weights_mib=400 * 1.7**place,
                example_scores=scores,
                example_passes=scores,
            )
        )
    return candidates, [PROBIT.cdf(ability) for ability in abilities], groups


def families(sweeps: int) -> None:
    print("models examples spread shared copies | said less true, by what was said | true at 80, 95 %")
    for family in FAMILIES:
        rng = random.Random(20261201)
        said: list[tuple[float, bool]] = []
        recommended = {0.8: [0, 0], 0.95: [0, 0]}
        for _ in range(sweeps):
            candidates, truth, groups = sweep_of(family, rng)
            good = [quality >= max(truth) - MARGIN for quality in truth]
            seed = random.Random(rng.random())
            result = paired_recommendation(candidates, seed, MARGIN, 0.8, None, "", DRAWS, groups)
            chances = [result.by_name[candidate.name].probability or 0.0 for candidate in candidates]
            said += zip(chances, good, strict=True)
            for confidence, counted in recommended.items():
                pick = next((place for place, chance in enumerate(chances) if chance >= confidence), None)
                if pick is not None and candidates[pick].quality:
                    counted[0] += 1
                    counted[1] += good[pick]
        cells = []
        for low, high in BINS:
            inside = [(chance, was) for chance, was in said if low <= chance < high]
            off = 100 * statistics.fmean(chance - was for chance, was in inside) if inside else 0.0
            cells.append(f"{off:+5.1f} ({len(inside):4})" if len(inside) >= 30 else " " * 12)
        kept = ", ".join(
            f"{100 * true / made:.1f} of {made}" if made else "-" for made, true in recommended.values()
        )
        spread = "any" if family.spread is None else f"{family.spread:g}"
        head = f"{family.models:3} {family.examples:4} {spread:>5} {family.shared:4g} {family.copies}"
        print(f"{head} | {' '.join(cells)} | {kept}", flush=True)


def main() -> None:
    if sys.argv[1:2] == ["families"]:
        families(int(sys.argv[2]) if len(sys.argv) > 2 else 300)
        return
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = random.Random(20261130)
    start = time.perf_counter()
    for confidence in (0.8, 0.95):
        promised = kept = fallback = fallback_kept = 0
        calibration: list[tuple[float, bool]] = []
        ours_lost, ours_saved, theirs_lost, theirs_saved, theirs_kept = [], [], [], [], 0
        covered = intervals = 0
        for _ in range(sweeps):
            sweep = make(rng)
            best = max(sweep.truth)
            result = paired_recommendation(
                sweep.candidates, random.Random(rng.random()), MARGIN, confidence, None, "", DRAWS
            )
            simple = recommend(sweep.candidates, rule=Rule.PEAK_WITHIN_TOLERANCE)
            largest = max(candidate.peak_mib or 0 for candidate in sweep.candidates)
            names = [candidate.name for candidate in sweep.candidates]
            for decision in result.decisions:
                place = names.index(decision.name)
                if decision.probability is not None:
                    calibration.append((decision.probability, sweep.truth[place] >= best - MARGIN))
                if not sweep.graded and decision.interval is not None:
                    intervals += 1
                    covered += decision.interval.lower <= sweep.truth[place] <= decision.interval.upper
            for pick, lost, saved in (
                (result.pick, ours_lost, ours_saved),
                (simple.pick, theirs_lost, theirs_saved),
            ):
                if pick is not None:
                    place = names.index(pick)
                    lost.append(best - sweep.truth[place])
                    saved.append(1 - (sweep.candidates[place].peak_mib or 0) / largest)
            if simple.pick is not None:
                theirs_kept += sweep.truth[names.index(simple.pick)] >= best - MARGIN
            if result.pick is None:
                continue
            good = sweep.truth[names.index(result.pick)] >= best - MARGIN
            if (result.by_name[result.pick].probability or 0) >= confidence:
                promised += 1
                kept += good
            else:
                fallback += 1
                fallback_kept += good
        print(f"wanted confidence {confidence:.0%}, {sweeps} sweeps")
        print(f"  said so in {promised / sweeps:.1%} of sweeps; truly within 5 points: {kept / promised:.1%}")
        if fallback:
            print(f"  otherwise the best was named with a caveat; truly within: {fallback_kept / fallback:.1%}")
        print(
            f"  95 % intervals of the share right cover the truth in {covered / intervals:.1%} of {intervals}"
        )
        print(
            f"  quality given up: {statistics.mean(ours_lost) * 100:.2f} points on average (format's rule "
            f"{statistics.mean(theirs_lost) * 100:.2f}, within 5 points {theirs_kept / sweeps:.1%})"
        )
        print(
            f"  memory saved against the largest: {statistics.mean(ours_saved):.1%} (format's rule "
            f"{statistics.mean(theirs_saved):.1%})"
        )
        for low, high in ((0.0, 0.05), (0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
            inside = [good for probability, good in calibration if low <= probability < high]
            if inside:
                print(
                    f"  said {low:.0%}–{min(high, 1):.0%}: true in {sum(inside) / len(inside):.1%} "
                    f"of {len(inside)}"
                )
    claims = 0
    for _ in range(sweeps):
        sweep = make(rng, equal=True)
        result = paired_recommendation(sweep.candidates, random.Random(rng.random()), MARGIN, 0.8, None, "", 10)
        claims += any(decision.difference_shown for decision in result.decisions)
    print(f"difference claimed between equal models: {claims / sweeps:.1%} of {sweeps} sweeps")
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
