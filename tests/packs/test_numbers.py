from __future__ import annotations

import pytest

from packs.numbers import about, fixed, gib, percent, quality, signed, whole


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
    assert fixed(value, decimals) == text


def test_that_unknown_is_a_dash_and_never_zero() -> None:
    assert quality(None) == whole(None) == signed(None) == "–"


def test_that_a_probability_is_never_rounded_to_certainty() -> None:
    assert [percent(share) for share in (0, 0.004, 0.834, 0.996, 1)] == [
        "0 %",
        "less than 1 %",
        "83 %",
        "more than 99 %",
        "100 %",
    ]


def test_that_the_memory_delta_has_its_sign() -> None:
    assert [signed(value) for value in (3, -12.5, 0)] == ["+3.0", "-12.5", "0.0"]


def test_that_counts_are_rounded_up_to_what_can_be_remembered() -> None:
    assert [about(count) for count in (3, 57, 233, 1234)] == [3, 60, 250, 1300]


def test_that_sizes_read_in_gib_or_mib() -> None:
    assert [gib(mib) for mib in (686, 340.4)] == ["0.67 GiB", "340 MiB"]
