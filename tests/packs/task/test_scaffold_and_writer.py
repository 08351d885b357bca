"""New packs to fill in, and saving edited ones."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from packs.documents.problems import Severity
from packs.documents.writer import json_bytes, manifest_bytes, text_bytes, write_files
from packs.documents.yaml_tree import parse_yaml
from packs.errors import AppError
from packs.task.loader import load_pack, load_pack_from_files
from packs.task.scaffold import scaffold_files, write_scaffold
from packs.task.scorers import SCORERS


@pytest.mark.parametrize("scorer", SCORERS.names)
def test_that_a_new_pack_fails_only_because_of_its_two_stand_ins(scorer: str) -> None:
    loaded = load_pack_from_files(scaffold_files("my-task", scorer=scorer))
    errors = [problem.code for problem in loaded.problems if problem.severity is Severity.ERROR]
    assert errors == ["placeholder", "placeholder"]


@pytest.mark.parametrize("scorer", SCORERS.names)
def test_that_a_new_pack_is_valid_once_the_stand_ins_are_replaced(scorer: str) -> None:
    files = scaffold_files("my-task", scorer=scorer)
    for path in [path for path in files if path.startswith("examples/")]:
        example = json.loads(files[path])
        del example["replace_me"]
        files[path] = json.dumps(example).encode()
    assert load_pack_from_files(files).valid


@pytest.mark.parametrize("name", ["a: b", "no", "007", "it's", "日本 # x", "{x}"])
def test_that_any_name_is_written_so_that_it_reads_back(name: str) -> None:
    manifest = scaffold_files(name, kind="on")["task.yaml"].decode()
    assert parse_yaml(manifest).value["name"] == name
    assert parse_yaml(manifest).value["type"] == "on"


def test_that_an_unknown_scorer_is_refused_with_the_nearest() -> None:
    with pytest.raises(AppError, match="Did you mean 'json-schema'"):
        scaffold_files("x", scorer="jsonschema")


def test_that_no_existing_file_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("mine", encoding="utf-8")
    done = write_scaffold(tmp_path, "x")
    assert done.kept == ("prompt.md",)
    assert (tmp_path / "prompt.md").read_text(encoding="utf-8") == "mine"
    with pytest.raises(AppError) as error:
        write_scaffold(tmp_path, "x")
    assert error.value.code == "exists"


def test_that_the_name_of_the_folder_is_the_default(tmp_path: Path) -> None:
    write_scaffold(tmp_path / "deep" / "parcels")
    assert load_pack(tmp_path / "deep" / "parcels").name == "parcels"


# Saving ----------


def test_that_saving_a_sample_with_one_change_changes_one_line() -> None:
    before = scaffold_files("x")["task.yaml"]
    value = parse_yaml(before.decode()).value
    value["generation"]["seed"] = 7
    after = manifest_bytes(before, value)
    changed = set(after.decode().splitlines()) - set(before.decode().splitlines())
    assert changed == {"  seed: 7"}


def test_that_marks_and_line_ends_of_windows_stay() -> None:
    mark = b"\xef\xbb\xbf"
    assert manifest_bytes(mark + b"name: x\r\nseed: 1\r\n", {"name": "x", "seed": 2}) == (
        mark + b"name: x\r\nseed: 2\r\n"
    )
    assert json_bytes(mark + b'{"a":1}\r\n', {"a": 2}) == mark + b'{"a":2}\r\n'
    assert text_bytes(mark + b"a\r\n", "b\nc\n") == mark + b"b\r\nc\r\n"


def test_that_lines_that_nobody_edited_keep_their_own_line_ends() -> None:
    assert text_bytes(b"a\r\nb\nc\r\nd", "a\nb\nnew\nc\nd!") == b"a\r\nb\nnew\r\nc\r\nd!"
    assert text_bytes(b"a\r\nb\nc\n", "a\nb\n") == b"a\r\nb\n"
    assert manifest_bytes(b"name: x\r\nseed: 1\n# end\n", {"name": "x", "seed": 2}) == (
        b"name: x\r\nseed: 2\n# end\n"
    )
    assert json_bytes(b'{"a":1,\r\n"b": 2\n}', {"a": 1, "b": 3}) == b'{"a":1,\r\n"b": 3\n}'


def test_that_a_file_that_cannot_be_read_is_not_overwritten() -> None:
    for change in (
        lambda: manifest_bytes(b"a: [", {"a": 1}),
        lambda: json_bytes(b"{", {}, "examples/001.json"),
    ):
        with pytest.raises(AppError) as error:
            change()
        assert error.value.code == "unreadable"


def test_that_an_unchanged_file_is_not_touched(tmp_path: Path) -> None:
    write_files(tmp_path, {"prompt.md": b"x"})
    os.utime(tmp_path / "prompt.md", (1, 1))
    write_files(tmp_path, {"prompt.md": b"x", "examples/001.json": b"{}"}, removed=["gone.json"])
    assert (tmp_path / "prompt.md").stat().st_mtime == 1
    write_files(tmp_path, {}, removed=["examples/001.json"])
    assert not (tmp_path / "examples" / "001.json").exists()


@pytest.mark.parametrize("path", ["../x", "/x", "", "a/../../x", "out/x"])
def test_that_nothing_is_written_outside_of_the_pack(path: str, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "out").symlink_to(tmp_path)
    with pytest.raises(AppError) as error:
        write_files(pack, {"prompt.md": b"x", path: b"x"})
    assert error.value.code == "path_outside"
    assert not (pack / "prompt.md").exists()
    assert not (tmp_path / "x").exists()
