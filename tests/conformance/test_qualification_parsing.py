"""Which replies hold an object, against qualification/parsing.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.replies import parse_object
from tests.fakes.qualification_vectors import cases


@pytest.mark.parametrize("case", cases("parsing.json"))
def test_that_a_reply_is_read_as_an_object_or_not(case: dict[str, Any]) -> None:
    parsed = parse_object(case["text"] or "")
    assert (parsed is not None) is case["is_object"]
    if not case.get("non_finite_accepted"):
        assert parsed == case["value"]
