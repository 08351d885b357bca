"""Which packs are refused, and for what, against qualification/pack_validation.json.

All stages are looked at in one pass, so our findings may be more than the listed ones, never fewer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from packs.documents.problems import Severity
from packs.qualification.loader import LoadResult, load_pack
from tests.fakes.qualification_vectors import cases, overlaid

SAME_KEYWORD = {"enum": "const"}


def reported(result: LoadResult) -> set[tuple[str, str, str]]:
    return {
        (finding.subject, finding.rule, SAME_KEYWORD.get(finding.keyword, finding.keyword))
        for finding in result.findings
        if finding.problem.severity is Severity.ERROR
    }


@pytest.mark.parametrize("case", cases("pack_validation.json"))
def test_that_a_pack_is_accepted_or_refused_for_the_listed_faults(case: dict[str, Any], tmp_path: Path) -> None:
    result = load_pack(overlaid(case, tmp_path))
    wanted = {
        (fault["path"], fault["rule"], SAME_KEYWORD.get(keyword := fault.get("keyword") or "", keyword))
        for fault in case["diagnostics"]
    }
    assert wanted <= reported(result)
    assert result.ok is case["ok"]
    if result.pack is not None:
        assert result.pack.content_sha256 == case["content_sha256"]
    for problem in result.problems:
        assert problem.message and problem.fix and problem.code
        assert "\n" not in problem.message
