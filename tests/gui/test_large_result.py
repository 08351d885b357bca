"""A result of 100,000 units: there in pieces, filtered, and let go of, without holding up the window."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.tasks import GuiThread, TaskRunner
from desktop.gui.runs.result.result_data import ResultData, let_go
from desktop.gui.runs.result.result_view import ResultView
from desktop.gui.theme import Theme
from tests.fakes.large_run import LargeDesk, add_large_run
from tests.fakes.work_count import TurnProbe

MAXIMUM_CALLS = 60_000
"""In one turn of the event loop: less than one for each of the 100,000 units."""
NOW = datetime(2026, 11, 30, 11, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large")
    for name in ("one", "two"):
        add_large_run(folder / "runs.db", name)
    return folder


@pytest.fixture
def view(qtbot: QtBot, theme: Theme, journal: Path) -> Iterator[ResultView]:
    tasks = TaskRunner(GuiThread())
    shown = ResultView(theme, LargeDesk(journal), tasks, now=lambda: NOW)
    shown.resize(1280, 800)
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitExposed(shown)
    # What is made once: fonts, glyphs, modules of the reports.
    shown.open_run("one")
    qtbot.waitUntil(lambda: shown.ready and not tasks.busy)
    yield shown
    shown.open_run("none")
    qtbot.waitUntil(lambda: not tasks.busy)
    tasks.shutdown()


def seen(view: ResultView) -> bool:
    """Whole on the screen, with the answers of the rows that are seen."""
    table = view.examples.table
    model = view.examples.model
    return (
        view.ready and model.rowCount() > 0 and not model.lacking(0, table.rowAt(table.viewport().height() - 1))
    )


def test_that_100_000_units_are_opened_one_after_the_other_without_a_stall(
    qtbot: QtBot, view: ResultView
) -> None:
    probe = TurnProbe()
    probe.start()
    view.open_run("two")
    view.repaint()
    qtbot.waitUntil(lambda: seen(view))
    calls = probe.stop()
    assert calls <= MAXIMUM_CALLS
    assert view.result is not None and len(view.result.report.units) == 100_000


def test_that_20_000_examples_are_filtered_without_a_stall(qtbot: QtBot, view: ResultView) -> None:
    probe = TurnProbe()
    view.examples.show_box.setCurrentIndex(view.examples.show_box.count() - 1)
    qtbot.waitUntil(lambda: view.examples.model.rowCount() == 20_000)
    probe.start()
    for message, rows in (("0777", 12), ("", 20_000), ("nowhere", 0), ("9", 6_878)):
        view.examples.search.setText(message)
        qtbot.waitUntil(lambda rows=rows: view.examples.model.rowCount() == rows)
    view.examples.search.setText("")
    view.examples.show_box.setCurrentIndex(0)
    qtbot.waitUntil(lambda: view.examples.model.rowCount() not in (0, 6_878))
    calls = probe.stop()
    assert calls <= MAXIMUM_CALLS


def test_that_no_work_in_hand_keeps_a_result_that_is_let_go_of(
    qtbot: QtBot, view: ResultView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last reference would else go away on the window's thread, in one long step."""
    qtbot.waitUntil(lambda: seen(view) and not view.looks_soon)
    qtbot.waitUntil(lambda: not view.tasks.busy)
    given: list[object] = []

    def noted(
        job: partial[object], on_result: partial[object], *_more: object, **_named: object
    ) -> CancelToken:
        for part in (job, on_result):
            given.extend((*part.args, *part.keywords.values()) if isinstance(part, partial) else ())
        return CancelToken()

    result = view.result
    assert result is not None
    monkeypatch.setattr(view.tasks, "start", noted)
    view.look_at_pack()
    view.examples.apply()
    view.examples.model.answers.clear()
    view.examples.read_seen()
    asked = [part for part in given if isinstance(part, list) and part and part[0] is result]
    assert len(asked) == 3
    assert not any(part is result or part is result.rows for part in given)
    view.examples.clear()
    assert not any(asked)


def test_that_a_result_is_taken_apart_when_nobody_needs_it(view: ResultView) -> None:
    assert view.result is not None
    held: list[ResultData] = [view.result]
    let_go(held)
    assert held == []
    assert len(view.result.rows) == 20_000
