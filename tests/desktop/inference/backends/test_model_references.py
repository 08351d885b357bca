"""Model files on this computer."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.model_references import (
    distinct_names,
    find_by_name,
    find_model_files,
    model_name,
    model_ref,
    sha256_of,
)
from tests.fakes.gguf_writer import write_gguf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    models = tmp_path / "models"
    for name in (
        "b.gguf",
        "deep/er/A.GGUF",
        "part-00001-of-00002.gguf",
        "part-00002-of-00002.gguf",
        "notes.txt",
    ):
        file = models / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"GGUF")
    too_deep = models / "1" / "2" / "3" / "4" / "5"
    too_deep.mkdir(parents=True)
    (too_deep / "c.gguf").write_bytes(b"GGUF")
    return models


def test_that_files_are_found_once_and_a_split_model_by_its_first_part(folder: Path, tmp_path: Path) -> None:
    single = tmp_path / "single.gguf"
    single.write_bytes(b"GGUF")
    (folder / "again.gguf").symlink_to(single)
    found = find_model_files([folder, folder, tmp_path / "absent"], [single, folder / "b.gguf"])
    assert sorted(file.name for file in found) == ["A.GGUF", "again.gguf", "b.gguf", "part-00001-of-00002.gguf"]


def test_that_a_link_to_a_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.gguf").write_bytes(b"GGUF")
    (folder / "loop").symlink_to(elsewhere, target_is_directory=True)
    assert "x.gguf" not in {file.name for file in find_model_files([folder])}


@pytest.mark.parametrize(
    ("file", "name"),
    [("a.Q4_1.gguf", "a.Q4_1"), ("B.GGUF", "B"), ("m-00002-of-00003.gguf", "m"), ("bare", "bare")],
)
def test_that_a_model_is_called_by_its_file(file: str, name: str) -> None:
    assert model_name(Path("/models") / file) == name


def test_that_a_broken_file_is_listed_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"<html>")
    model = model_ref(file)
    assert (model.name, model.size_bytes) == ("broken", 6)
    assert model.unsuitable_because is not None
    assert "web page" in model.unsuitable_because


def test_that_an_embedding_model_is_listed_with_the_reason(tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "e.gguf", {"general.architecture": "bert", "bert.pooling_type": 1})
    assert "embedding" in (model_ref(file).unsuitable_because or "")


def test_that_models_of_one_name_are_told_apart_by_their_folder() -> None:
    refs = [ModelRef("embedded", "m", Path("/x/m.gguf")), ModelRef("embedded", "m", Path("/y/m.gguf"))]
    other = ModelRef("embedded", "n", Path("/x/n.gguf"))
    assert [ref.name for ref in distinct_names([*refs, other])] == ["x/m", "y/m", "n"]


@pytest.mark.parametrize("wanted", ["starter", "smollm2-135m-instruct.q4_1", "SmolLM2-135M-Instruct.Q4_1.gguf"])
def test_that_the_starter_model_is_found_by_any_of_its_names(wanted: str) -> None:
    ref = ModelRef("embedded", "SmolLM2-135M-Instruct.Q4_1", Path("/x/SmolLM2-135M-Instruct.Q4_1.gguf"))
    assert find_by_name([ref], wanted) == ref
    assert find_by_name([ref], "other") is None


def test_that_a_digest_is_over_all_parts_and_can_be_stopped(tmp_path: Path) -> None:
    parts = [tmp_path / "1", tmp_path / "2"]
    for part, content in zip(parts, (b"ab", b"c"), strict=True):
        part.write_bytes(content)
    assert sha256_of(parts, lambda: False) == f"sha256:{hashlib.sha256(b'abc').hexdigest()}"
    assert sha256_of(parts, lambda: True) is None
