"""What reviewing n of N tells: checked against counting every draw."""

from __future__ import annotations

from itertools import combinations

import pytest

from packs.statistics.reviewing import wrong_at_most


def counted(total: int, bad: int, drawn: int, seen: int) -> float:
    draws = list(combinations(range(total), drawn))
    return sum(sum(item < bad for item in draw) <= seen for draw in draws) / len(draws)


@pytest.mark.parametrize(
    ("total", "reviewed", "wrong"), [(10, 4, 0), (10, 4, 1), (12, 6, 2), (8, 8, 3), (9, 1, 1)]
)
def test_that_the_bound_is_the_largest_number_that_chance_allows(total: int, reviewed: int, wrong: int) -> None:
    bound = wrong_at_most(total, reviewed, wrong)
    assert counted(total, bound, reviewed, wrong) >= 0.05
    if bound < total - (reviewed - wrong):
        assert counted(total, bound + 1, reviewed, wrong) < 0.05


def test_that_known_figures_come_out() -> None:
    assert wrong_at_most(200, 20, 0) == 26
    assert wrong_at_most(50, 50, 2) == 2
    assert wrong_at_most(50, 0, 0) == 50


def test_that_more_reviews_never_make_the_bound_worse() -> None:
    bounds = [wrong_at_most(120, reviewed, 0) for reviewed in range(121)]
    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.parametrize("given", [(10, 11, 0), (10, 5, 6), (10, -1, 0), (0, 1, 0)])
def test_that_figures_that_cannot_be_are_refused(given: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="of"):
        wrong_at_most(*given)
