from __future__ import annotations

import re
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QImage, QPainter

from desktop.gui.printing import pdf
from desktop.gui.printing.pdf import Pages, first_page, render_pdf
from desktop.reports.print_html import MAX_EXAMPLES, print_html
from packs.task.model import Example
from tests.fakes.reported_run import invoice_run, reported_run

CHILD = """
import sys
from pathlib import Path
from desktop.gui.printing.pdf import render_pdf
from tests.fakes.reported_run import reported_run
for _ in range(2):
    content = render_pdf(reported_run())
Path(sys.argv[1]).write_bytes(content)
"""


def pages_of(content: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", content))


def test_that_the_report_becomes_pages_with_a_text_layer(qapp: object) -> None:
    content = render_pdf(reported_run())
    assert content.startswith(b"%PDF-")
    assert pages_of(content) >= 3
    assert b"/Font" in content
    assert b"/ToUnicode" in content
    assert len(content) < 1_000_000


def test_that_the_plot_is_drawn_as_vectors_and_not_as_a_picture(qapp: object) -> None:
    content = render_pdf(reported_run())
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    drawn = b""
    for stream in streams:
        try:
            drawn += zlib.decompress(stream)
        except zlib.error:
            continue
    assert drawn.count(b" l\n") > 20


def test_that_a_draft_is_marked_and_hostile_text_stays_text(qapp: object) -> None:
    message = print_html(invoice_run(), plot=(10, 10), causes=(10, 10), latency=(10, 10))
    assert "Not reviewed." in message
    assert "<script" not in message
    assert "\u202e" not in message
    assert "[RLO]" in message


def test_that_every_page_of_a_draft_says_so_at_its_top(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    tops: list[tuple[int, str, float]] = []
    draft, page = invoice_run(), 0
    assert draft.label

    class Noting(QPainter):
        def drawText(self, *given: object) -> None:  # type: ignore[override]
            tops.append((page, str(given[-1]), float(getattr(given[0], "y", lambda: -1.0)())))

    monkeypatch.setattr(pdf, "QPainter", Noting)
    pages = Pages(replace(draft, examples=draft.examples * 12), QSizeF(680, 980))
    assert pages.count >= 2
    image = QImage(680, 980, QImage.Format.Format_RGB32)
    painter = Noting(image)
    for page in range(pages.count):
        pages.paint(painter, page)
    painter.end()
    warned = {number for number, message, y in tops if message.startswith("Not reviewed") and y == 0}
    assert warned == set(range(pages.count))


def test_that_a_draft_is_not_called_unreviewed_twice_in_one_breath(qapp: object) -> None:
    message = print_html(invoice_run(), plot=(0, 0), causes=(0, 0), latency=(0, 0))
    assert "Not reviewed.</b> Not reviewed" not in message


def test_that_a_report_without_figures_still_becomes_a_page(qapp: object) -> None:
    data = reported_run()
    empty = replace(data, candidates=(), units=(), examples=())
    assert pages_of(render_pdf(empty)) == 1


def test_that_more_failing_examples_than_paper_is_good_for_are_counted(qapp: object) -> None:
    data = reported_run()
    unit = next(unit for unit in data.units if unit.outcome is not None and not unit.outcome.passed)
    count = MAX_EXAMPLES + 7
    examples = tuple(Example(str(number), "text", "label") for number in range(count))
    units = tuple(replace(unit, example=example.id) for example in examples)
    message = print_html(
        replace(data, examples=examples, units=units), plot=(0, 0), causes=(0, 0), latency=(0, 0)
    )
    assert "7 more are in the web page" in message


def test_that_the_preview_is_the_first_page(qapp: object) -> None:
    image = first_page(reported_run(), 600)
    assert image.width() == 600
    assert image.height() == pytest.approx(600 * 1.414, abs=4)
    colours = {image.pixel(x, y) for x in range(0, 600, 7) for y in range(0, image.height(), 7)}
    assert len(colours) > 10


def test_that_a_command_without_a_window_writes_it_as_well(tmp_path: Path) -> None:
    target = tmp_path / "report.pdf"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHILD, str(target)],
        cwd=root,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert target.read_bytes().startswith(b"%PDF-")
