"""Text from packs and models stays text in every kind of file."""

from __future__ import annotations

import csv
import io
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.reports import text

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=80)


def test_that_direction_marks_become_named_boxes() -> None:
    assert text.plain("a\u202egpj.exe") == "a[RLO]gpj.exe"
    assert 'title="U+202E right-to-left override"' in text.html("\u202e")


def test_that_a_zero_width_joiner_between_letters_of_persian_stays() -> None:
    assert text.plain("می\u200cخواهم") == "می\u200cخواهم"


def test_that_a_zero_width_joiner_in_latin_text_is_named() -> None:
    assert text.plain("bill\u200ding") == "bill[ZWJ]ing"


def test_that_terminal_escapes_cannot_reach_a_terminal() -> None:
    assert text.plain("\x1b[31mred\x07") == "[ESC][31mred[BEL]"


def test_that_half_a_character_is_named() -> None:
    assert text.plain("\ud800") == "[U+D800]"


def test_that_markup_is_shown_not_obeyed() -> None:
    assert text.html('<b onclick="x">&') == "&lt;b onclick=&quot;x&quot;&gt;&amp;"


def test_that_a_pipe_in_a_name_breaks_no_markdown_table() -> None:
    assert text.markdown("a|b") == r"a\|b"


def test_that_line_breaks_in_a_name_stay_in_their_table_cell() -> None:
    assert text.markdown("a\nb\r\nc") == "a b\\[CR\\] c"


def test_that_a_usual_model_name_stays_readable_in_markdown() -> None:
    assert text.markdown("SmolLM2-135M-Instruct.Q4_1") == r"SmolLM2-135M-Instruct.Q4\_1"


def test_that_an_address_in_a_pack_does_not_become_a_link() -> None:
    assert "://" not in text.markdown("http://evil.test").replace(r"\://", "")


@pytest.mark.parametrize("start", ["# x", "- x", "1. x", "> x", "+ x", "=== x", "![a](b)"])
def test_that_a_name_cannot_begin_a_block_of_markdown(start: str) -> None:
    assert text.markdown(start).startswith("\\") or text.markdown(start).startswith("1\\.")


def test_that_no_content_closes_its_fence() -> None:
    block = text.markdown_block("```\nout\n````")
    assert block.startswith("`````text\n") and block.endswith("\n`````")


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "＝1", "\n=1"])
def test_that_no_cell_is_a_formula(value: str) -> None:
    assert text.csv_cell(value).startswith("'")


def test_that_harmless_cells_stay_as_they_are() -> None:
    assert text.csv_cell("Northwind Paper, 12.50") == "Northwind Paper, 12.50"


@given(ANY_TEXT)
def test_that_any_text_is_a_well_formed_attribute_and_element(value: str) -> None:
    parsed = ElementTree.fromstring(f'<a b="{text.xml(value)}">{text.xml(value)}</a>'.encode())
    assert parsed.tag == "a" and not list(parsed)


@given(ANY_TEXT)
def test_that_any_text_is_one_cell_of_a_table(value: str) -> None:
    buffer = io.StringIO()
    csv.writer(buffer).writerow([text.csv_cell(value), "end"])
    assert [row[-1] for row in csv.reader(io.StringIO(buffer.getvalue(), newline=""))] == ["end"]


@given(ANY_TEXT)
def test_that_html_of_any_text_holds_no_tag_but_ours(value: str) -> None:
    shown = text.html(value)
    assert shown.count("<") == shown.count('<span class="mark"') + shown.count("</span>")
    shown.encode("utf-8")


@given(ANY_TEXT)
def test_that_one_line_of_any_text_is_one_line(value: str) -> None:
    assert len(text.one_line(value).splitlines()) <= 1
