"""Is "about N more examples" within a factor of two of the truth? Run by hand:

    python -m tests.bench.bench_more_examples [sweeps]

The sweeps are those of bench_recommend: 2 to 6 candidates, 20 to 100 examples. Looked at is what the answer
would tell of: the likeliest candidate beside the best that is not sure yet. Its sentence is "if it is as good
as the best, about N more examples would show it". That is the truth it is held to, found by trying: the sweep
goes on with fresh examples, in which this candidate answers just as well as the best of the others. True is the
N after which the rule itself, with its posterior over all candidates, is sure in half of the continuations.
Wanted: within a factor of two, of N itself and not of the whole number of examples.
Beside it stands what happens when N more are added and the candidate stays as good as it is.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Sequence

from packs.statistics.bootstrap import joint_posterior, share_within
from packs.statistics.more_examples import LEAST_REPORTED
from packs.task.decision_text import MAY_DO, SURE
from packs.task.paired_rule import paired_recommendation
from packs.task.recommendation import Recommendation
from tests.bench.bench_recommend import MARGIN, Sweep, answered, make

DRAWS = 150
"""Of the posterior in a continuation; the share of continuations evens out what one of them is off."""
GRID = [round(LEAST_REPORTED * 1.1**step) for step in range(60)]
"""N to try: 10 to 2,800, a tenth apart."""


def probability_after(
    rng: random.Random, sweep: Sweep, abilities: Sequence[float], index: int, more: int
) -> float:
    """That the candidate is within the margin, as the rule says after so many more examples."""
    names = list(sweep.candidates[0].example_scores)
    columns = [tuple(one.example_scores[name] for one in sweep.candidates) for name in names]
    columns += [answered(rng, abilities, sweep.spread, sweep.graded) for _ in range(more)]
    return share_within(joint_posterior(list(zip(*columns, strict=True)), rng, DRAWS), index, MARGIN)


def true_number(rng: random.Random, sweep: Sweep, index: int) -> int:
    """The least N of the grid with which half of the continuations are sure; its end if none is."""
    others = [ability for place, ability in enumerate(sweep.abilities) if place != index]
    abilities = [*sweep.abilities]
    abilities[index] = max(others)

    def enough(more: int) -> bool:
        sure = tried = 0
        while tried < 120 and (tried < 40 or abs(sure / tried - 0.5) <= 0.15):
            sure += probability_after(rng, sweep, abilities, index, more) >= SURE
            tried += 1
        return sure * 2 >= tried

    low, high = -1, len(GRID) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(GRID[middle]) else (middle, high)
    return GRID[high]


def looked_at(result: Recommendation) -> int | None:
    """Place of the candidate whose number the sentence tells, or would tell."""
    best = max(one.quality or 0 for one in result.decisions)
    open_ones = [
        (one.probability, place)
        for place, one in enumerate(result.decisions)
        if one.probability is not None and MAY_DO <= one.probability < SURE and (one.quality or 0) < best
    ]
    return max(open_ones)[1] if open_ones else None


def main() -> None:
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    rng = random.Random(20261130)
    start = time.perf_counter()
    undecided = 0
    ratios: list[float] = []
    reported: list[int] = []
    sure, ruled_out = [], []
    for _ in range(sweeps):
        sweep = make(rng)
        result = paired_recommendation(
            sweep.candidates, random.Random(rng.random()), MARGIN, 0.8, None, "", 400
        )
        index = looked_at(result)
        if index is None:
            continue
        undecided += 1
        more = result.decisions[index].more_examples
        if not more:
            continue
        reported.append(more)
        ratios.append(more / true_number(rng, sweep, index))
        after = [probability_after(rng, sweep, sweep.abilities, index, more) for _ in range(20)]
        sure.append(sum(value >= SURE for value in after) / len(after))
        ruled_out.append(sum(value <= 1 - SURE for value in after) / len(after))
    within = sum(0.5 <= ratio <= 2 for ratio in ratios)
    print(f"{sweeps} sweeps, {undecided} with a candidate that is not sure yet")
    print(
        f"  a number is told in {len(reported) / undecided:.1%}; "
        f"median {statistics.median(reported):.0f} more examples"
    )
    print(f"  within a factor of two of the truth: {within / len(ratios):.1%} of {len(ratios)}")
    print(f"  median ratio {statistics.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}")
    print(
        f"  after so many more examples, candidates as good as they are: sure in {statistics.mean(sure):.1%}, "
        f"ruled out in {statistics.mean(ruled_out):.1%}"
    )
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
