"""Synthetic sweeps with known true qualities: does the paired rule keep its word? Run by hand:

    python -m tests.bench.bench_recommend [sweeps]

Each sweep has 2 to 6 candidates and 20 to 100 examples. Examples differ in difficulty, shared by all;
true qualities are those over all difficulties. Larger candidates tend to be better, not always. Wanted:
of recommendations made at 80 % at least 78 % truly within 5 points of the truly best, at 95 % at least 94 %;
a difference between equal models claimed in at most 5 % of sweeps; 95 % intervals cover in at least 94 %;
"N more examples" within a factor of two.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from dataclasses import dataclass

from packs.task.paired_rule import more_examples, paired_recommendation
from packs.task.recommend import Candidate, Rule, recommend

MARGIN = 0.05
DRAWS = 400
"""Fewer than the program's 2,000, for speed; the probabilities are then good to two points."""


@dataclass
class Sweep:
    candidates: list[Candidate]
    truth: list[float]
    abilities: list[float]
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


def make(rng: random.Random, *, equal: bool = False) -> Sweep:
    count, examples = rng.randint(2, 6), rng.randint(20, 100)
    spread = rng.choice((0.0, 1.0, 2.0))
    graded = rng.random() < 0.25
    base = rng.gauss(1.2, 1.0)
    abilities = [base if equal else base + rng.gauss(0, 0.8) + 0.25 * place for place in range(count)]
    sizes = [400 * 1.7**place * rng.uniform(0.9, 1.1) for place in range(count)]
    hardness = [rng.gauss(0, 1) * spread for _ in range(examples)]
    candidates = []
    for place, ability in enumerate(abilities):
        scores = {}
        for example, hard in enumerate(hardness):
            chance = 1 / (1 + math.exp(-(ability - hard)))
            parts = [float(rng.random() < chance) for _ in range(3 if graded else 1)]
            scores[f"e{example}"] = sum(parts) / len(parts)
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
    return Sweep(candidates, [quality_of(ability, spread) for ability in abilities], abilities, graded)


def main() -> None:
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = random.Random(20261130)
    start = time.perf_counter()
    for sureness in (0.8, 0.95):
        promised = kept = fallback = fallback_kept = 0
        calibration: list[tuple[float, bool]] = []
        ours_lost, ours_saved, theirs_lost, theirs_saved, theirs_kept = [], [], [], [], 0
        covered = intervals = 0
        for _ in range(sweeps):
            sweep = make(rng)
            best = max(sweep.truth)
            result = paired_recommendation(
                sweep.candidates, random.Random(rng.random()), MARGIN, sureness, None, "", DRAWS
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
            if (result.by_name[result.pick].probability or 0) >= sureness:
                promised += 1
                kept += good
            else:
                fallback += 1
                fallback_kept += good
        print(f"wanted sureness {sureness:.0%}, {sweeps} sweeps")
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
    bench_more_examples(rng, max(100, sweeps // 5))
    print(f"{time.perf_counter() - start:.0f} s in all")


def answer(
    rng: random.Random, scores: list[list[float]], abilities: list[float], spread: float, n: int
) -> None:
    for _ in range(n):
        hard = rng.gauss(0, 1) * spread
        for row, ability in zip(scores, abilities, strict=True):
            row.append(float(rng.random() < 1 / (1 + math.exp(-(ability - hard)))))


def bench_more_examples(rng: random.Random, trials: int) -> None:
    """Two candidates: guess from 30 to 60 examples, then go on until it is sure; compare."""
    ratios = []
    for _ in range(trials):
        spread = rng.choice((0.0, 1.0, 2.0))
        abilities = [rng.gauss(1.2, 0.8) for _ in range(2)]
        abilities[1] = abilities[0] + rng.uniform(-0.6, 0.6)
        scores: list[list[float]] = [[], []]

        n = rng.randint(30, 60)
        answer(rng, scores, abilities, spread, n)
        guess = more_examples(scores[1], scores[0], MARGIN, rng)
        if not guess:
            continue
        needed = None
        for _ in range(800):
            answer(rng, scores, abilities, spread, 5)
            again = more_examples(scores[1], scores[0], MARGIN, rng)
            if again == 0:
                needed = len(scores[0]) - n
                break
        if needed:
            ratios.append((n + guess) / (n + needed))
    within = sum(0.5 <= ratio <= 2 for ratio in ratios) / len(ratios)
    middle = statistics.median(ratios)
    print(
        f"examples wanted in all, guessed against needed: median ratio {middle:.2f}, within a factor of two "
        f"{within:.1%} of {len(ratios)}"
    )


if __name__ == "__main__":
    main()
