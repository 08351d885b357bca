"""Partial pooling: the winner of many is believed less, clear differences stay."""

from __future__ import annotations

import random

import pytest

from packs.statistics.bootstrap import joint_posterior, share_within
from packs.statistics.pooling import pooled


def scores(*right: int, of: int) -> list[list[float]]:
    """A row a candidate with so many right, each in an order of its own."""
    rng = random.Random(7)
    rows = []
    for count in right:
        row = [1.0] * count + [0.0] * (of - count)
        rng.shuffle(row)
        rows.append(row)
    return rows


def spread(draws: list[tuple[float, ...]]) -> float:
    means = [sum(draw[index] for draw in draws) / len(draws) for index in range(len(draws[0]))]
    return max(means) - min(means)


def drawn(rows: list[list[float]]) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    before = joint_posterior(rows, random.Random(1), 800)
    return before, pooled(before, rows, random.Random(2))


def test_that_results_that_chance_explains_are_pulled_together() -> None:
    before, after = drawn(scores(*range(18, 25), *range(18, 25), of=30))
    assert spread(after) < 0.6 * spread(before)


def test_that_differences_that_many_examples_show_stay() -> None:
    before, after = drawn(scores(60, 120, 180, of=200))
    assert spread(after) == pytest.approx(spread(before), rel=0.03)


def test_that_the_winner_of_twelve_is_less_surely_the_best_and_a_loser_less_surely_out() -> None:
    rows = scores(26, *([22] * 10), 18, of=30)
    before, after = drawn(rows)
    assert share_within(after, 11, 0.05) > share_within(before, 11, 0.05) + 0.05
    ahead = [sum(draw[0] - max(draw[1:]) for draw in draws) / len(draws) for draws in (before, after)]
    assert ahead[1] < ahead[0]


def test_that_what_all_share_in_an_example_is_no_reason_to_pull() -> None:
    """Both pairs differ on three examples; hard and easy ones are shared in the first."""
    hard = [1.0] * 20 + [0.0] * 20
    alike = [hard[:], [*hard[:20], *[1.0] * 3, *hard[23:]]]
    apart = scores(20, 23, of=40)
    kept = [spread(drawn(rows)[1]) / spread(drawn(rows)[0]) for rows in (alike, apart)]
    assert kept[0] > kept[1]


@pytest.mark.parametrize("rows", [[[1.0, 0.0, 1.0]], [[1.0], [0.0]]], ids=["one candidate", "one example"])
def test_that_there_is_nothing_to_pool_with_one_of_a_kind(rows: list[list[float]]) -> None:
    before, after = drawn(rows)
    assert after == before


def test_that_equal_answers_stay_equal() -> None:
    draws = pooled([(0.5, 0.5), (0.7, 0.7)], [[1.0, 0.0]] * 2, random.Random(1))
    assert all(first == pytest.approx(second) for first, second in draws)
