"""Anchors of a methodology against qualification/anchors.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.anchors import anchors
from tests.fakes.qualification_vectors import cases


@pytest.mark.parametrize("case", cases("anchors.json", name=lambda case: case["markdown"][:30]))
def test_that_a_methodology_offers_these_anchors(case: dict[str, Any]) -> None:
    assert sorted(anchors(case["markdown"])) == case["anchors"]
