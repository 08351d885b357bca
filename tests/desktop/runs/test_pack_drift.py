"""What changed in a pack since a run began is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.runs.pack_drift import changed_parts
from packs.task.loader import load_pack

ELSEWHERE = "something in task.yaml, or only how a file is written"
SAMPLE = Path(__file__).parents[3] / "packs" / "samples" / "ticket-routing"


def rewrite(file: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


def remove(folder: Path) -> None:
    (folder / "examples" / "003.json").unlink()


def add(folder: Path) -> None:
    shutil.copy(folder / "examples" / "003.json", folder / "examples" / "zz.json")


def many(folder: Path) -> None:
    for file in sorted((folder / "examples").iterdir())[:6]:
        file.write_text(file.read_text(encoding="utf-8").replace('"input": "', '"input": "Dear all, '), "utf-8")


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        (rewrite("prompt.md", "{{input}}", "{{input}}!"), "prompt.md"),
        (rewrite("task.yaml", "max_tokens:", "max_tokens: 7 #"), "the generation settings"),
        (rewrite("examples/003.json", '"input": "', '"input": "Hello. '), "example 003"),
        (rewrite("task.yaml", "name:", "# a note\nname:"), ELSEWHERE),
        (remove, "examples/003.json is gone"),
        (add, "examples/zz.json is new"),
        (many, "example 001, example 002, example 003, example 004, and 2 more"),
    ],
)
def test_that_what_changed_in_a_pack_is_named(
    tmp_path: Path, change: Callable[[Path], None], reported: str
) -> None:
    folder = tmp_path / "pack"
    shutil.copytree(SAMPLE, folder)
    before = load_pack(folder).pack
    change(folder)
    now = load_pack(folder).pack
    assert before is not None
    assert now is not None
    stored = json.loads(json.dumps(before.snapshot()))
    assert changed_parts(stored, before.snapshot()) == ELSEWHERE
    assert changed_parts(stored, now.snapshot()) == reported


def test_that_records_without_a_pack_tell_no_difference() -> None:
    assert changed_parts({}, {}) == ""
