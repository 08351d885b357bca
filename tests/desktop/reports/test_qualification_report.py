"""The qualification report: safe with any text, whole, and the same picture for every verdict."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from desktop.reports.qualification import parts
from desktop.reports.qualification.methodology import MAX_CHARACTERS, methodology_html
from desktop.reports.qualification.parts import VERDICTS, IntervalPicture, bounds, written
from desktop.reports.templates import templates

MACROS: Any = templates().get_template("qualification_parts.html").module
TABLE = (
    '<div class="scroll"><table><thead><tr><th scope="col">a</th></tr></thead>'
    "<tbody><tr><td>b</td></tr></tbody></table></div>"
)


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("# Title {#top}\ntext", '<h3 id="m-top">Title</h3><p>text</p>'),
        ("## Two words", '<h4 id="m-two-words">Two words</h4>'),
        ("a **b** *c* `d`", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>"),
        ("- a\n- b", '<ul class="list"><li>a</li><li>b</li></ul>'),
        ("1. a\n2. b", '<ol class="list"><li>a</li><li>b</li></ol>'),
        ("```\n<x>\n```", "<pre>&lt;x&gt;</pre>"),
        ("one\ntwo\n\nthree", "<p>one two</p><p>three</p>"),
        ("snake_case 2 * 3 * 4", "<p>snake_case 2 * 3 * 4</p>"),
        ("3. c\n4. d", '<ol class="list" start="3"><li>c</li><li>d</li></ol>'),
        ("- a\n  - b", '<ul class="list"><li>a<ul class="list"><li>b</li></ul></li></ul>'),
        ("a [b](https://c.example)", "<p>a [b](https://c.example)</p>"),
        ("> said", "<blockquote><p>said</p></blockquote>"),
        ("a\u202eb", '<p>a<span class="mark" title="U+202E right-to-left override">RLO</span>b</p>'),
        ("| a |\n|:-:|\n| b |", TABLE),
    ],
)
def test_that_the_methodology_is_rendered(source: str, wanted: str) -> None:
    assert methodology_html(source) == wanted


def test_that_a_table_is_rendered() -> None:
    html = methodology_html("| a | b |\n|---|:-:|\n| 1 | *2* |\n")
    assert '<th scope="col">a</th>' in html
    assert "<td><em>2</em></td>" in html


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](http://elsewhere/x.png)",
        '# x {#a"onclick="b}',
        "<img src=x onerror=y>",
        "`<b>` **<i>**",
        "| <b> |\n|---|\n| <i> |",
        "- <u>",
        "<https://elsewhere>",
        "[x][y]\n\n[y]: javascript:alert(1)",
        "<!-- <script> --> <b>",
        "&lt;script&gt; &#60;img src=x&#62;",
        '```js" onclick="b\n<img>\n```',
    ],
)
def test_that_nothing_from_a_pack_becomes_markup(source: str) -> None:
    html = methodology_html(source)
    for piece in ("<script", "<img", "<a ", "<b>", "<i>", "<u>", 'onclick="b'):
        assert piece not in html


def test_that_an_endless_methodology_is_cut_with_a_word_about_it() -> None:
    html = methodology_html("a " * MAX_CHARACTERS)
    assert len(html) < MAX_CHARACTERS + 200
    assert f"{MAX_CHARACTERS:,} more characters" in html


@pytest.mark.parametrize("piece", ["> ", "- ", "1. "])
def test_that_nesting_has_an_end(piece: str) -> None:
    assert methodology_html(piece * 1000 + "x").count("<") < 150


@pytest.mark.parametrize("verdict", VERDICTS)
def test_that_a_verdict_has_sign_and_word(verdict: str) -> None:
    chip = ElementTree.fromstring(MACROS.verdict_chip(verdict, parts))
    sign, message = (chip.text or "").split(" ", 1)
    assert len(sign) == 1
    assert message[0].isupper()


@pytest.mark.parametrize("operator", ["gte", "gt", "lte", "lt", "eq"])
@pytest.mark.parametrize("estimate", [None, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.9, 2.0])
def test_that_an_interval_is_drawn_inside_its_picture(
    operator: str, estimate: float | None, threshold: float
) -> None:
    known = estimate is not None
    picture = IntervalPicture(
        estimate, 0.1 if known else None, 1.0 if known else None, threshold, operator, "straddle"
    )
    svg = ElementTree.fromstring(picture.svg())
    for element in svg.iter():
        for name in ("x", "x1", "x2"):
            if name in element.attrib:
                assert 0 <= float(element.attrib[name]) <= 232


def test_that_a_matrix_marks_right_and_wrong_without_colour_alone() -> None:
    html = MACROS.matrix("caption", "corner", ["a", "b"], [("a", [3, 1]), ("b", [0, 2])])
    assert '<td class="right">3</td>' in html
    assert '<td class="wrong">1</td>' in html
    assert '<td class="none">·</td>' in html


def test_that_unknown_bounds_are_a_dash() -> None:
    assert bounds(None) == "–"
    assert bounds({"lower": None, "upper": None}) == "–"


@pytest.mark.parametrize(
    ("value", "message"),
    [(None, "nothing"), ({"a": [1, "b"]}, "a: 1, b"), ("x" * 500, "x" * 399 + "…"), (5, "5")],
)
def test_that_evidence_values_are_written_short(value: object, message: str) -> None:
    assert written(value) == message
