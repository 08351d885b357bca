"""Small multiples of latency: the same figures in the window, on the page and on paper."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from desktop.gui.theme import Scheme, Theme
from desktop.gui.widgets.latency_plot import LatencyPlot, latency_height, paint_latency
from desktop.gui.widgets.shape_painter import PlotStyle
from desktop.reports.data import CandidateView, Spread
from desktop.reports.latency import latency_panels
from desktop.reports.latency_svg import latency_figures
from desktop.reports.print_html import LATENCY, print_html
from tests.fakes.reported_run import reported_run


def views() -> list[CandidateView]:
    first, second, *_others, lost = reported_run().candidates
    return [
        replace(
            first,
            ttft_cold=Spread(240, 200, 900, 30),
            ttft_warm=Spread(80, 70, 90, 25),
            tokens_per_second=Spread(9.4, 8.0, 11.0, 30),
        ),
        replace(
            second,
            recommended=True,
            ttft_cold=Spread(120, 120, 120, 1),
            ttft_warm=None,
            tokens_per_second=Spread(31, 30, 32, 30),
        ),
        replace(lost, ttft_cold=None, ttft_warm=None, tokens_per_second=None),
    ]


def test_that_there_is_a_panel_for_cold_warm_and_speed_with_units_and_one_order() -> None:
    panels = latency_panels(views())
    assert [panel.heading for panel in panels] == [
        "First token, cold, ms",
        "First token, warm, ms",
        "Speed, tokens/s",
    ]
    assert {tuple(row.name for row in panel.rows) for panel in panels} == {
        ("gemma-3-1b", "SmolLM2-360M", "brook-2b")
    }
    assert [panel.reach for panel in panels] == [900, 90, 32]
    assert panels[2].rows[0].message == "9.4"


def test_that_unknown_is_a_dash_with_its_reason_and_never_a_zero() -> None:
    cold, warm, _speed = latency_panels(views())
    assert (warm.rows[1].message, warm.rows[1].why) == ("–", "no shared start")
    assert cold.rows[2].why == "ran out of memory"
    assert "0 ms" not in warm.plain and "not known" in warm.plain


def test_that_nothing_is_drawn_where_nothing_was_measured() -> None:
    none = [replace(view, ttft_cold=None, ttft_warm=None, tokens_per_second=None) for view in views()]
    assert latency_panels(none) == () and latency_figures(none) == "" and latency_panels([]) == ()


def test_that_the_page_draws_three_figures_with_words() -> None:
    page = f"<div>{latency_figures(views())}</div>"
    drawn = ElementTree.fromstring(page).iter("svg")
    labels = [entry.get("aria-label") or "" for entry in drawn]
    assert len(labels) == 3 and "gemma-3-1b 240 (200 to 900)" in labels[0]
    assert "– no shared start" in page


def test_that_a_name_from_outside_stays_text() -> None:
    nasty = replace(views()[0], record=replace(views()[0].record, name="<script>\u202e&"))
    shown = latency_figures([nasty])
    assert "<script" not in shown and "\u202e" not in shown
    ElementTree.fromstring(f"<div>{shown}</div>")


def test_that_paper_keeps_a_place_for_it(qapp: object) -> None:
    message = print_html(reported_run(), plot=(0, 0), causes=(0, 0), latency=(400, 90))
    assert f'<img src="{LATENCY}" width="400" height="90">' in message


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
@pytest.mark.parametrize("zoom", [100, 200])
def test_that_it_is_drawn_inside_its_place(theme: Theme, scheme: Scheme, zoom: int) -> None:
    theme.use(scheme=scheme, zoom=zoom)
    panels, style = latency_panels(views()), PlotStyle.of_theme(theme)
    height = round(latency_height(panels, style))
    image = QImage(QSize(900, height + 40), QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    paint_latency(painter, QRectF(10, 10, 880, height), panels, style)
    painter.end()
    edge = [image.pixel(x, y) >> 24 for x in range(900) for y in (*range(8), *range(height + 14, height + 40))]
    assert not any(edge)
    assert any(image.pixel(x, height // 2) >> 24 for x in range(10, 890))


def test_that_the_widget_is_as_high_as_its_rows_and_reads_itself_out(qtbot: QtBot, theme: Theme) -> None:
    plot = LatencyPlot(theme)
    qtbot.addWidget(plot)
    empty = plot.sizeHint().height()
    plot.show_panels(latency_panels(views()))
    assert plot.sizeHint().height() >= empty + 3 * 24
    assert "First token, cold, ms: gemma-3-1b 240 (200 to 900)" in plot.accessibleDescription()
    plot.resize(900, plot.sizeHint().height())
    plot.grab()
