"""Each safe remedy removes the problem it was offered for, and can be taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packs.documents.problems import Problem
from packs.task.codes import CODES
from packs.task.content import PackContent
from packs.task.fixes import fix_for, fixable_codes
from packs.task.loader import load_pack_from_files

MANIFEST = """\
name: desk
type: routing
scorer: exact-label
scorer_params:
  labels: [billing, delivery, returns]
generation:
  context: 2048
  max_tokens: 16
  temperature: 0
  seed: 7
  runs_per_example: 1
prompt_template: ./prompt.md
examples_dir: ./examples
"""
PROMPT = "billing, delivery or returns?\n{{input}}\n"


def pack(manifest: str = MANIFEST, prompt: str = PROMPT, **examples: Any) -> PackContent:
    files = {"task.yaml": manifest.encode(), "prompt.md": prompt.encode()}
    every = {f"{number:03d}": {"input": f"message {number}", "expected": "billing"} for number in range(1, 22)}
    for name, value in {**every, **examples}.items():
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        files[f"examples/{name}" + ("" if "." in name else ".json")] = data
    return PackContent(files)


def problems(content: PackContent) -> list[Problem]:
    return list(load_pack_from_files(dict(content.files)).problems)


CASES: dict[str, tuple[PackContent, str]] = {
    "no_placeholder": (pack(prompt="billing, delivery or returns?\n{{ Input }}\n"), "Write {{input}}"),
    "placeholder_like": (pack(prompt=PROMPT + "{{ input }}"), "Write {{input}}"),
    "unknown_key": (pack(MANIFEST + "gate: []\n"), "Write gates"),
    "unknown_param": (pack(MANIFEST.replace("labels:", "lables: [x]\n  labels:")), "Remove lables"),
    "unknown_scorer": (pack(MANIFEST.replace("exact-label", "exact_label")), "Use exact-label"),
    "text_required": (pack(MANIFEST.replace("name: desk", "name: 007")), "Put it in quotes"),
    "number_required": (pack(MANIFEST.replace("seed: 7", "seed: '7'")), "Write 7"),
    "mapping_required": (
        pack(MANIFEST[: MANIFEST.index("generation")] + MANIFEST[MANIFEST.index("prompt_t") :]),
        "",
    ),
    "list_required": (pack(MANIFEST + "gates:\n"), "Remove the empty field"),
    "duplicate_input": (pack(**{"030": {"input": "message 3", "expected": "billing"}}), "Remove 030.json"),
    "placeholder": (pack(**{"030": {"input": "x", "expected": "y", "replace_me": True}}), "Remove 030.json"),
    "example_ignored": (pack(**{"030.JSON": {"input": "x", "expected": "billing"}}), "Rename to 030.json"),
    "expected_unfit": (pack(**{"030": {"input": "x", "expected": "return"}}), "Use “returns”"),
    "labels_collapse": (pack(MANIFEST.replace("[billing", "[Billing, billing")), "Remove “billing”"),
    "label_blank": (pack(MANIFEST.replace("[billing", '["", billing')), "Remove it"),
    "alias_shadows_label": (
        pack(MANIFEST.replace("returns]", "returns]\n  aliases: {billing: returns}")),
        "Remove the alias “billing”",
    ),
    "not_utf8": (
        pack(**{"030": '{"input": "Grüße", "expected": "billing"}'.encode("latin-1")}),
        "Save it as UTF-8",
    ),
    "expected_missing": (
        pack(
            MANIFEST.replace("exact-label", "pattern").replace(
                "labels: [billing, delivery, returns]", "patterns: [a]"
            ),
            **{"030": {"input": "x"}},
        ),
        "Add an empty one",
    ),
    "expected_lacks_field": (
        pack(
            MANIFEST.replace("exact-label", "field-f1").replace(
                "labels: [billing, delivery, returns]", "key_fields: [a, b]"
            ),
            **{
                f"{n:03d}": {"input": f"m {n}", "expected": {"a": 1, "b": 2} if n > 1 else {"a": 1}}
                for n in range(1, 22)
            },
        ),
        "Add b as null",
    ),
}


@pytest.mark.parametrize("code", fixable_codes())
def test_that_a_remedy_removes_its_problem_and_can_be_taken_back(code: str) -> None:
    content, message = CASES[code]
    before = dict(content.files)
    found = [problem for problem in problems(content) if problem.code == code]
    assert found, [problem.code for problem in problems(content)]
    fix = fix_for(found[0], content)
    assert fix is not None
    assert fix.message == message or not message
    content.apply(fix.change)
    left = [problem for problem in problems(content) if problem.code == code]
    assert len(left) < len(found), left
    content.revert(fix.change)
    assert dict(content.files) == before


def test_that_every_remedy_is_for_a_code_there_is() -> None:
    assert set(fixable_codes()) <= set(CODES)


def test_that_a_quoted_number_keeps_its_zeros() -> None:
    content, _ = CASES["text_required"]
    (problem,) = [entry for entry in problems(content) if entry.code == "text_required"]
    fix = fix_for(problem, content)
    assert fix is not None
    content.apply(fix.change)
    assert content.manifest()["name"] == "007"
    content.revert(fix.change)


def test_that_no_remedy_is_offered_where_a_decision_is_due() -> None:
    content = pack(**{"030": {"input": "message 3", "expected": "returns"}})
    (problem,) = [entry for entry in problems(content) if entry.code == "contradicting_input"]
    assert fix_for(problem, content) is None
    only = PackContent({**pack().files, "task.yaml": MANIFEST.replace("name: desk", "name: ''").encode()})
    (problem,) = [entry for entry in problems(only) if entry.code == "text_required"]
    assert fix_for(problem, only) is None


def test_that_a_remedy_for_a_place_that_is_gone_is_none() -> None:
    problem = Problem("examples/gone.json", ("expected",), "expected_unfit", "x", "y")
    assert fix_for(problem, pack()) is None
