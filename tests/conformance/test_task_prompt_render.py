"""Prompt rendering against the conformance cases: the right answer, not the other tool's."""

from __future__ import annotations

from typing import Any

import pytest

from packs.task.prompt import render
from tests.conformance.vectors_dir import load


@pytest.mark.parametrize("case", load("task/prompt_render.json") or [], ids=lambda case: case["id"])
def test_that_the_prompt_is_rendered_as_in_the_vector(case: dict[str, Any]) -> None:
    assert render(case["template"], case["input"]) == case["rendered"]
