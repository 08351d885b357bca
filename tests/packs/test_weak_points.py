"""The table of weak points: complete, with a place for each (task-pack format, section 22)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from packs.task.recommend import recommend
from packs.task.recommendation import Candidate, Rule

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "weak-points.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| point ")]
SOURCES = [
    path
    for folder in ("packs", "desktop", "resources")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".md", ".html") and path.is_file()
]


@pytest.mark.parametrize("number", range(1, 14))
def test_that_every_section_of_weak_points_is_answered(number: int) -> None:
    section = re.search(rf"^## 22\.{number} .+?(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section is not None
    assert [line for line in section.group().splitlines() if line in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=[row.split("|")[1].strip() for row in ROWS])
def test_that_a_weak_point_has_a_test_or_a_reason(row: str) -> None:
    assert "`tests/" in row or "| not mended: " in row


def test_that_no_text_advises_to_delete_a_folder() -> None:
    assert [path for path in SOURCES if re.search(r"\brm -rf?\b|\brmdir /s", path.read_text("utf-8"))] == []


def test_that_reports_hold_no_jargon() -> None:
    golden = list((ROOT / "tests" / "golden" / "reports").glob("*.md"))
    assert golden
    for path in golden:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bn/m\b|trunc!|gates!|\bnondet\b|offload\?|\bunits?\b", text), path.name


@pytest.mark.parametrize("rule", list(Rule))
def test_that_no_gate_is_blamed_where_nothing_completed(rule: Rule) -> None:
    reported = recommend([Candidate("a", "failed", None), Candidate("b", "oom", None)], rule=rule)
    assert reported.pick is None
    assert "gate" not in reported.sentence
