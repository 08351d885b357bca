"""Templates escape whatever is put into them; only what this program drew or styled itself goes in as it is."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from jinja2 import UndefinedError

from desktop.foundation.resource_files import resource
from desktop.reports.shapes import Bar, Box, Line, Ring, Shape, Square, Way, Words
from desktop.reports.templates import rendered, templates

TEMPLATES = sorted(file.name for file in resource("templates").iterdir())
HOSTILE = "<script>alert('1')</script>\u202e\"&"
SAFE = re.compile(r"\{\{-?\s*([^{}|]+?)\s*\|\s*safe\b")
OURS = {
    "style",
    "methodology",
    "latency.figures",
    "plot.size_quality_plot(data.candidates)",
    "drawings.cause_symbols(in_use)",
    "drawings.cause_bars(data.candidates)",
    "drawings.cause_mark(cause)",
    "drawings.cause_mark(row.cause)",
    "drawings.interval_line(view)",
    "parts.picture_of(row, row.threshold, row.operator, row.verdict)",
}
"""Each escapes what it shows itself, which its own tests hold."""


def test_that_text_is_escaped_and_its_invisible_characters_are_boxed() -> None:
    shown = str(templates().get_template("parts.html").module.bullets([HOSTILE]))
    assert "<script" not in shown and "&lt;script&gt;" in shown
    assert '<span class="mark" title="U+202E right-to-left override">RLO</span>' in shown


def test_that_only_what_the_program_made_itself_goes_into_a_page_as_it_is() -> None:
    found = set()
    for name in TEMPLATES:
        source = resource("templates", name).read_text("utf-8")
        assert source.count("| safe") == len(SAFE.findall(source)), name
        assert "autoescape" not in source, name
        found |= set(SAFE.findall(source))
    assert found == OURS


def test_that_a_name_nobody_gave_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        rendered("latency.html", width=1)


@pytest.mark.parametrize(
    "shape",
    [
        Line(0, 0, 5, 5, "muted"),
        Line(0, 0, 5, 0, "border", ruled=True),
        Way(((0, 0), (5, 5)), "muted"),
        Bar(Box(0, 0, 5, 5), "control", HOSTILE),
        Square(Box(0, 0, 5, 5), "accent"),
        Ring(Box(0, 0, 5, 5), "border"),
        Words(0, 0, HOSTILE, "text", halo=True, title=HOSTILE),
    ],
    ids=lambda shape: type(shape).__name__,
)
def test_that_every_shape_becomes_whole_svg(shape: Shape) -> None:
    drawn = str(templates().get_template("drawing.html").module.drawing((shape,), 10, 10, HOSTILE))
    svg = ElementTree.fromstring(drawn)
    assert len(svg) == 1
    assert not [element for element in svg.iter() if element.tag in ("script", "span")]
