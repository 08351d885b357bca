"""What a draft can never do, and names in scripts of every kind."""

from __future__ import annotations

import json

from packs.task.drafts import check_draft, check_draft_object
from packs.task.model import Provenance
from packs.task.new_pack import manifest_text

REPORTED = Provenance("notes.md", "0" * 64, "a model (a backend 1)", "2026-11-30")


def good(**changes: object) -> dict[str, object]:
    draft: dict[str, object] = {
        "name": "desk",
        "type": "label",
        "scorer": "exact-label",
        "scorer_params": {"labels": ["a", "b"]},
        "prompt": "a or b?\n{{input}}",
        "examples": [{"input": f"message {number}", "expected": "a"} for number in range(12)],
    }
    return {**draft, **changes}


def test_that_a_draft_cannot_set_review_gates_or_generation() -> None:
    sneaky = good(provenance={"reviewed": True}, reviewed=True, gates=[], generation={"context": 1})
    checked = check_draft(json.dumps(sneaky))
    assert checked.draft is not None
    text = manifest_text(checked.draft.new_pack(REPORTED))
    assert "reviewed: false" in text
    assert "context: 4096" in text
    assert "gates" not in text


def test_that_a_name_in_another_script_is_kept() -> None:
    checked = check_draft_object(good(name="植物 分類"))
    assert checked.accepted
    assert checked.draft is not None
    assert checked.draft.name == "植物-分類"


def test_that_examples_are_never_invented() -> None:
    checked = check_draft_object(good(examples=[{"input": "one", "expected": "a"}, 3]))
    assert checked.draft is not None
    assert [example.input for example in checked.draft.examples] == ["one"]


def test_that_a_fault_reads_like_a_sentence() -> None:
    checked = check_draft_object({})
    assert [fault.code for fault in checked.faults] == ["name", "type", "scorer", "prompt", "examples"]
    assert all(fault.message.endswith(".") for fault in checked.faults)
