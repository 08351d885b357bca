"""Comparing two runs and looking where a model goes wrong, with real events over a real journal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from desktop.application.result_examples import turn
from desktop.application.run_requests import ModelChoice
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.runs.plan.plan_model import PlanModel
from desktop.gui.runs.result.compare_dialog import CompareDialog
from desktop.gui.runs.result.comparison import compare
from desktop.gui.runs.result.examples_model import ExamplesModel
from desktop.gui.runs.result.figures_dialog import FiguresDialog
from desktop.gui.runs.result.histogram import Histogram
from desktop.gui.runs.result.models_model import ModelsModel
from desktop.gui.runs.result.result_data import ResultData, example_texts, ranking
from desktop.gui.runs.result.result_view import ResultView
from desktop.gui.theme import Theme
from desktop.reports.data import ReportData
from packs.task.model import Example
from packs.task.outcome import Cause, Outcome
from tests.fakes.journal_of import write_journal
from tests.fakes.reported_run import invoice_run, reported_run
from tests.fakes.run_service import ScriptedRunService, model

NOW = datetime(2026, 11, 30, 11, 0, tzinfo=UTC)


def result_of(report: ReportData) -> ResultData:
    rows = turn([], len(report.candidates), example_texts(report))
    return ResultData(report, tuple(rows), ranking(report.candidates))


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[ResultView]:
    tasks = TaskRunner(GuiThread())
    service = ScriptedRunService(tmp_path)
    write_journal(reported_run(), service.journal)
    second = reported_run()
    write_journal(replace(second, run=replace(second.run, id="second")), service.journal)
    shown = ResultView(theme, service, tasks, now=lambda: NOW)
    shown.resize(1200, 720)
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitExposed(shown)
    yield shown
    shown.examples.close_reader()
    tasks.shutdown()


def test_that_a_run_is_compared_with_another_from_the_menu(qtbot: QtBot, view: ResultView) -> None:
    view.open_run("second")
    qtbot.waitUntil(lambda: view.ready)
    view.comparing.menu.aboutToShow.emit()
    action = view.comparing.menu.actions()[0]
    assert "post-room-triage" in action.text()
    action.trigger()

    def opened() -> list[CompareDialog]:
        return [w for w in QApplication.topLevelWidgets() if isinstance(w, CompareDialog) and w.isVisible()]

    qtbot.waitUntil(lambda: bool(opened()))
    dialog = opened()[0]
    assert "No example flipped" in dialog.sentences[0].text()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_that_where_it_goes_wrong_opens_by_key(qtbot: QtBot, view: ResultView) -> None:
    view.open_run("second")
    qtbot.waitUntil(lambda: view.ready)
    view.figures.where.setFocus()
    qtbot.keyClick(view.figures.where, Qt.Key.Key_Space)
    dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, FiguresDialog) and w.isVisible()]
    assert dialogs
    qtbot.keyClick(dialogs[0], Qt.Key.Key_Escape)


def labelled(report: ReportData) -> ReportData:
    units = []
    for unit in report.units:
        if unit.outcome is not None and unit.generation is not None:
            text = unit.generation.text
            given = text if text.isalpha() else None
            unit = replace(unit, outcome=replace(unit.outcome, detail={"resolved": given}))
        units.append(unit)
    return replace(report, units=tuple(units))


def test_that_labels_are_shown_as_a_matrix(qtbot: QtBot, theme: Theme, qtmodeltester: ModelTester) -> None:
    dialog = FiguresDialog(theme, result_of(labelled(reported_run())))
    qtbot.addWidget(dialog)
    qtmodeltester.check(dialog.model)
    assert dialog.models.currentText() == "gemma-3-1b"
    headers = [dialog.model.headerData(column, Qt.Orientation.Horizontal) for column in range(6)]
    assert headers == ["Expected", "billing", "delivery", "other", "returns", "visitors"]
    assert dialog.model.rowCount() == 5
    spoken = dialog.model.data(dialog.model.index(0, 1), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "billing: 6 right"


def test_that_fields_are_shown_as_a_table(qtbot: QtBot, theme: Theme) -> None:
    report = invoice_run()
    units = tuple(
        replace(
            unit,
            outcome=replace(
                unit.outcome, detail={"fields": {"vendor": "match", "total": "mismatch", "due_date": "missing"}}
            ),
        )
        if unit.outcome is not None
        else unit
        for unit in report.units
    )
    dialog = FiguresDialog(theme, result_of(replace(report, units=units)))
    qtbot.addWidget(dialog)
    assert [row[0] for row in dialog.model.rows] == ["vendor", "total", "due_date"]


def test_that_numbers_are_shown_as_bars_with_words(qtbot: QtBot, theme: Theme) -> None:
    report = invoice_run()
    outcome = Outcome(Cause.WRONG, 0.0, False, "", detail={"actual": 12.0, "allowed": 0.5})
    report = replace(
        report,
        examples=tuple(Example(example.id, example.input, 10.0) for example in report.examples),
        units=tuple(replace(unit, outcome=outcome) for unit in report.units),
    )
    dialog = FiguresDialog(theme, result_of(report))
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    histogram = dialog.findChild(Histogram)
    assert histogram is not None
    assert histogram.isVisible()
    assert "tolerance is 0.5" in histogram.accessibleDescription()
    assert not histogram.grab().isNull()


def test_that_the_comparison_lists_flips_and_changes(
    qtbot: QtBot, theme: Theme, qtmodeltester: ModelTester
) -> None:
    first, second = reported_run(), invoice_run()
    dialog = CompareDialog(theme, first, second, compare(first, second), now=lambda: NOW)
    qtbot.addWidget(dialog)
    qtmodeltester.check(dialog.changes)
    qtmodeltester.check(dialog.flips)
    assert dialog.changes.rowCount() > 0


def test_that_plan_and_example_models_behave(qtmodeltester: ModelTester, theme: Theme) -> None:
    plan = PlanModel()
    qtmodeltester.check(plan)
    choices = [
        ModelChoice(model("a"), "fits", "Fits.", 500.0),
        ModelChoice(model("b"), "does-not-fit", "Does not fit.", 5_000.0),
        ModelChoice(model("c"), "unknown", "", None, why_not="It makes vectors."),
    ]
    plan.set_choices(choices, None)
    assert [row.ticked for row in plan.rows] == [True, False, False]
    plan.toggle(2)
    assert not plan.row(2).ticked
    box = plan.index(1, 0)
    assert plan.setData(box, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert plan.add_choice(choices[0]) == 0
    assert plan.rowCount() == 3
    qtmodeltester.check(plan)

    models = ModelsModel()
    qtmodeltester.check(models)
    models.set_views(reported_run().candidates)
    qtmodeltester.check(models)
    assert models.data(models.index(4, 7)) == "ran out of memory"
    assert models.data(models.index(0, 2)) == "79 to 98 %"

    examples = ExamplesModel()
    report = reported_run()
    rows = turn([], 5, example_texts(report))
    examples.set_result(rows, [view.name for view in report.candidates], ranking(report.candidates))
    qtmodeltester.check(examples)
