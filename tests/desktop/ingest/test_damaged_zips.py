"""A zip whose table is in order and whose entries are damaged: as from a broken download or a worn stick."""

from __future__ import annotations

import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest

from desktop.application.evidence.look import look_into
from desktop.ingest.arrivals import understand
from desktop.ingest.documents import read_document
from desktop.ingest.pack_copies import unpack_pack
from desktop.ingest.tables.read import read_table
from packs.errors import AppError


def damage(file: Path, entry: str) -> Path:
    """Other bytes in the middle of one packed entry."""
    with zipfile.ZipFile(file) as archive:
        info = archive.getinfo(entry)
    data = bytearray(file.read_bytes())
    start = info.header_offset + 30 + len(entry)
    for place in range(start, start + info.compress_size):
        data[place] ^= 0x5A
    file.write_bytes(data)
    return file


def zip_of(file: Path, *names: str) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, "name: desk\n" * 500)
    return file


def word_file(file: Path) -> Path:
    document = docx.Document()
    for number in range(200):
        document.add_paragraph(f"Letter number {number}")
    document.save(str(file))
    return file


def workbook(file: Path) -> Path:
    book = openpyxl.Workbook()
    for number in range(200):
        book.active.append([f"letter {number}", "billing"])
    book.save(file)
    return file


def refusal(act: object, file: Path) -> AppError:
    with pytest.raises(AppError) as caught:
        act(file)  # type: ignore[operator]
    return caught.value


def test_that_a_damaged_word_file_is_a_sentence(tmp_path: Path) -> None:
    file = damage(word_file(tmp_path / "a.docx"), "word/document.xml")
    assert not understand(file).refused, "that it is damaged is told by its assistant"
    assert refusal(read_document, file).code == "damaged"
    assert refusal(read_table, file).code == "damaged"


def test_that_a_word_file_without_its_own_parts_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "a.docx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("word/document.xml", "<p/>")
    assert refusal(read_document, file).code == "damaged"


def test_that_a_damaged_workbook_is_a_sentence(tmp_path: Path) -> None:
    file = damage(workbook(tmp_path / "a.xlsx"), "xl/worksheets/sheet1.xml")
    assert refusal(read_table, file).code == "damaged"


def test_that_a_damaged_pack_leaves_nothing(tmp_path: Path) -> None:
    file = damage(zip_of(tmp_path / "a.zip", "desk/task.yaml"), "desk/task.yaml")
    documents = tmp_path / "documents"
    assert refusal(lambda path: unpack_pack(path, documents), file).code == "damaged"
    assert list(documents.iterdir()) == []


@pytest.mark.parametrize("names", [("manifest.json", "scores.json"), ("r/manifest.json", "r/decision.json")])
def test_that_a_damaged_bundle_is_a_sentence(tmp_path: Path, names: tuple[str, str]) -> None:
    file = damage(zip_of(tmp_path / "a.zip", *names), names[0])
    assert refusal(look_into, file).code == "damaged"
