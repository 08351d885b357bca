from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from packs.statistics.wilson import wilson_interval


@given(st.integers(1, 5000), st.floats(0, 1), st.floats(0, 5))
def test_that_the_interval_holds_the_estimate_and_stays_within_zero_and_one(
    n: int, share: float, z: float
) -> None:
    interval = wilson_interval(n * share, n, z)
    assert 0 <= interval.lower <= share + 1e-9
    assert share - 1e-9 <= interval.upper <= 1


def test_that_nineteen_of_twenty_spans_76_to_99_percent() -> None:
    interval = wilson_interval(19, 20)
    assert (round(interval.lower * 100, 1), round(interval.upper * 100, 1)) == (76.4, 99.1)


@pytest.mark.parametrize(
    ("events", "n", "z"), [(0, -1, 1.96), (3, 2, 1.96), (-1, 2, 1.96), (1, 2, float("nan"))]
)
def test_that_impossible_counts_are_refused(events: int, n: int, z: float) -> None:
    with pytest.raises(ValueError, match="must"):
        wilson_interval(events, n, z)
