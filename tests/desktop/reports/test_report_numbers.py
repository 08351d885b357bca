"""Figures are rounded and written the same everywhere."""

from __future__ import annotations

import pytest

from desktop.reports import numbers


@pytest.mark.parametrize(
    ("value", "places", "written"),
    [(12.5, 0, "13"), (0.125, 2, "0.13"), (-0.04, 1, "0.0"), (2.675, 2, "2.67"), (-12.5, 0, "-13")],
)
def test_that_halves_go_away_from_zero_on_the_exact_value(value: float, places: int, written: str) -> None:
    assert numbers.rounded(value, places) == written


def test_that_the_unknown_is_a_dash_and_never_zero() -> None:
    writers = (numbers.quality, numbers.milliseconds, numbers.gibibytes, numbers.rate, numbers.duration)
    assert {write(None) for write in writers} == {"–"}


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(42, "42 s"), (59.6, "1 min"), (700, "11 min 40 s"), (7500, "2 h 5 min"), (7200, "2 h")],
)
def test_that_durations_are_words(seconds: float, words: str) -> None:
    assert numbers.duration(seconds) == words


def test_that_a_difference_carries_its_sign() -> None:
    assert numbers.signed_percent(12.34) == "+12.3 %"
    assert numbers.signed_percent(-9.1) == "-9.1 %"
