"""The workbook: four sheets, typed values, and texts that no spreadsheet takes for a formula."""

from __future__ import annotations

import io
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from desktop.reports.data import ReportData
from desktop.reports.redaction import redacted
from desktop.reports.renderers import default_name, standard_renderers, write_report
from desktop.reports.unit_rows import COLUMNS
from desktop.reports.xlsx import preview
from tests.fakes.reported_run import invoice_run, reported_run

RENDERER = standard_renderers()["xlsx"]


def book_of(data: ReportData) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(RENDERER.render(data)))


def sheet_of(data: ReportData, name: str) -> Worksheet:
    sheet = book_of(data)[name]
    assert isinstance(sheet, Worksheet)
    return sheet


def all_text(data: ReportData) -> str:
    with zipfile.ZipFile(io.BytesIO(RENDERER.render(data))) as archive:
        return "".join(archive.read(name).decode() for name in archive.namelist())


def test_that_there_are_four_sheets_with_everything_in_them() -> None:
    data = reported_run()
    book = book_of(data)
    assert book.sheetnames == ["Summary", "Candidates", "Examples", "Units"]
    assert book["Candidates"].max_row == 1 + len(data.candidates)
    assert book["Examples"].max_row == 1 + len(data.examples)
    assert book["Units"].max_row == 1 + len(data.units)
    assert [cell.value for cell in book["Units"][1]] == list(COLUMNS)
    assert any(row[1] == data.answer.headline for row in book["Summary"].iter_rows(values_only=True))


def test_that_values_have_types_and_unknown_is_an_empty_cell() -> None:
    data = reported_run()
    sheet = sheet_of(data, "Candidates")
    heads = [cell.value for cell in sheet[1]]
    rows = [dict(zip(heads, row, strict=True)) for row in sheet.iter_rows(min_row=2, values_only=True)]
    chosen = next(row for row in rows if row["recommended"] is True)
    assert (chosen["model"], chosen["right"], chosen["judged"]) == ("SmolLM2-360M", 27, 30)
    assert chosen["share right"] == pytest.approx(0.9)
    assert chosen["peak memory MiB"] == 798
    lost = next(row for row in rows if row["model"] == "brook-2b")
    assert lost["95 % interval from"] is None and lost["state"] == "oom"
    units = sheet_of(data, "Units")
    first = dict(zip(COLUMNS, next(units.iter_rows(min_row=2, values_only=True)), strict=True))
    assert first["passed"] is True and first["repetition"] == 1 and isinstance(first["ttft_ms"], int | float)


@pytest.mark.parametrize(
    "start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")', "#REF!", "007"]
)
def test_that_no_text_becomes_a_formula_or_a_number(start: str) -> None:
    data = reported_run()
    data = replace(data, examples=(replace(data.examples[0], input=start), *data.examples[1:]))
    data = replace(
        data, candidates=tuple(replace(v, record=replace(v.record, name=start)) for v in data.candidates)
    )
    for sheet in book_of(data):
        cells = [cell for row in sheet.iter_rows() for cell in row]
        assert not [cell for cell in cells if cell.data_type in ("f", "e")]
        assert start.strip() != "007" or 7 not in [cell.value for cell in cells if cell.data_type == "n"]
    assert sheet_of(data, "Examples")["B2"].value == start
    assert "<f>" not in all_text(data)


def test_that_what_a_workbook_cannot_hold_is_named() -> None:
    data = reported_run()
    nasty = "a\x00b\x1b[0m \ud83d \ufffe <b>&\u202e"
    data = replace(data, examples=(replace(data.examples[0], input=nasty), *data.examples[1:]))
    assert sheet_of(data, "Examples")["B2"].value == "a[NUL]b[ESC][0m [U+D83D] [U+FFFE] <b>&[RLO]"


def test_that_a_text_longer_than_a_cell_is_cut() -> None:
    data = reported_run()
    data = replace(data, examples=(replace(data.examples[0], input="x" * 50_000), *data.examples[1:]))
    value = sheet_of(data, "Examples")["B2"].value
    assert isinstance(value, str) and len(value) <= 32_767 and value.endswith("…")


def test_that_columns_are_sized_and_the_heading_stays() -> None:
    sheet = sheet_of(reported_run(), "Units")
    assert sheet.freeze_panes == "A2" and sheet.auto_filter.ref == "A1:X151"
    widths = [sheet.column_dimensions[letter].width for letter in ("A", "C", "Q")]
    assert all(9 <= width <= 60 for width in widths) and widths[2] > widths[1]


def test_that_a_draft_says_first_that_nobody_has_reviewed_it() -> None:
    sheet = sheet_of(invoice_run(), "Summary")
    assert sheet["A2"].value == "Not reviewed"


def test_that_no_text_is_in_it_when_texts_or_fields_are_left_out() -> None:
    assert "neighbour" in all_text(reported_run())
    assert "neighbour" not in all_text(redacted(reported_run(), with_texts=False))
    hidden = all_text(redacted(invoice_run(), hidden_fields=["vendor"]))
    assert "Northwind" not in hidden and "due_date" in hidden


def test_that_nothing_of_this_machine_is_in_it() -> None:
    assert "/home/anna" not in all_text(reported_run())


def test_that_the_same_result_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    before = RENDERER.render(reported_run())
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.0)
    assert RENDERER.render(reported_run()) == before


def test_that_it_is_written_under_its_own_name(tmp_path: Path) -> None:
    data = reported_run()
    assert default_name(data, RENDERER) == "packbench-report-7f3a9c1e.xlsx"
    assert openpyxl.load_workbook(write_report(data, RENDERER, tmp_path / "r.xlsx")).active is not None


def test_that_the_preview_shows_the_beginning_of_every_sheet() -> None:
    shown = preview(reported_run())
    assert [line for line in shown.splitlines() if line.startswith("Sheet ")] == [
        "Sheet Summary",
        "Sheet Candidates",
        "Sheet Examples",
        "Sheet Units",
    ]
    assert "neighbour" in shown and "neighbour" not in preview(redacted(reported_run(), with_texts=False))
