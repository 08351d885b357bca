"""Secrets and reasoning against qualification/redaction.json."""

from __future__ import annotations

from typing import Any

import pytest

from packs.qualification.redaction import SECRET_PLACEHOLDER, scrub_text, strip_reasoning
from tests.conformance.vectors_dir import load
from tests.fakes.qualification_vectors import cases


@pytest.mark.parametrize("case", cases("redaction.json", "secrets", lambda c: c["text"][:30]))
def test_that_secrets_are_replaced_as_the_format_says(case: dict[str, Any]) -> None:
    assert (load("qualification/redaction.json"))["placeholder"] == SECRET_PLACEHOLDER
    assert scrub_text(case["text"]) == (case["scrubbed"], case["count"])


@pytest.mark.parametrize("case", cases("redaction.json", "reasoning"))
def test_that_reasoning_is_stripped_at_any_depth(case: dict[str, Any]) -> None:
    assert strip_reasoning(case["body"]) == (case["stripped"], case["count"])
