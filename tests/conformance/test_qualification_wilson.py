"""Wilson bounds against the conformance cases."""

from __future__ import annotations

from typing import Any

import pytest

from packs.statistics.wilson import wilson_interval
from tests.conformance.vectors_dir import load

DATA: dict[str, Any] = load("qualification/wilson.json") or {}


@pytest.mark.parametrize("case", DATA.get("cases", []), ids=lambda case: f"{case['events']}-of-{case['n']}")
def test_that_the_bounds_agree_with_the_vector(case: dict[str, Any]) -> None:
    interval = wilson_interval(case["events"], case["n"], DATA["z"])
    assert interval.lower == pytest.approx(case["lower"], abs=1e-12)
    assert interval.upper == pytest.approx(case["upper"], abs=1e-12)
    # With no rows the raw bounds span everything; the aggregate shows none.
    assert round(interval.lower, 6) == case["lower6"]
    assert round(interval.upper, 6) == case["upper6"]
