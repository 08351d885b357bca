"""Figures are rounded and written the same everywhere."""

from __future__ import annotations

import pytest

from packs import numbers


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (12.5, 0, "13"),
        (2.675, 2, "2.67"),
        (-12.5, 0, "-13"),
        (-0.04, 1, "0.0"),
        (0.125, 2, "0.13"),
        (1e20, 0, "1" + "0" * 20),
    ],
)
def test_that_halves_round_away_from_zero_on_the_binary_value(value: float, decimals: int, text: str) -> None:
    assert numbers.fixed(value, decimals) == text


def test_that_the_unknown_is_a_dash_and_never_zero() -> None:
    writers = (
        numbers.quality,
        numbers.whole,
        numbers.percent,
        numbers.whole_percent,
        numbers.signed_percent,
        numbers.mebibytes,
        numbers.gibibytes,
        numbers.rate,
        numbers.milliseconds,
        numbers.seconds,
        numbers.duration,
    )
    assert {write(None) for write in writers} == {"–"}


def test_that_a_probability_is_never_rounded_to_certainty() -> None:
    assert [numbers.chance(share) for share in (0, 0.004, 0.834, 0.996, 1)] == [
        "0 %",
        "less than 1 %",
        "83 %",
        "more than 99 %",
        "100 %",
    ]


def test_that_a_difference_carries_its_sign() -> None:
    assert [numbers.signed_percent(value) for value in (12.34, -9.1, 0)] == ["+12.3 %", "-9.1 %", "+0.0 %"]


def test_that_counts_are_rounded_up_to_what_can_be_remembered() -> None:
    assert [numbers.about(count) for count in (3, 57, 233, 1234)] == [3, 60, 250, 1300]


def test_that_sizes_read_in_gib_or_mib() -> None:
    assert [numbers.memory(mib) for mib in (686, 340.4)] == ["0.67 GiB", "340 MiB"]


@pytest.mark.parametrize(
    ("seconds", "message"),
    [(42, "42 s"), (59.6, "1 min"), (700, "11 min 40 s"), (7500, "2 h 5 min"), (7200, "2 h")],
)
def test_that_durations_are_words(seconds: float, message: str) -> None:
    assert numbers.duration(seconds) == message


def test_that_counts_have_their_word() -> None:
    assert [numbers.count(n, "example") for n in (1, 12000)] == ["1 example", "12,000 examples"]
    assert numbers.count(2, "try", "tries") == "2 tries"
