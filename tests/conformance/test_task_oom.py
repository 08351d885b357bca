"""Error texts: does one say that memory ran out?"""

from __future__ import annotations

from typing import Any

import pytest

from desktop.inference.backends.oom import says_out_of_memory
from tests.conformance.vectors_dir import load

CASES: list[dict[str, Any]] = load("task/oom.json") or []


@pytest.mark.parametrize("case", [case for case in CASES if "quirk" not in case], ids=lambda case: case["id"])
def test_that_a_text_is_judged_as_stated(case: dict[str, Any]) -> None:
    assert says_out_of_memory(case["message"]) is case["oom"]


@pytest.mark.parametrize("case", [case for case in CASES if "quirk" in case], ids=lambda case: case["id"])
def test_that_a_known_weakness_is_judged_by_its_meaning(case: dict[str, Any]) -> None:
    """'not recognised' and 'killed' are about memory, 'is not a memory fault' is not."""
    about_memory = "not a memory fault" not in case["quirk"]
    assert says_out_of_memory(case["message"]) is about_memory
