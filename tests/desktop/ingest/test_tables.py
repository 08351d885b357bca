"""Tables as people really send them: marks, semicolons, commas, formulas, gaps, and files that are none."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest
from openpyxl.worksheet.formula import ArrayFormula

from desktop.ingest.encoding import decode
from desktop.ingest.tables import workbook as workbook_module
from desktop.ingest.tables.examples import build_examples
from desktop.ingest.tables.model import Cell, DataTable, TableFormat, TableRow
from desktop.ingest.tables.numbers import parse_number, sniff_decimal
from desktop.ingest.tables.proposal import ColumnKind, Mapping, propose
from desktop.ingest.tables.read import read_table
from packs.errors import AppError


def table_of(
    tmp_path: Path, content: bytes | str, name: str = "table.csv", wanted: TableFormat | None = None
) -> DataTable:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(file, wanted)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "windows-1252"])
def test_that_every_usual_encoding_gives_the_same_table(tmp_path: Path, encoding: str) -> None:
    table = table_of(
        tmp_path, "text;team\nGrüße aus Köln;Büro\nVielen Dank, bis später;Lager\n".encode(encoding)
    )
    assert table.columns == ("text", "team")
    assert table.rows[0].cells == ("Grüße aus Köln", "Büro")
    assert table.format.delimiter == ";"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "line",
    [
        "这是第一条消息的内容,账单",
        "これは番号です,請求",
        "Это сообщение,счёт",
        "यह एक संदेश है,बिल",
        "🙂 schön,ja",
    ],
)
def test_that_utf_16_without_a_mark_is_read_in_any_script(encoding: str, line: str) -> None:
    text = f"{line}\n" * 400
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 9, b"\1\0\0\0" * 400])
def test_that_zero_bytes_alone_make_no_utf_16(content: bytes) -> None:
    with pytest.raises(AppError) as caught:
        decode(content)
    assert caught.value.code == "not_text"


def test_that_binary_content_is_refused_in_words() -> None:
    with pytest.raises(AppError) as caught:
        decode(bytes(range(256)) * 20, name="photo.csv")
    assert caught.value.code == "not_text"


def test_that_an_encoding_asked_for_that_does_not_fit_names_the_byte() -> None:
    with pytest.raises(AppError) as caught:
        decode("Grüße".encode("latin-1"), "utf-8")
    assert caught.value.code == "wrong_encoding"
    assert "byte 2" in caught.value.message


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("input,expected\nHello there,a\nSecond one,b\n", ","),
        ("input;expected\nHello, there;a\nSecond, one;b\n", ";"),
        ("input\texpected\nHello, there\ta\nSecond; one\tb\n", "\t"),
        ("input|expected\nHello, there|a\nSecond one|b\n", "|"),
        ("sep=;\ninput;expected\nHello;a\n", ";"),
        ('input;expected\n"Pay 3,5; now";3,5\n"Pay 4,5; now";4,5\n', ";"),
    ],
)
def test_that_the_delimiter_is_found(tmp_path: Path, text: str, delimiter: str) -> None:
    table = table_of(tmp_path, text)
    assert table.format.delimiter == delimiter
    assert table.columns == ("input", "expected")


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("\n".join(f'"Pay {i},5 euros; now";{i},5' for i in range(9)), ";"),
        ("\n".join(f'"{i}" screws of steel,{i}' for i in range(9)), ","),
    ],
)
def test_that_a_delimiter_inside_quotes_divides_nothing(tmp_path: Path, text: str, delimiter: str) -> None:
    assert table_of(tmp_path, text).format.delimiter == delimiter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_that_a_long_table_is_the_same_row_for_row_whatever_ends_its_lines(tmp_path: Path, end: str) -> None:
    """Far longer than the pieces in which it is read, and every cell holds a line break of its own."""
    rows = 40_000
    lines = ["text,label", *(f'"first {number}{end}second {number}",{number % 3}' for number in range(rows))]
    (tmp_path / "t.csv").write_bytes((end.join(lines) + end).encode())
    table = read_table(tmp_path / "t.csv")
    assert len(table.rows) == rows
    assert [row.cells for row in table.rows] == [
        (f"first {number}{end}second {number}", str(number % 3)) for number in range(rows)
    ]
    assert [row.number for row in table.rows] == [2 + 2 * number for number in range(rows)]


def test_that_quoted_line_breaks_and_delimiters_stay_in_their_cell(tmp_path: Path) -> None:
    table = table_of(tmp_path, 'text,label\n"first\nsecond, ""third""",a\nplain,b\n')
    assert table.rows[0].cells == ('first\nsecond, "third"', "a")
    assert [row.number for row in table.rows] == [2, 4]


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("1,234.50", ".", 1234.5),
        ("1.234,50", ",", 1234.5),
        ("12,5", ",", 12.5),
        ("12,5", ".", None),
        ("€ 1 234,00", ",", 1234),
        ("1’234.5", ".", 1234.5),
        ("(42.10)", ".", -42.1),
        ("−7", ".", -7),
        ("15 %", ".", 15),
        ("007", ".", None),
        ("2026-03-14", ".", None),
        ("abc", ",", None),
        (".5", ".", 0.5),
        ("9" * 400, ".", None),
    ],
)
def test_that_numbers_are_read_as_written(text: str, decimal: str, number: float | None) -> None:
    assert parse_number(text, decimal) == number


def test_that_ambiguous_numbers_follow_the_clear_ones() -> None:
    assert sniff_decimal(["1,234", "12,5"], ",")[0] == ","
    assert sniff_decimal(["1,234", "12.5"], ",")[0] == "."
    assert sniff_decimal(["7", "8"], ";")[0] == ","
    assert sniff_decimal(["7", "8"], ",")[0] == "."


def test_that_a_table_without_names_gets_numbered_columns(tmp_path: Path) -> None:
    table = table_of(tmp_path, "Where is my parcel?,delivery\nPlease refund me.,billing\n")
    assert table.format.has_header is False
    assert table.columns == ("Column 1", "Column 2")
    assert len(table.rows) == 2


def test_that_the_persons_choice_of_format_wins(tmp_path: Path) -> None:
    table = table_of(tmp_path, "a,b\nc,d\n", wanted=TableFormat(has_header=False, delimiter=";"))
    assert table.columns == ("Column 1",)
    assert table.rows[0].cells == ("a,b",)


def test_that_rows_with_too_few_cells_are_filled_and_repeated_names_numbered(tmp_path: Path) -> None:
    table = table_of(tmp_path, "text,label,label\none,a\ntwo,b,c\n", wanted=TableFormat(has_header=True))
    assert table.columns == ("text", "label", "label (2)")
    assert table.rows[0].cells == ("one", "a", None)


def workbook(tmp_path: Path, rows: list[list[object]], name: str = "book.xlsx") -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    file = tmp_path / name
    book.save(file)
    return file


def test_that_a_workbook_gives_values_and_counts_its_empty_row(tmp_path: Path) -> None:
    file = workbook(tmp_path, [["message", "total"], ["Order of two", 12.5], [None, None], ["Order of one", 7]])
    table = read_table(file)
    mapping = propose(table).mapping
    assert mapping is not None
    made = build_examples(table, mapping)
    assert mapping.scorer == "numeric-tolerance"
    assert [(example.input, example.expected) for example in made.examples] == [
        ("Order of two", 12.5),
        ("Order of one", 7),
    ]
    assert made.empty == (3,)


@pytest.mark.parametrize("corner", ["XFD1048576", "XFD3", "A1048576"])
@pytest.mark.parametrize("content", [None, "far away"])
def test_that_a_cell_in_a_far_corner_makes_no_rows_or_columns(
    tmp_path: Path, corner: str, content: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(number: int, cells: tuple[Cell, ...]) -> TableRow:
        made.append(len(cells))
        return TableRow(number, cells)

    book = openpyxl.Workbook()
    for row in (["text", "label"], ["hello", "a"]):
        book.active.append(row)
    book.active[corner] = content
    book.active[corner].number_format = "0.00"
    book.save(tmp_path / "book.xlsx")
    monkeypatch.setattr(workbook_module, "TableRow", counted)
    if content is not None and corner == "A1048576":
        with pytest.raises(AppError) as caught:
            read_table(tmp_path / "book.xlsx")
        assert caught.value.code == "too_large"
    else:
        assert [row.cells for row in read_table(tmp_path / "book.xlsx").rows if not row.is_empty] == [
            ("hello", "a")
        ]
    assert len(made) <= 4 and sum(made) <= 10


def test_that_rows_that_a_workbook_leaves_out_keep_the_numbers_of_the_others(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["text", "label"])
    book.active["A4"], book.active["B4"] = "hello", "a"
    book.active["B6"] = "=1+1"
    book.active["C9"] = "last"
    book.save(tmp_path / "book.xlsx")
    table = read_table(tmp_path / "book.xlsx")
    assert [row.number for row in table.rows if not row.is_empty] == [4, 9]
    assert [row.number for row in table.rejected] == [6]


def test_that_the_rows_a_workbook_stores_are_counted_while_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook_module, "MAX_ROWS", 5)
    with pytest.raises(AppError) as caught:
        read_table(workbook(tmp_path, [["text", "label"]] * 6))
    assert caught.value.code == "too_large"
    assert read_table(workbook(tmp_path, [["text", "label"]] * 5)).rows


def test_that_a_formula_without_a_stored_result_rejects_its_row_by_name(tmp_path: Path) -> None:
    file = workbook(tmp_path, [["message", "total"], ["Sum", "=1+1"], ["Plain", 7]])
    table = read_table(file)
    assert [row.cells for row in table.rows] == [("Plain", 7)]
    assert table.rejected[0].number == 2
    assert "formula" in table.rejected[0].reason


def test_that_a_formula_over_several_cells_is_told_as_one(tmp_path: Path) -> None:
    file = workbook(tmp_path, [["message", "total"], ["Sum", ArrayFormula("B2:B2", "=A2&A3")], ["Plain", 7]])
    table = read_table(file)
    assert "formula" in table.rejected[0].reason


def test_that_a_sheet_can_be_chosen_and_an_unknown_one_lists_the_sheets(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    second = book.create_sheet("Examples")
    second.append(["text", "label"])
    second.append(["hello", "a"])
    file = tmp_path / "book.xlsx"
    book.save(file)
    assert read_table(file).format.sheet == "Examples"
    with pytest.raises(AppError) as caught:
        read_table(file, TableFormat(sheet="Other"))
    assert "Notes, Examples" in caught.value.fix


@pytest.mark.parametrize("content", [b"PK\x03\x04garbage", b"PK\x03\x04" + b"\0" * 400])
def test_that_a_damaged_workbook_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(AppError) as caught:
        table_of(tmp_path, content, "book.xlsx")
    assert caught.value.code == "damaged"


def test_that_a_word_file_with_unknown_parts_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "table.docx"
    docx.Document().save(str(file))
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    types = parts["[Content_Types].xml"]
    parts["[Content_Types].xml"] = types.replace(b"Types", b"Tipes")
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(AppError) as caught:
        read_table(file)
    assert caught.value.code == "damaged"


def test_that_a_zip_that_is_no_workbook_is_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "book.xlsx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    with pytest.raises(AppError) as caught:
        read_table(file)
    assert caught.value.code == "damaged"


def test_that_a_workbook_that_would_unpack_to_gigabytes_is_refused(tmp_path: Path) -> None:
    file = workbook(tmp_path, [["text", "label"], ["hello", "a"]])
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("bomb.xml", "w") as entry:
        for _ in range(420):
            entry.write(b"0" * 2**20)
    with pytest.raises(AppError) as caught:
        read_table(file)
    assert caught.value.code == "too_large"


def test_that_entities_in_a_workbook_are_not_expanded(tmp_path: Path) -> None:
    plain = workbook(tmp_path, [["text", "label"], ["hello", "a"]])
    file = tmp_path / "bomb.xlsx"
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(file, "w") as target:
        for entry in source.namelist():
            content = source.read(entry).decode()
            if entry == "xl/worksheets/sheet1.xml":
                content = bomb + content.replace("<sheetData>", "<sheetData><row><c><v>&b;</v></c></row>")
            target.writestr(entry, content)
    with pytest.raises(AppError) as caught:
        read_table(file)
    assert caught.value.code == "damaged"


def test_that_an_old_workbook_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AppError) as caught:
        table_of(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old.xls")
    assert caught.value.code == "old_workbook"


def test_that_json_lines_keep_line_separators_in_texts_and_name_bad_lines(tmp_path: Path) -> None:
    lines = [
        json.dumps({"input": "a\u2028b", "expected": "x"}, ensure_ascii=False),
        "{broken",
        '{"input": "c", "expected": NaN}',
        "[1]",
        "",
    ]
    table = table_of(tmp_path, "\n".join(lines), "examples.jsonl")
    assert table.rows[0].cells == ("a\u2028b", "x")
    assert [row.number for row in table.rejected] == [2, 3, 4]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ('"\\ud800 half"', "half of a character"),
        ('{"\\udfff": 1}', "half of a character"),
        ("1e999", "too large"),
        ("9" * 5000, "more than 300 digits"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("NaN", "NaN is not allowed"),
    ],
)
@pytest.mark.parametrize("form", ['{{"input": "x", "expected": {}}}\n', '[{{"input": "x", "expected": {}}}]'])
def test_that_a_line_that_no_pack_can_hold_is_named(tmp_path: Path, form: str, value: str, reason: str) -> None:
    good = '{"input": "good", "expected": "a"}\n'
    if form.startswith("["):
        with pytest.raises(AppError):
            table_of(tmp_path, form.format(value), "t.jsonl")
        return
    table = table_of(tmp_path, good + form.format(value), "t.jsonl")
    assert [row.number for row in table.rows] == [1]
    assert reason in table.rejected[0].reason


def test_that_several_expected_columns_become_an_object_with_types(tmp_path: Path) -> None:
    table = table_of(
        tmp_path,
        "\ufeffRechnungstext;Lieferant;Betrag\n"
        "Rechnung über 1.234,50 Euro von Holz Meier;Holz Meier;1.234,50\n"
        "Rechnung über 12,00 Euro von Lampen Öz;Lampen Öz;12,00\n",
    )
    proposal = propose(table)
    assert proposal.mapping is not None
    assert proposal.mapping.scorer == "field-f1"
    assert proposal.mapping.scorer_params == {"key_fields": ["Lieferant", "Betrag"]}
    made = build_examples(table, proposal.mapping)
    assert made.examples[0].expected == {"Lieferant": "Holz Meier", "Betrag": 1234.5}
    assert made.examples[1].expected == {"Lieferant": "Lampen Öz", "Betrag": 12}


def test_that_labels_are_proposed_commonest_first_with_a_reason(tmp_path: Path) -> None:
    table = table_of(tmp_path, "id,message,team\n1,one message,b\n2,two messages,a\n3,three messages,a\n")
    proposal = propose(table)
    assert proposal.mapping == Mapping(
        "message", ("team",), "exact-label", {"labels": ["a", "b"]}, {"team": ColumnKind.TEXT}
    )
    assert any("2 different answers in 3 rows" in reason for reason in proposal.reasons)


def test_that_every_row_is_accounted_for_with_its_reason(tmp_path: Path) -> None:
    table = table_of(
        tmp_path,
        "message,team\nfirst message,a\n,b\nsecond message,\nfirst message,a\n"
        "first message,b\n,\nthird message,c\n",
        wanted=TableFormat(has_header=True),
    )
    mapping = Mapping(
        "message", ("team",), "exact-label", {"labels": ["a", "b", "c"]}, {"team": ColumnKind.TEXT}
    )
    made = build_examples(table, mapping)
    assert [example.row for example in made.examples] == [2, 8]
    assert made.empty == (7,)
    assert [row.number for row in made.repeated] == [5]
    assert [row.number for row in made.rejected] == [3, 4, 6]
    assert made.summary() == "2 rows used, 1 empty, 1 repeated, 3 rejected."


def test_that_a_text_in_a_number_column_rejects_only_its_row(tmp_path: Path) -> None:
    table = table_of(
        tmp_path,
        "message,total\nfirst message,12\nsecond message,twelve\n",
        wanted=TableFormat(has_header=True),
    )
    mapping = Mapping("message", ("total",), "numeric-tolerance", {}, {"total": ColumnKind.NUMBER})
    made = build_examples(table, mapping)
    assert [example.expected for example in made.examples] == [12]
    assert "twelve" in made.rejected[0].reason


def test_that_formula_like_texts_stay_texts(tmp_path: Path) -> None:
    table = table_of(tmp_path, "message,label\n=1+1,a\n@sum,b\n", wanted=TableFormat(has_header=True))
    assert [row.cells[0] for row in table.rows] == ["=1+1", "@sum"]


def test_that_a_table_with_only_one_column_has_no_proposal(tmp_path: Path) -> None:
    proposal = propose(table_of(tmp_path, "message\nfirst message\nsecond message\n"))
    assert proposal.mapping is None


def test_that_an_empty_file_and_a_missing_one_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(AppError) as caught:
        table_of(tmp_path, b"")
    assert caught.value.code == "empty_file"
    with pytest.raises(AppError) as caught:
        read_table(tmp_path / "nowhere.csv")
    assert caught.value.code == "unreadable"
