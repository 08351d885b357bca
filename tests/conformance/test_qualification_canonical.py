"""Canonical JSON and text hashes against qualification/canonical.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packs.canonical import canonical_bytes, structured_hash, text_hash
from tests.fakes.qualification_vectors import cases


@pytest.mark.parametrize("case", cases("canonical.json", "canonical", lambda case: case["json"][:40]))
def test_that_canonical_bytes_and_hash_are_those_of_the_format(case: dict[str, Any]) -> None:
    value = json.loads(case["json"])
    assert canonical_bytes(value).hex() == case["canonical_utf8_hex"]
    assert structured_hash(value) == case["sha256"]


@pytest.mark.parametrize("case", cases("canonical.json", "text"))
def test_that_a_text_hash_folds_line_ends_only(case: dict[str, Any]) -> None:
    assert text_hash(case["text"]) == case["sha256"]
