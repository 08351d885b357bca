"""A corrected pack re-scores the result on the screen at once, and the way back to the recorded scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.runs.result.compare_dialog import CompareDialog
from desktop.gui.runs.result.result_view import ResultView
from desktop.gui.theme import Theme
from desktop.reports.rejudged import JudgedToday
from desktop.runs.records import RunRecord
from packs.errors import AppError
from tests.fakes.journal_of import write_journal
from tests.fakes.reported_run import reported_run
from tests.fakes.run_service import ScriptedRunService

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
CORRECTED = {"014": "visitors"}
"""Three models gave it; the pack expected something else."""


class Desk(ScriptedRunService):
    """fault: what today's pack is refused with."""

    fault: AppError | None = None

    def judged_today(self, run: RunRecord, known: str, cancel: CancelToken) -> JudgedToday | str:
        if self.fault is not None:
            raise self.fault
        return super().judged_today(run, known, cancel)


@pytest.fixture
def service(tmp_path: Path) -> Desk:
    service = Desk(tmp_path)
    run = reported_run()
    wrong = next(
        unit for unit in run.units if unit.example == "014" and unit.outcome and not unit.outcome.passed
    )
    assert wrong.generation is not None
    CORRECTED["014"] = wrong.generation.text
    write_journal(replace(run, run=replace(run.run, id="one")), service.journal)
    return service


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, service: Desk) -> Iterator[ResultView]:
    tasks = TaskRunner(GuiThread())
    shown = ResultView(theme, service, tasks, now=lambda: NOW)
    shown.resize(1200, 720)
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitExposed(shown)
    shown.open_run("one")
    qtbot.waitUntil(lambda: shown.ready and not shown.looks_soon and not tasks.busy)
    yield shown
    shown.examples.close_reader()
    tasks.shutdown()


def right_of(view: ResultView) -> list[int]:
    assert view.result is not None
    return [candidate.right for candidate in view.result.report.candidates]


def shows_today(view: ResultView) -> bool:
    return view.result is not None and view.result.today is not None


def test_that_nothing_is_said_while_the_pack_judges_as_it_did(view: ResultView) -> None:
    assert view.strip.isHidden()
    assert not shows_today(view)


def test_that_a_corrected_pack_shows_its_scores_at_once_and_says_how_many_changed(
    qtbot: QtBot, view: ResultView, service: Desk
) -> None:
    before = right_of(view)
    service.corrected = dict(CORRECTED)
    view.look_at_pack()
    qtbot.waitUntil(lambda: shows_today(view))
    assert right_of(view) != before
    changed = view.result.today.changed if view.result is not None and view.result.today else 0
    assert view.strip.isVisible()
    assert view.strip.message.text().startswith(f"Re-scored with today's pack: {changed} answers changed.")
    row = view.examples.row_of("014")
    assert row is not None and row.expected == CORRECTED["014"]
    with service.reader() as reader:
        assert sum(1 for unit in reader.units("one") if unit.passed) == sum(before)


def test_that_the_recorded_scores_are_one_key_away_and_so_is_the_way_back(
    qtbot: QtBot, view: ResultView, service: Desk
) -> None:
    before = right_of(view)
    service.corrected = dict(CORRECTED)
    view.look_at_pack()
    qtbot.waitUntil(lambda: shows_today(view))
    view.strip.other.setFocus()
    qtbot.keyClick(view.strip.other, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not shows_today(view))
    assert right_of(view) == before
    assert "as recorded" in view.strip.message.text()
    assert QApplication.focusWidget() is view.strip.other
    qtbot.keyClick(view.strip.other, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: shows_today(view))


def test_that_what_changed_is_listed(qtbot: QtBot, view: ResultView, service: Desk) -> None:
    service.corrected = dict(CORRECTED)
    view.look_at_pack()
    qtbot.waitUntil(lambda: shows_today(view))
    view.strip.changes.setFocus()
    qtbot.keyClick(view.strip.changes, Qt.Key.Key_Space)

    def opened() -> list[CompareDialog]:
        return [w for w in QApplication.topLevelWidgets() if isinstance(w, CompareDialog) and w.isVisible()]

    qtbot.waitUntil(lambda: bool(opened()))
    dialog = opened()[0]
    assert dialog.windowTitle() == "Scored by the pack as it is now"
    assert {flip.example for flip in dialog.flips.rows} == {"014"}
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_that_filters_and_the_chosen_example_stay_through_a_correction(
    qtbot: QtBot, view: ResultView, service: Desk
) -> None:
    examples = view.examples
    examples.show_box.setCurrentIndex(examples.show_box.count() - 1)
    examples.search.setText("(1")
    qtbot.waitUntil(lambda: examples.model.rowCount() == 11)
    examples.table.setCurrentIndex(examples.model.index(4, 0))
    service.corrected = dict(CORRECTED)
    view.look_at_pack()
    qtbot.waitUntil(lambda: shows_today(view))
    assert examples.search.text() == "(1"
    assert examples.model.rowCount() == 11
    assert examples.table.currentIndex().row() == 4


def test_that_a_correction_taken_back_shows_the_recorded_scores(
    qtbot: QtBot, view: ResultView, service: Desk
) -> None:
    service.corrected = dict(CORRECTED)
    view.look_at_pack()
    qtbot.waitUntil(lambda: shows_today(view))
    service.corrected = {}
    view.look_at_pack()
    qtbot.waitUntil(lambda: not shows_today(view))
    assert view.strip.isHidden()


def test_that_a_pack_with_problems_leaves_the_recorded_scores_and_says_why(
    qtbot: QtBot, view: ResultView, service: Desk
) -> None:
    service.fault = AppError(
        "The pack in /packs/x cannot be used yet.", "Mend what is listed.", code="bad_pack"
    )
    view.look_at_pack()
    qtbot.waitUntil(view.strip.isVisible)
    assert "as recorded" in view.strip.message.text()
    assert "cannot be used yet" in view.strip.message.text()
    assert not view.strip.other.isVisible()
