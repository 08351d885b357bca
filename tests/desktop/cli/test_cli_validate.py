"""`packbench validate`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.cli.packs import find_pack, own_copy, sample_names
from desktop.foundation.paths import user_paths

GOOD = {
    "task.yaml": "name: desk\ntype: classification\nscorer: exact-label\n"
    "scorer_params:\n  labels: [billing, other]\nprompt_template: ./prompt.md\nexamples_dir: ./examples\n"
    "generation: {context: 4096, max_tokens: 8, temperature: 0, seed: 1, runs_per_example: 1}\n",
    "prompt.md": "billing or other?\n{{input}}\n",
    "examples/001.json": '{"input": "a", "expected": "billing"}',
    "examples/002.json": '{"input": "b", "expected": "other"}',
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    (folder / "examples").mkdir(parents=True)
    for name, content in GOOD.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_that_a_good_pack_is_zero_and_says_what_it_is(packbench: Callable[..., object], pack: Path) -> None:
    ran = packbench("validate", str(pack))
    assert ran.code == 0 and "desk can be used" in ran.out and "2 examples, scorer exact-label" in ran.out


@pytest.mark.parametrize("spelling", [["pack", "validate"], ["validate", "--pack"]])
def test_that_the_spellings_of_other_tools_work(
    packbench: Callable[..., object], pack: Path, spelling: list[str]
) -> None:
    assert packbench(*spelling, str(pack)).code == 0


def test_that_hints_are_problems_when_asked_for(packbench: Callable[..., object], pack: Path) -> None:
    assert packbench("validate", str(pack), "--strict").code == 1


def test_that_a_problem_is_told_with_file_line_field_and_fix(
    packbench: Callable[..., object], pack: Path
) -> None:
    manifest = pack / "task.yaml"
    manifest.write_text(manifest.read_text().replace("exact-label", "exact-lable"))
    ran = packbench("validate", str(pack))
    assert ran.code == 1 and "task.yaml:3:" in ran.out and "scorer [unknown_scorer]" in ran.out
    document = json.loads(packbench("validate", str(pack), "--json").out)
    problem = next(entry for entry in document["problems"] if entry["code"] == "unknown_scorer")
    assert problem["line"] == 3 and problem["field"] == "scorer" and "exact-label" in problem["message"]


def test_that_a_pack_named_twice_or_not_at_all_is_wrong_usage(
    packbench: Callable[..., object], pack: Path
) -> None:
    assert packbench("validate", str(pack), "--pack", str(pack)).code == 2
    assert packbench("validate").code == 2


def test_that_a_file_that_is_no_pack_is_told(packbench: Callable[..., object], pack: Path) -> None:
    ran = packbench("validate", str(pack / "prompt.md"))
    assert ran.code == 1 and "is a file, not a pack" in ran.err


def test_that_the_manifest_itself_names_its_pack(packbench: Callable[..., object], pack: Path) -> None:
    assert packbench("validate", str(pack / "task.yaml")).code == 0


def test_that_every_sample_can_be_used(packbench: Callable[..., object]) -> None:
    for sample in sample_names():
        ran = packbench("validate", sample, "--json")
        assert ran.code == 0, ran.out


def test_that_a_sample_is_run_from_a_copy_of_the_persons_own() -> None:
    for sample in sample_names():
        copy = own_copy(find_pack(sample), user_paths())
        assert copy.folder == user_paths().documents / sample
        note = copy.folder / "README.md"
        note.write_text("mine", encoding="utf-8")
        assert own_copy(find_pack(sample), user_paths()) == copy
        assert note.read_text(encoding="utf-8") == "mine"


def test_that_control_characters_of_a_pack_never_reach_the_terminal(
    packbench: Callable[..., object], pack: Path
) -> None:
    manifest = pack / "task.yaml"
    manifest.write_text(manifest.read_text().replace("name: desk", 'name: "de\\x1b[2Jsk"'))
    assert "\x1b" not in packbench("validate", str(pack)).out


def test_that_a_qualification_pack_is_recognised_by_its_manifest(
    packbench: Callable[..., object], tmp_path: Path
) -> None:
    (tmp_path / "pack.yaml").write_text("name: x\n", encoding="utf-8")
    document = json.loads(packbench("validate", str(tmp_path), "--json").out)
    assert document["kind"] == "qualification" and not document["valid"]


def test_that_a_qualification_pack_without_its_manifest_is_told_as_one(
    packbench: Callable[..., object], tmp_path: Path
) -> None:
    (tmp_path / "thresholds.yaml").write_text("[]", encoding="utf-8")
    document = json.loads(packbench("validate", str(tmp_path), "--json").out)
    assert document["kind"] == "qualification" and document["problems"][0]["file"] == "pack.yaml"


def test_that_a_zipped_pack_is_looked_at_without_leaving_anything(
    packbench: Callable[..., object], pack: Path, tmp_path: Path
) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "sent"), "zip", pack.parent, pack.name))
    ran = packbench("validate", str(archive))
    assert ran.code == 0 and "desk can be used" in ran.out
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["desk", "sent.zip"]


def test_that_a_zip_without_a_pack_is_told(packbench: Callable[..., object], tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    ran = packbench("validate", str(tmp_path / "x.zip"))
    assert ran.code == 1 and "no task.yaml" in ran.err
