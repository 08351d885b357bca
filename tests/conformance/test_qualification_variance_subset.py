"""The repeat-run subset against qualification/variance_subset.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.requests import variance_subset
from tests.fakes.qualification_vectors import cases


def ids_of(case: dict[str, Any]) -> list[str]:
    return case.get("ids") or [f"K-{number:03d}" for number in range(1, case.get("n_ids", 0) + 1)]


@pytest.mark.parametrize(
    "case", cases("variance_subset.json", name=lambda c: f"{len(ids_of(c))}-{c['fraction']}-{c['seed']}")
)
def test_that_the_subset_is_drawn_by_the_seed(case: dict[str, Any]) -> None:
    assert variance_subset(ids_of(case), case["fraction"], case["seed"]) == case["subset"]
