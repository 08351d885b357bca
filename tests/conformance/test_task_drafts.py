"""Drafting models' answers: accepted, refused with codes, or saved for hand fixing."""

from __future__ import annotations

from typing import Any

import pytest

from packs.documents.problems import has_errors
from packs.task.drafts import DraftedPack, check_draft
from packs.task.loader import load_pack_from_files
from packs.task.model import Provenance
from packs.task.new_pack import pack_files
from tests.conformance.vectors_dir import load

REPORTED = Provenance("source.md", "0" * 64, "a model (a backend 1)", "2026-11-30")


def summary(draft: DraftedPack) -> dict[str, Any]:
    return {
        "name": draft.name,
        "type": draft.type,
        "scorer": draft.scorer,
        "param_names": list(draft.scorer_params),
        "examples": len(draft.examples),
    }


def shortened(names: list[str]) -> list[str]:
    examples = [name for name in names if name.startswith("examples/")]
    others = [name for name in names if not name.startswith("examples/")]
    return others + (examples if len(examples) <= 3 else [*examples[:2], "…", examples[-1]])


@pytest.mark.parametrize("case", load("task/drafts.json") or [], ids=lambda case: case["id"])
def test_that_a_draft_is_judged_as_in_the_vector(case: dict[str, Any]) -> None:
    want = case["result"]
    checked = check_draft(case["response"])
    only_the_name = [error["code"] for error in want.get("errors", [])] == ["name"]
    if case.get("quirk") and only_the_name:
        # A name without Latin letters is kept in its own script, on purpose.
        assert checked.accepted
        return
    assert checked.accepted == want["accepted"], checked.faults
    if not want["accepted"]:
        assert [fault.code for fault in checked.faults] == [error["code"] for error in want["errors"]]
        for fault, error in zip(checked.faults, want["errors"], strict=True):
            assert {**fault.facts, "code": fault.code}.items() >= error.items()
        if want["salvaged"] is None:
            assert checked.draft is None
        else:
            assert checked.draft is not None
            salvaged = {**summary(checked.draft), "placeholder_prompt": checked.draft.placeholder_prompt}
            assert salvaged == want["salvaged"]
        return
    assert checked.draft is not None
    assert summary(checked.draft) == want["draft"]
    files = pack_files(checked.draft.new_pack(REPORTED))
    assert shortened(list(files)) == want["files"]
    assert has_errors(load_pack_from_files(files).problems) != want["passes_validation"]
