"""Synthetic sweeps with known true qualities: does the paired rule keep its word? Run by hand:

    python -m tests.bench.bench_recommend [sweeps]

Each sweep has 2 to 6 candidates and 20 to 100 examples. Examples differ in difficulty, shared by all;
true qualities are those over all difficulties. Larger candidates tend to be better, not always. Wanted:
of recommendations made at 80 % at least 78 % truly within 5 points of the truly best, at 95 % at least 94 %;
a difference between equal models claimed in at most 5 % of sweeps; 95 % intervals cover in at least 94 %.
"N more examples" has a simulation of its own: bench_more_examples.
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


def main() -> None:
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
        print(f"wanted sureness {confidence:.0%}, {sweeps} sweeps")
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
