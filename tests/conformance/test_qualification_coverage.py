"""Coverage against qualification/coverage.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.coverage import coverage_record
from tests.fakes.qualification_vectors import cases


@pytest.mark.parametrize("case", cases("coverage.json"))
def test_that_coverage_counts_values_present(case: dict[str, Any]) -> None:
    record = coverage_record(case["case_coverage"], case["dimensions"], case["minimum_realised"])
    assert record.pop("definition")
    assert record == case["output"]
