"""Zips and samples that are put into the documents, and what a dropped file is taken for."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from desktop.ingest.arrivals import ArrivalKind, understand
from desktop.ingest.pack_copies import copy_sample, unpack_pack
from packs.errors import AppError


def make_zip(file: Path, entries: dict[str, str]) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file


def test_that_a_zipped_pack_is_unpacked_under_its_own_name(tmp_path: Path) -> None:
    archive = make_zip(
        tmp_path / "x.zip", {"mail/task.yaml": "a", "mail/examples/001.json": "b", "other.txt": "c"}
    )
    assert understand(archive).kind is ArrivalKind.PACK_ZIP
    folder = unpack_pack(archive, tmp_path / "docs")
    assert folder == tmp_path / "docs" / "mail"
    assert (folder / "examples" / "001.json").read_text() == "b"
    assert not (folder / "other.txt").exists()
    assert [entry.name for entry in (tmp_path / "docs").iterdir()] == ["mail"]


def test_that_a_taken_name_gets_a_number_and_nothing_is_overwritten(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "mail.zip", {"task.yaml": "new"})
    first = unpack_pack(archive, tmp_path / "docs")
    (first / "task.yaml").write_text("mine")
    second = unpack_pack(archive, tmp_path / "docs")
    assert second.name == "mail 2"
    assert (first / "task.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "c:/out.txt", "a\\..\\out.txt", "x/" * 20 + "f"]
)
def test_that_an_entry_that_leads_out_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    archive = make_zip(tmp_path / "x.zip", {"task.yaml": "a", name: "b"})
    with pytest.raises(AppError) as caught:
        unpack_pack(archive, tmp_path / "docs")
    assert caught.value.code == "unsafe_zip"
    assert not (tmp_path / "docs").exists()


def test_that_links_in_a_zip_are_refused(tmp_path: Path) -> None:
    archive = tmp_path / "x.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("task.yaml", "a")
        link = zipfile.ZipInfo("prompt.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(link, "/etc/passwd")
    with pytest.raises(AppError) as caught:
        unpack_pack(archive, tmp_path / "docs")
    assert caught.value.code == "unsafe_zip"


def test_that_two_names_that_are_one_on_some_systems_are_refused(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "x.zip", {"task.yaml": "a", "A.json": "b", "a.json": "c"})
    with pytest.raises(AppError) as caught:
        unpack_pack(archive, tmp_path / "docs")
    assert caught.value.code == "unsafe_zip"


def test_that_a_zip_bomb_is_refused_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "x.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("task.yaml", "a")
        zipped.writestr("big.txt", "0" * 3_000_000)
    monkeypatch.setattr("desktop.ingest.pack_copies.MAX_FILE_BYTES", 1_000_000)
    with pytest.raises(AppError) as caught:
        unpack_pack(archive, tmp_path / "docs")
    assert caught.value.code == "too_large"
    assert list((tmp_path / "docs").iterdir()) == []
    monkeypatch.setattr("desktop.ingest.pack_copies.MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(AppError) as caught:
        unpack_pack(archive, tmp_path / "docs")
    assert caught.value.code == "too_large"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"PK" + bytes(200)])
def test_that_a_damaged_zip_is_said_to_be_one(tmp_path: Path, content: bytes) -> None:
    archive = tmp_path / "x.zip"
    archive.write_bytes(content)
    assert understand(archive).kind is ArrivalKind.UNKNOWN
    with pytest.raises(AppError) as caught:
        unpack_pack(archive, tmp_path / "docs")
    assert caught.value.code == "damaged"


def test_that_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "x.zip", {"task.yaml": "a"})
    (tmp_path / "docs").write_text("a file in the way")
    with pytest.raises(AppError) as caught:
        unpack_pack(archive, tmp_path / "docs")
    assert caught.value.code == "not_written"


def test_that_a_sample_is_copied_whole_and_may_be_copied_again(tmp_path: Path) -> None:
    sample = tmp_path / "invoice"
    (sample / "examples").mkdir(parents=True)
    (sample / "task.yaml").write_text("a")
    (sample / "examples" / "001.json").write_text("b")
    first = copy_sample(sample, tmp_path / "docs")
    second = copy_sample(sample, tmp_path / "docs")
    assert (first.name, second.name) == ("invoice", "invoice 2")
    assert (second / "examples" / "001.json").read_text() == "b"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.gguf", b"GGUF\x03\0\0\0", ArrivalKind.MODEL),
        ("a.bin", b"GGUF\x03\0\0\0", ArrivalKind.MODEL),
        ("a.gguf", b"<html>", ArrivalKind.UNKNOWN),
        ("a.csv", b"a;b", ArrivalKind.TABLE),
        ("a.xlsx", b"PK\x03\x04", ArrivalKind.TABLE),
        ("a.pdf", b"%PDF", ArrivalKind.DOCUMENT),
        ("notes.docx", b"PK\x03\x04", ArrivalKind.DOCUMENT),
        ("a.exe", b"MZ", ArrivalKind.UNKNOWN),
        ("empty", b"", ArrivalKind.UNKNOWN),
    ],
)
def test_that_a_file_is_known_by_content_and_name(
    tmp_path: Path, name: str, content: bytes, kind: ArrivalKind
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert understand(file).kind is kind


def test_that_folders_are_known_by_what_they_hold(tmp_path: Path) -> None:
    assert understand(tmp_path / "missing").kind is ArrivalKind.UNKNOWN
    assert understand(tmp_path).kind is ArrivalKind.UNKNOWN
    (tmp_path / "pack.yaml").write_text("")
    assert understand(tmp_path).kind is ArrivalKind.QUALIFICATION_PACK
    (tmp_path / "task.yaml").write_text("")
    arrival = understand(tmp_path / "task.yaml")
    assert (arrival.kind, arrival.path) == (ArrivalKind.TASK_PACK, tmp_path)
