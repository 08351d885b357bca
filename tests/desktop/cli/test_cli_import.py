"""`packbench import` as a person uses it, from the first look to a pack that can be used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from packs.task.loader import load_pack

Packbench = Callable[..., Any]

GERMAN = "\ufeffText;Betrag;Datum\r\n" + "".join(
    f"Rechnung Nr. {number} über {number},50 Euro vom {number}. März;{number},50;2026-03-{number:02d}\r\n"
    for number in range(1, 25)
)


def test_that_a_csv_with_a_mark_semicolons_and_decimal_commas_becomes_a_valid_pack(
    tmp_path: Path, packbench: Packbench
) -> None:
    table = tmp_path / "rechnungen.csv"
    table.write_bytes(GERMAN.encode("utf-8"))
    ran = packbench("import", str(table), str(tmp_path / "rechnungen"))
    assert ran.code == 0, ran.err
    assert "semicolon" in ran.out
    assert "decimal comma" in ran.out
    assert '→ {"Betrag": 1.5, ' in ran.out
    pack = load_pack(tmp_path / "rechnungen").pack
    assert pack is not None
    assert pack.scorer == "field-f1"
    assert pack.examples[0].expected == {"Betrag": 1.5, "Datum": "2026-03-01"}


def test_that_a_workbook_with_an_empty_row_becomes_a_valid_pack(tmp_path: Path, packbench: Packbench) -> None:
    book = openpyxl.Workbook()
    book.active.append(["question", "team"])
    for number in range(24):
        book.active.append([f"Question number {number} about lamps", "repairs" if number % 2 else "billing"])
        if number == 10:
            book.active.append([None, None])
    book.save(tmp_path / "desk.xlsx")
    ran = packbench("import", str(tmp_path / "desk.xlsx"), str(tmp_path / "desk"))
    assert ran.code == 0, ran.err
    assert "24 rows used, 1 empty." in ran.out
    assert load_pack(tmp_path / "desk").pack is not None


def test_that_a_document_with_its_examples_in_a_table_becomes_a_valid_pack(
    tmp_path: Path, packbench: Packbench
) -> None:
    made = docx.Document()
    made.add_paragraph("What people write, and who answers:")
    table = made.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Message", "Team"
    for number in range(20):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = f"Message number {number} to the desk", "no" if number % 2 else "on"
    made.save(tmp_path / "desk.docx")
    ran = packbench("import", str(tmp_path / "desk.docx"), str(tmp_path / "desk"))
    assert ran.code == 0, ran.err
    pack = load_pack(tmp_path / "desk").pack
    assert pack is not None
    assert pack.scorer_params["labels"] == ["on", "no"]


def test_that_a_dry_run_writes_nothing_and_json_is_one_document(tmp_path: Path, packbench: Packbench) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\nfirst message,a\n,b\nsecond message,a\n", encoding="utf-8")
    ran = packbench("import", str(table), str(tmp_path / "new"), "--dry-run", "--header", "yes", "--json")
    assert ran.code == 0
    document = json.loads(ran.out)
    assert document["used"] == 2
    assert document["rejected"] == [{"row": 3, "reason": "The column 'text' is empty, so there is no input."}]
    assert not (tmp_path / "new").exists()


def test_that_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, packbench: Packbench) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\nfirst message,a\nsecond message,b\n", encoding="utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "keep.txt").write_text("mine", encoding="utf-8")
    ran = packbench("import", str(table), str(tmp_path / "full"))
    assert ran.code == 1
    assert "not empty" in ran.err
    assert [file.name for file in (tmp_path / "full").iterdir()] == ["keep.txt"]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--input", "txt"), "Did you mean 'text'?"),
        (("--scorer", "magic"), "There is no scorer 'magic'."),
        (("--encoding", "klingon"), "There is no encoding called 'klingon'."),
    ],
)
def test_that_a_wrong_choice_is_answered_with_the_right_ones(
    tmp_path: Path, packbench: Packbench, options: tuple[str, ...], word: str
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\nfirst message,a\nsecond message,b\n", encoding="utf-8")
    ran = packbench("import", str(table), str(tmp_path / "new"), *options)
    assert ran.code == 1
    assert word in ran.err
    assert not (tmp_path / "new").exists()


def test_that_a_table_whose_columns_are_unclear_says_how_to_name_them(
    tmp_path: Path, packbench: Packbench
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("1,2\n3,4\n", encoding="utf-8")
    ran = packbench("import", str(table), str(tmp_path / "new"))
    assert ran.code == 1
    assert "Column 1, Column 2" in ran.err
