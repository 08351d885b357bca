"""A dimension of very many values costs each case that misses it no more than a dimension of a few."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from packs.qualification import rules_corpus
from packs.qualification.loader import load_pack

SAMPLE = Path(__file__).parents[3] / "packs" / "samples" / "contact-routing"


def test_that_cases_are_compared_with_a_bounded_number_of_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pack"
    shutil.copytree(SAMPLE, folder)
    manifest = yaml.safe_load((folder / "pack.yaml").read_text("utf-8"))
    dimensions = manifest["coverage"]["dimensions"]
    first = next(iter(dimensions))
    dimensions[first] = [f"value {number}" for number in range(3_000)]
    (folder / "pack.yaml").write_text(yaml.safe_dump(manifest), "utf-8")
    compared: list[int] = []
    monkeypatch.setattr(rules_corpus, "nearest", lambda _, declared: compared.append(len(declared)))
    told = [problem for problem in load_pack(folder).problems if problem.code == "coverage_value_unknown"]
    assert told and compared
    assert max(compared) <= rules_corpus.COMPARED_VALUES
    assert all("and 2,950 more" in problem.fix and len(problem.fix) < 2_000 for problem in told)
