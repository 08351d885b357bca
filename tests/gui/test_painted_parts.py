"""The painted parts: cells, matrix, bars, plot, intervals, chips, progress, answers."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.foundation.colours import CAUSE_ORDER
from desktop.gui.theme import Scheme, Theme, Tone, Type
from desktop.gui.widgets.answer_panel import AnswerPanel
from desktop.gui.widgets.button import Button, LinkButton
from desktop.gui.widgets.cause_cells import CauseCells, CauseDelegate, CauseLegend
from desktop.gui.widgets.cause_matrix import CauseMatrix
from desktop.gui.widgets.causes_bar import CauseRow, CausesBar, bar_parts
from desktop.gui.widgets.chip import VERDICT_CHIPS, Chip, ChipDelegate, Chips, chip
from desktop.gui.widgets.difference_view import DifferenceView
from desktop.gui.widgets.elided_box import ElidedBox
from desktop.gui.widgets.field_frame import FieldFrame
from desktop.gui.widgets.interval import IntervalDelegate, IntervalValue, interval_text
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.matrix_geometry import lay_out
from desktop.gui.widgets.memory_bar import MemoryDelegate, MemoryValue
from desktop.gui.widgets.progress_line import ProgressLine
from desktop.gui.widgets.quality_plot import paint_quality_plot
from desktop.gui.widgets.quality_plot_view import QualityPlot
from desktop.gui.widgets.roles import CAUSE_ROLE, CHIPS_ROLE, INTERVAL_ROLE, MEMORY_ROLE, RUNS_ROLE
from desktop.gui.widgets.shape_painter import PlotStyle
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_difference import difference, near_misses, visible_runs
from desktop.gui.widgets.text_runs import Mark, Run, Runs, RunsDelegate, RunsLabel
from desktop.gui.widgets.toast import Toast
from desktop.reports.quality_plot import PlotPoint, frontier, lay_out_plot, nice_step
from desktop.reports.shapes import Box, Letters, Words
from packs.statistics.wilson import wilson_interval
from packs.task.outcome import Cause
from tests.fakes.work_count import calls_of

BOTH = pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])


def picture(width: int, height: int) -> QImage:
    image = QImage(QSize(width, height), QImage.Format.Format_ARGB32)
    image.fill(QColor(0, 0, 0, 0))
    return image


# --- causes --------------------------------------------------------------------------------------------------


@BOTH
def test_that_16_cells_are_drawn_once_and_differ_from_each_other(theme: Theme, scheme: Scheme) -> None:
    theme.use(scheme=scheme)
    cells = CauseCells(theme)
    images = {cause: cells.pixmap(cause, 18).toImage() for cause in CAUSE_ORDER}
    for cause in CAUSE_ORDER:
        assert cells.pixmap(cause, 18) is cells.pixmap(cause, 18)
        for other in CAUSE_ORDER:
            if other is not cause:
                assert images[cause] != images[other]


def test_that_cells_can_be_told_apart_in_greyscale(theme: Theme) -> None:
    cells = CauseCells(theme)
    greys = [
        cells.pixmap(cause, 18).toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        for cause in CAUSE_ORDER
    ]
    for place, grey in enumerate(greys):
        assert all(grey != other for other in greys[place + 1 :])


def test_that_cells_change_with_the_scheme(theme: Theme) -> None:
    cells = CauseCells(theme)
    light = cells.pixmap(Cause.CORRECT, 18).toImage()
    theme.use(scheme=Scheme.DARK)
    assert cells.pixmap(Cause.CORRECT, 18).toImage() != light


def test_that_a_legend_names_each_cause_once_in_order(theme: Theme, qtbot: QtBot) -> None:
    legend = CauseLegend(theme, [Cause.NOT_RUN, Cause.CORRECT, Cause.CORRECT])
    qtbot.addWidget(legend)
    assert legend.causes == (Cause.CORRECT, Cause.NOT_RUN)
    legend.set_causes([])
    assert legend.causes == ()


# --- matrix --------------------------------------------------------------------------------------------------


@pytest.fixture
def matrix(theme: Theme, qtbot: QtBot) -> CauseMatrix:
    made = CauseMatrix(theme)
    qtbot.addWidget(made)
    made.set_axes(["SmolLM2-135M", "SmolLM2-360M"], [f"{number:03}" for number in range(1, 31)])
    made.resize(1100, 140)
    made.show()
    return made


def test_that_the_cell_under_the_cursor_is_spoken(matrix: CauseMatrix, qtbot: QtBot) -> None:
    matrix.set_cells([(1, 15, Cause.UNREADABLE)])
    matrix.move_to(1, 15)
    assert matrix.accessibleName() == "example 016, SmolLM2-360M, unreadable"
    matrix.set_cells([(1, 15, Cause.CORRECT)])
    assert matrix.accessibleName() == "example 016, SmolLM2-360M, correct"


def test_that_keys_walk_the_matrix_and_stop_at_its_edges(matrix: CauseMatrix, qtbot: QtBot) -> None:
    key = Qt.Key
    for pressed, expected in (
        (key.Key_Left, (0, 0)),
        (key.Key_Up, (0, 0)),
        (key.Key_Right, (0, 1)),
        (key.Key_Down, (1, 1)),
        (key.Key_Down, (1, 1)),
        (key.Key_End, (1, 29)),
        (key.Key_Right, (1, 29)),
        (key.Key_Home, (1, 0)),
    ):
        qtbot.keyClick(matrix, pressed)
        assert matrix.cursor_cell == expected
    with qtbot.waitSignal(matrix.cell_opened) as opened:
        qtbot.keyClick(matrix, key.Key_Return)
    assert opened.args == [1, 0]


def test_that_a_click_chooses_the_cell_it_meets(matrix: CauseMatrix, qtbot: QtBot) -> None:
    at = matrix.rect_of(1, 7).center()
    with qtbot.waitSignal(matrix.cell_chosen) as chosen:
        qtbot.mouseClick(matrix.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == [1, 7]


def test_that_only_changed_cells_are_painted_again(matrix: CauseMatrix, qtbot: QtBot) -> None:
    QApplication.processEvents()
    areas = []
    original = matrix.paintEvent

    def watch(event: object) -> None:
        areas.append(event.rect())  # type: ignore[attr-defined]
        original(event)  # type: ignore[arg-type]

    matrix.paintEvent = watch  # type: ignore[method-assign]
    matrix.viewport().update()
    QApplication.processEvents()
    areas.clear()
    matrix.set_cells([(0, 3, Cause.WRONG)])
    QApplication.processEvents()
    if areas:
        assert max(area.width() for area in areas) < 60
    matrix.set_cells([(0, 3, Cause.WRONG)])
    before = len(areas)
    QApplication.processEvents()
    assert len(areas) == before


def test_that_a_thousand_by_twenty_cells_are_painted_in_a_few_steps_each(theme: Theme, qtbot: QtBot) -> None:
    matrix = CauseMatrix(theme)
    qtbot.addWidget(matrix)
    matrix.set_axes([f"model {number}" for number in range(20)], [str(number) for number in range(1000)])
    choose = random.Random(7).choice
    matrix.set_cells((row, column, choose(CAUSE_ORDER)) for row in range(20) for column in range(1000))
    matrix.resize(1200, 560)
    matrix.show()
    matrix.grab()
    assert calls_of(matrix.grab) < 4 * 20_000, "no cell costs more than its colour and its rectangle"
    matrix.move_to(19, 999)
    assert matrix.accessibleName().startswith("example 999, model 19")


def test_that_a_narrow_column_counts_what_it_stands_for(theme: Theme, qtbot: QtBot) -> None:
    matrix = CauseMatrix(theme)
    qtbot.addWidget(matrix)
    matrix.set_axes(["m"], [str(number) for number in range(1, 1001)])
    matrix.resize(500, 100)
    matrix.show()
    assert matrix.cell_layout.per_column > 1
    matrix.set_cells([(0, 0, Cause.CORRECT), (0, 1, Cause.WRONG)])
    message = matrix.tooltip_of((0, 0))
    assert "1 wrong" in message
    assert "1 correct" in message


@pytest.mark.parametrize("examples", [1, 30, 200, 201, 1000])
@pytest.mark.parametrize("width", [300, 1100, 2400])
def test_that_every_example_has_its_place_in_the_geometry(examples: int, width: int) -> None:
    geometry = lay_out(
        rows=3, examples=examples, width=width, left=100, top=20, cell=18, narrow=24, wide=34, row_pitch=24
    )
    assert geometry.letters is (examples <= 200)
    assert geometry.column_pitch >= (24 if geometry.letters else 2)
    for example in range(examples):
        column = geometry.column_of(example)
        assert example in geometry.span(column)
        x, y, w, h = geometry.box(2, column)
        found = geometry.at(x + w // 2, y + h // 2)
        assert found is not None
        assert geometry.column_of(found[1]) == column
    if not geometry.letters:
        assert geometry.width <= max(width, 100 + 2) + 2
    assert geometry.at(5, 5) is None


def test_that_an_empty_matrix_takes_every_key(theme: Theme, qtbot: QtBot) -> None:
    matrix = CauseMatrix(theme)
    qtbot.addWidget(matrix)
    matrix.show()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Return, Qt.Key.Key_PageDown):
        qtbot.keyClick(matrix, key)
    matrix.grab()
    assert matrix.accessibleName()


# --- bars ----------------------------------------------------------------------------------------------------


def test_that_a_bar_shows_even_one_in_a_thousand() -> None:
    parts = bar_parts({Cause.CORRECT: 999, Cause.WRONG: 1}, 400, 10)
    assert [cause for cause, _, _ in parts] == [Cause.CORRECT, Cause.WRONG]
    assert parts[1][2] == 10
    start, width = parts[1][1], parts[1][2]
    assert start + width == pytest.approx(400)


@pytest.mark.parametrize("width", [0.0, 1.0, 12.0, 400.0])
def test_that_bar_parts_stay_in_order_and_inside(width: float) -> None:
    counts = {cause: place + 1 for place, cause in enumerate(reversed(CAUSE_ORDER))}
    parts = bar_parts(counts, width, 9)
    order = [cause for cause, _, _ in parts]
    assert order == [cause for cause in CAUSE_ORDER if cause in order]
    if width > 40:
        assert parts[-1][1] + parts[-1][2] == pytest.approx(width)


def test_that_nothing_makes_no_bar() -> None:
    assert bar_parts({}, 400, 9) == []
    assert bar_parts({Cause.WRONG: 0}, 400, 9) == []


@BOTH
def test_that_bars_say_what_they_show(theme: Theme, qtbot: QtBot, scheme: Scheme) -> None:
    theme.use(scheme=scheme)
    bars = CausesBar(theme)
    qtbot.addWidget(bars)
    bars.show_rows([CauseRow("brook-2b", {Cause.CORRECT: 2, Cause.OUT_OF_MEMORY: 1, Cause.NOT_RUN: 25})])
    assert bars.accessibleDescription() == "brook-2b: 2 correct, 1 out of memory, 25 not run"
    bars.resize(600, bars.sizeHint().height())
    assert not bars.grab().isNull()


# --- interval and plot ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        IntervalValue(0.0, 1.0, 0.5),
        IntervalValue(1.0, 1.0, 1.0),
        IntervalValue(0.0, 0.0, 0.0),
        IntervalValue(0.86, 0.98, 0.95, Tone.WARN, 0.9, True, True),
        IntervalValue(0.0, 0.04, 0.01, Tone.GOOD, 0.05, False),
        IntervalValue(0.5, 0.9, 0.7, axis=(0.4, 1.0)),
    ],
)
def test_that_intervals_paint_inside_their_room(theme: Theme, value: IntervalValue) -> None:
    from desktop.gui.widgets.interval import paint_interval

    image = picture(140, 40)
    painter = QPainter(image)
    paint_interval(painter, QRectF(10, 5, 120, 30), value, theme)
    painter.end()
    inked = [(x, y) for x in range(140) for y in range(40) if image.pixelColor(x, y).alpha()]
    assert inked
    assert min(x for x, _ in inked) >= 4
    assert max(x for x, _ in inked) <= 136
    assert min(y for _, y in inked) >= 4
    assert max(y for _, y in inked) <= 35


def test_that_an_interval_is_told_in_words() -> None:
    value = IntervalValue(0.86, 0.98, 0.95, threshold=0.9)
    assert interval_text(value) == "95 %, 95 % interval from 86 % to 98 %, required at least 90 %"


POINTS = [
    PlotPoint("SmolLM2-135M", 0.6, 0.42, 0.75, 0.39, "18 of 30", tokens_per_second=94),
    PlotPoint("gemma-3-270m", 0.8, 0.62, 0.9, 0.5, "24 of 30", tokens_per_second=71),
    PlotPoint("SmolLM2-360M", 0.9, 0.74, 0.97, 0.78, "27 of 30", recommended=True, tokens_per_second=47),
    PlotPoint("not measured", 0.5, 0.3, 0.7, None),
    PlotPoint("gemma-3-1b", 0.93, 0.79, 0.98, 1.45, "28 of 30"),
    PlotPoint("worse and larger", 0.7, 0.5, 0.8, 1.2, "21 of 30"),
]


def test_that_the_frontier_holds_what_nothing_smaller_beats() -> None:
    assert [point.name for point in frontier(POINTS)] == [
        "SmolLM2-135M",
        "gemma-3-270m",
        "SmolLM2-360M",
        "gemma-3-1b",
    ]


@pytest.mark.parametrize(
    ("span", "maximum", "step"), [(1.0, 5, 0.2), (1.6, 4, 0.5), (0.07, 3, 0.025), (123, 4, 50), (0, 5, 1.0)]
)
def test_that_axes_have_round_steps(span: float, maximum: int, step: float) -> None:
    assert nice_step(span, maximum) == pytest.approx(step)


@pytest.mark.parametrize("size", [(200, 120), (560, 280), (1600, 900)])
def test_that_points_lie_inside_the_plot(theme: Theme, size: tuple[int, int]) -> None:
    image = picture(*size)
    painter = QPainter(image)
    style = PlotStyle.of_theme(theme)
    places = paint_quality_plot(painter, QRectF(0, 0, *size), POINTS, style, chosen=0)
    painter.end()
    assert set(places) == {0, 1, 2, 4, 5}
    whole = QRectF(0, 0, *size)
    assert all(whole.contains(place) for place in places.values())
    assert places[0].center().x() < places[1].center().x() < places[4].center().x()
    assert places[0].center().y() > places[2].center().y()


@pytest.mark.parametrize("points", [[], [PlotPoint("one", 1.0, 0.9, 1.0, 0.0)], POINTS[3:4]])
def test_that_plots_of_little_or_nothing_are_drawn(theme: Theme, points: list[PlotPoint]) -> None:
    image = picture(300, 200)
    painter = QPainter(image)
    paint_quality_plot(painter, QRectF(0, 0, 300, 200), points, PlotStyle.of_theme(theme))
    painter.end()


@pytest.mark.parametrize("size", [(530, 230), (530, 300), (900, 420)])
def test_that_names_of_few_points_keep_clear_of_the_ends_of_the_intervals_of_others(
    qapp: QApplication, size: tuple[int, int]
) -> None:
    points = []
    for name, right, gib in (
        ("one", 18, 0.39),
        ("another", 24, 0.49),
        ("a-third", 27, 0.67),
        ("last", 28, 0.78),
    ):
        interval = wilson_interval(right, 30)
        points.append(
            PlotPoint(f"{name}-model", right / 30, interval.lower, interval.upper, gib, f"{right} of 30")
        )
    layout = lay_out_plot(points, Box(0, 0, *size), PlotStyle.for_paper().letters())
    assert len(layout.names) == 4
    for index, box in layout.names.items():
        for other, line in layout.intervals.items():
            for end in (line.top, line.bottom):
                assert index == other or not box.shared(Box(line.left, end - 1, line.width, 2))


def test_that_weights_are_not_called_a_measured_peak() -> None:
    letters = Letters(lambda text, bold: 7.0 * len(text), lambda text, room, bold: text, 16, 12)
    for measured in (True, False):
        points = [POINTS[0], replace(POINTS[1], measured=measured)]
        shapes = lay_out_plot(points, Box(0, 0, 500, 300), letters).shapes
        words = [shape.text for shape in shapes if isinstance(shape, Words)]
        assert ("peak memory, GiB (measured)" in words) is measured


def test_that_plot_points_can_be_chosen_by_key_and_mouse(theme: Theme, qtbot: QtBot) -> None:
    plot = QualityPlot(theme)
    qtbot.addWidget(plot)
    plot.resize(560, 280)
    plot.show_points(POINTS)
    plot.show()
    plot.grab()
    with qtbot.waitSignal(plot.point_chosen) as chosen:
        qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert chosen.args == [0]
    assert plot.accessibleName().startswith("SmolLM2-135M: 18 of 30")
    at = plot.places[4].center().toPoint()
    with qtbot.waitSignal(plot.point_chosen) as chosen:
        qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == [4]


# --- text ----------------------------------------------------------------------------------------------------


def test_that_differences_are_marked_and_nothing_is_lost() -> None:
    runs = difference("The total is 41.20 EUR", "The total is 41.70 EUR")
    given = "".join(run.text for run in runs.parts if run.mark is not Mark.ADDED)
    expected = "".join(run.text for run in runs.parts if run.mark is not Mark.MISSING)
    assert given == "The total is 41.70 EUR"
    assert expected == "The total is 41.20 EUR"
    assert [run.text for run in runs.parts if run.mark is Mark.MISSING] == ["70"]


def test_that_texts_with_nothing_in_common_stand_whole() -> None:
    runs = difference("billing", "Dear sir, thank you for the letter")
    assert [run.mark for run in runs.parts] == [Mark.MISSING, Mark.ADDED]


def test_that_invisible_characters_get_names() -> None:
    names = [run.text for run in visible_runs("a\u00a0b\u200bc\ufeffd\te\x07f\u202eg") if run.mark is Mark.BOX]
    assert names == ["NBSP", "ZWSP", "BOM", "TAB", "U+0007", "U+202E"]


def test_that_near_misses_are_marked_where_they_lie() -> None:
    runs = near_misses("**billing**.", [(0, 2), (9, 11), (11, 12), (50, 60)])
    assert runs.plain == "**billing**."
    assert [run.text for run in runs.parts if run.mark is Mark.NEAR] == ["**", "**", "."]


def test_that_comparing_longer_texts_takes_no_more_steps_than_they_are_longer() -> None:
    def steps(words: int) -> int:
        return calls_of(lambda: difference("word " * words, "other " * words))

    assert difference("word " * 100_000, "other " * 100_000).parts
    assert steps(20_000) < 2.2 * steps(10_000)


def test_that_a_difference_view_keeps_text_plain(theme: Theme, qtbot: QtBot) -> None:
    view = DifferenceView(theme, "Answer")
    qtbot.addWidget(view)
    view.show_plain("<b>bold</b> &amp; <img src='http://example.org/x.png'>")
    assert view.toPlainText() == "<b>bold</b> &amp; <img src='http://example.org/x.png'>"
    view.show_runs(difference("a", "b"))
    theme.use(scheme=Scheme.DARK)
    assert view.toPlainText() == "ba"


def test_that_what_has_no_room_is_cut_in_the_middle_with_a_tooltip(theme: Theme, qtbot: QtBot) -> None:
    path = "/home/somebody/documents/Packbench/a-very-long-name-of-a-pack/task.yaml"
    label = TextLabel(theme, path, elide=True)
    qtbot.addWidget(label)
    label.resize(120, 20)
    label.grab()
    assert label.toolTip() == path
    label.resize(2000, 20)
    label.grab()
    assert label.toolTip() == ""
    runs = RunsLabel(theme, Runs((Run(path, bold=True),)))
    qtbot.addWidget(runs)
    runs.resize(120, 20)
    runs.grab()
    assert runs.toolTip() == path
    assert runs.accessibleName() == path


# --- small ones ----------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("zoom", [100, 200])
def test_that_delegates_paint_every_kind_of_cell(theme: Theme, qtbot: QtBot, scheme: Scheme, zoom: int) -> None:
    theme.use(scheme=scheme, zoom=zoom)
    model = QStandardItemModel(2, 5)
    values = (
        (RUNS_ROLE, Runs((Run("name", bold=True), Run(" Q8_0", tone=Tone.MUTED)))),
        (CHIPS_ROLE, Chips((VERDICT_CHIPS["tight"], chip("draft")))),
        (INTERVAL_ROLE, IntervalValue(0.2, 0.8, 0.5)),
        (CAUSE_ROLE, Cause.WRONG),
        (MEMORY_ROLE, MemoryValue(1, 1, 1, 1, 16, 9)),
    )
    for column, (role, value) in enumerate(values):
        model.setItem(0, column, QStandardItem("text"))
        model.item(0, column).setData(value, role)
        model.setItem(1, column, QStandardItem("–"))
    table = Table(theme, "Everything")
    qtbot.addWidget(table)
    table.setModel(model)
    delegates = (
        RunsDelegate(theme),
        ChipDelegate(theme),
        IntervalDelegate(theme),
        CauseDelegate(theme, CauseCells(theme)),
        MemoryDelegate(theme),
    )
    for column, delegate in enumerate(delegates):
        table.use_delegate(column, delegate)
    table.set_widths((12, 12, 12, 12, None))
    table.selectRow(0)
    table.resize(900, 200)
    table.show()
    table.setFocus()
    assert not table.grab().isNull()
    assert table.rowHeight(0) >= theme.px(28)
    assert table.sizeHintForColumn(0) > 0


def test_that_enter_and_double_click_open_a_row(theme: Theme, qtbot: QtBot) -> None:
    model = QStandardItemModel(3, 1)
    table = Table(theme, "Rows")
    qtbot.addWidget(table)
    table.setModel(model)
    table.show()
    table.setCurrentIndex(model.index(1, 0))
    with qtbot.waitSignal(table.chosen) as chosen:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert chosen.args == [1]


def test_that_a_verdict_always_has_sign_and_word(theme: Theme, qtbot: QtBot) -> None:
    for look in VERDICT_CHIPS.values():
        assert look.sign
        assert look.text
        shown = Chip(theme, look)
        qtbot.addWidget(shown)
        assert shown.accessibleName() == look.text


def test_that_progress_with_an_unknown_total_shows_no_bar(theme: Theme, qtbot: QtBot) -> None:
    line = ProgressLine(theme)
    qtbot.addWidget(line)
    line.show_state("loading gemma-3-270m, 41 s", "41 s so far")
    assert line.done is None
    assert line.accessibleName() == "loading gemma-3-270m, 41 s"
    line.show_state("writing", "left", 1.7)
    assert line.done == 1.0
    assert "100 % done" in line.accessibleDescription()
    line.resize(300, 40)
    assert not line.grab().isNull()


def test_that_the_answer_is_read_out_whole(theme: Theme, qtbot: QtBot) -> None:
    panel = AnswerPanel(theme)
    qtbot.addWidget(panel)
    panel.show_answer("Use A.", "Because.", "Though.", Tone.GOOD)
    assert (panel.accessibleName(), panel.accessibleDescription()) == ("Use A.", "Because. Though.")
    panel.show_answer("These examples do not show which is better.")
    assert panel.reason.isHidden()


def test_that_a_button_with_a_key_answers_to_it(theme: Theme, qtbot: QtBot) -> None:
    button = Button(theme, "&Run it", icon="play", primary=True, key="Ctrl+R")
    qtbot.addWidget(button)
    button.show()
    button.activateWindow()
    qtbot.waitUntil(button.isActiveWindow)
    with qtbot.waitSignal(button.clicked):
        qtbot.keyClick(button, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    narrow = button.sizeHint().width()
    theme.use(zoom=200)
    assert button.sizeHint().width() > narrow * 1.6


def test_that_a_link_is_a_button_to_the_keyboard(theme: Theme, qtbot: QtBot) -> None:
    link = LinkButton(theme, "Write {{input}}")
    qtbot.addWidget(link)
    link.show()
    with qtbot.waitSignal(link.clicked):
        qtbot.keyClick(link, Qt.Key.Key_Space)


def test_that_a_field_tells_its_problem_and_forgets_it(theme: Theme, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLineEdit

    field = FieldFrame(theme, "&Prompt file", QLineEdit(), note="in the pack folder")
    qtbot.addWidget(field)
    field.show()
    assert field.field.accessibleName() == "Prompt file"
    field.show_problem("The input would not be sent.", "Write it so.", "Write {{input}}")
    assert field.has_problem
    assert field.field.property("problem") is True
    assert field.field.accessibleDescription() == "The input would not be sent. Write it so."
    with qtbot.waitSignal(field.fix_asked):
        field.fix_button.click()
    field.show_problem("It is long.", hint=True)
    assert field.field.property("problem") is False
    field.clear_problem()
    assert not field.has_problem
    assert field.field.accessibleDescription() == "in the pack folder"


def test_that_a_toast_undoes_once_and_goes(theme: Theme, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QWidget

    window = QWidget()
    qtbot.addWidget(window)
    window.resize(600, 400)
    window.show()
    toast = Toast(theme, window, fade=False)
    undone: list[int] = []
    toast.show_text("Run deleted.", lambda: undone.append(1))
    assert toast.isVisible()
    assert toast.geometry().bottom() < 400
    assert abs(toast.geometry().center().x() - 300) <= 2
    toast.undo_button.click()
    assert undone == [1]
    assert not toast.isVisible()
    toast.show_text("Copied.")
    assert not toast.undo_button.isVisible()
    toast.timer.timeout.emit()
    assert not toast.isVisible()


def test_that_sizes_of_type_follow_the_zoom_everywhere(theme: Theme, qtbot: QtBot) -> None:
    label = TextLabel(theme, "words", kind=Type.PAGE)
    qtbot.addWidget(label)
    before = label.font().pointSizeF()
    theme.use(zoom=200)
    assert label.font().pointSizeF() == pytest.approx(before * 2)


def test_that_the_current_row_stays_in_view_when_its_table_becomes_lower(theme: Theme, qtbot: QtBot) -> None:
    table = Table(theme, "Rows")
    qtbot.addWidget(table)
    model = QStandardItemModel(40, 1)
    model.setParent(table)
    table.setModel(model)
    table.resize(300, 400)
    table.show()
    table.selectRow(8)
    assert in_view(table)
    table.resize(300, 150)
    qtbot.waitUntil(lambda: in_view(table))
    theme.use(zoom=200)
    qtbot.waitUntil(lambda: in_view(table))
    table.verticalScrollBar().setValue(table.verticalScrollBar().maximum())
    assert not in_view(table)
    table.resize(300, 140)
    assert not in_view(table), "whoever scrolls away from it is left there"


def in_view(table: Table) -> bool:
    """Is the current row seen whole?"""
    box = table.visualRect(table.currentIndex())
    return box.top() >= 0 and box.bottom() <= table.viewport().height()


def test_that_a_firm_label_keeps_room_for_all_its_lines_and_no_more(theme: Theme, qtbot: QtBot) -> None:
    label = TextLabel(theme, "four short words here " * 8, wrap=True, firm=True)
    qtbot.addWidget(label)
    label.resize(200, 10)
    label.show()
    many = label.minimumHeight()
    assert many >= 4 * label.fontMetrics().lineSpacing()
    label.resize(4_000, many)
    one = label.minimumHeight()
    assert one < 2 * label.fontMetrics().lineSpacing()
    label.setText("short")
    assert label.minimumHeight() == one
    theme.use(zoom=200)
    assert label.minimumHeight() > one
    theme.use(zoom=100)
    assert label.minimumHeight() == one


def test_that_a_box_cuts_a_long_entry_in_the_middle_and_tells_the_whole(theme: Theme, qtbot: QtBot) -> None:
    box = ElidedBox("Model")
    qtbot.addWidget(box)
    long = "a-model-with-a-name-that-is-far-too-long-for-any-panel-Q4_K_M"
    box.addItems(["short", long])
    box.resize(180, 28)
    box.show()
    assert box.shown_text() == "short"
    box.setCurrentIndex(1)
    assert "…" in box.shown_text()
    assert box.shown_text().startswith("a-mod")
    assert box.shown_text().endswith("K_M")
    assert not box.grab().isNull()
    assert box.toolTip() == long
    box.resize(900, 28)
    assert box.shown_text() == long
    assert not box.grab().isNull()
    assert box.toolTip() == ""
    assert box.sizeHint().width() < 400, "a long entry does not make it wide"
