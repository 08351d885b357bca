"""Content, threshold and evaluator hashes against qualification/content_hash.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from packs.qualification.loader import require_pack
from tests.fakes.qualification_vectors import cases, overlaid


@pytest.mark.parametrize("case", cases("content_hash.json"))
def test_that_a_pack_has_the_hashes_of_its_content(case: dict[str, Any], tmp_path: Path) -> None:
    pack = require_pack(overlaid(case, tmp_path))
    assert pack.content_sha256 == case["content_sha256"]
    assert pack.thresholds_sha256 == case["thresholds_sha256"]
    assert pack.evaluators_sha256 == case["evaluators_sha256"]
