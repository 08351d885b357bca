"""What a file is, told before it is opened."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import pytest

from desktop.ingest.arrivals import DOCUMENTS, ONE_PACK, TABLES, Arrival, ArrivalKind, plan_of, understand
from desktop.ingest.documents import SUFFIXES


def word_file(path: Path, *, rows: int, text: str) -> Path:
    document = docx.Document()
    document.add_paragraph(text)
    if rows:
        table = document.add_table(rows=rows, cols=2)
        for number, row in enumerate(table.rows):
            row.cells[0].text, row.cells[1].text = f"the message number {number}", "billing"
    document.save(str(path))
    return path


def zipped(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return path


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.csv", b"a;b", ArrivalKind.TABLE),
        ("a.TSV", b"a\tb", ArrivalKind.TABLE),
        ("a.jsonl", b"{}", ArrivalKind.TABLE),
        ("a.xlsx", b"PK\x03\x04", ArrivalKind.TABLE),
        ("MZ.csv", b"MZ;name\r\n1;2", ArrivalKind.TABLE),
        ("a.md", b"# Notes", ArrivalKind.DOCUMENT),
        ("a.eml", b"From: a", ArrivalKind.DOCUMENT),
        ("a.rst", b"Notes", ArrivalKind.DOCUMENT),
        ("a.html", b"<p>", ArrivalKind.DOCUMENT),
        ("a.pdf", b"%PDF-1.7", ArrivalKind.DOCUMENT),
        ("a.gguf", b"GGUF\x03", ArrivalKind.MODEL),
        ("model.bin", b"GGUF\x03", ArrivalKind.MODEL),
    ],
)
def test_that_a_file_is_known_by_name_and_content(
    tmp_path: Path, name: str, content: bytes, kind: ArrivalKind
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert understand(file).kind is kind


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.exe", b"MZ\x90\x00", "a program"),
        ("a.csv", b"MZ\x90\x00", "the content is a program"),
        ("a.pdf", b"\x7fELF\x02\x00", "the content is a program"),
        ("a.pdf", b"hello", "something else"),
        ("a.docx", b"hello", "something else"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1", "password"),
        ("a.csv", b"", "empty"),
        ("a.xls", b"\xd0\xcf\x11\xe0", "Save it as .xlsx"),
        ("a.odt", b"PK\x03\x04", "Save it as .docx"),
        ("a.zip", b"PK\x03\x04", "damaged"),
        ("a.gguf", b"<html>", "something else"),
        ("a.png", b"\x89PNG", "does not know"),
    ],
)
def test_that_what_is_not_read_says_why(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    found = understand(file)
    assert found.refused
    assert message in found.message
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_that_a_word_file_that_is_mostly_a_table_is_asked_about(tmp_path: Path) -> None:
    assert understand(word_file(tmp_path / "a.docx", rows=8, text="Messages of May")).kind is (
        ArrivalKind.TABLE_OR_DOCUMENT
    )
    assert understand(word_file(tmp_path / "b.docx", rows=8, text="word " * 200)).kind is ArrivalKind.DOCUMENT
    assert understand(word_file(tmp_path / "c.docx", rows=0, text="word")).kind is ArrivalKind.DOCUMENT


def test_that_zips_are_told_apart(tmp_path: Path) -> None:
    assert understand(zipped(tmp_path / "t.zip", "desk/task.yaml")).kind is ArrivalKind.PACK_ZIP
    assert "qualification" in understand(zipped(tmp_path / "q.zip", "desk/pack.yaml")).message
    assert understand(zipped(tmp_path / "r.zip", "manifest.json", "scores.json")).kind is ArrivalKind.BUNDLE
    assert understand(zipped(tmp_path / "e.zip", "r/decision.json", "r/hashes.json")).kind is ArrivalKind.BUNDLE
    assert understand(zipped(tmp_path / "n.zip", "manifest.json")).refused


def test_that_a_bundle_folder_that_lacks_a_file_is_still_a_bundle(tmp_path: Path) -> None:
    for name in ("decision.json", "hashes.json"):
        (tmp_path / name).write_text("{}", "utf-8")
    assert understand(tmp_path).kind is ArrivalKind.BUNDLE


def test_that_of_several_packs_one_is_opened_and_each_thing_comes_once() -> None:
    one, two, sent = Path("one"), Path("two"), Path("sent.zip")
    planned = plan_of(
        [
            Arrival(one, ArrivalKind.TASK_PACK, "Opens."),
            Arrival(one, ArrivalKind.TASK_PACK, "Opens."),
            Arrival(two, ArrivalKind.TASK_PACK, "Opens."),
            Arrival(sent, ArrivalKind.PACK_ZIP, "Opens."),
        ]
    )
    assert [(entry.path, entry.message == ONE_PACK, entry.refused) for entry in planned] == [
        (one, False, False),
        (two, True, False),
        (sent, False, True),
    ]


def test_that_every_kind_that_can_be_read_is_known_here() -> None:
    assert set(SUFFIXES) <= TABLES | DOCUMENTS
