from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester

from desktop.application import wording
from desktop.application.live_run import CandidateLine, EventLine
from desktop.gui.runs.history.history_model import HistoryModel
from desktop.gui.runs.live.candidates_model import (
    CAUSES,
    DONE,
    INTERVAL,
    MEMORY,
    NAME,
    SO_FAR,
    STATE,
    CandidatesModel,
)
from desktop.gui.runs.live.events_model import KEPT, EventsModel
from desktop.gui.runs.result.models_model import remark
from desktop.gui.runs.result.result_data import nearest_first, ranking
from desktop.gui.widgets.cause_counts import CauseCounts
from desktop.gui.widgets.roles import CAUSE_COUNTS_ROLE
from desktop.gui.widgets.rows_model import SORT_ROLE, Column, RowsModel
from desktop.gui.widgets.state_delegate import STATE_ROLE
from desktop.runs.records import CandidateStatus, RunStatus, RunSummary
from packs.statistics.wilson import wilson_interval
from packs.task.outcome import Cause
from tests.fakes.reported_run import reported_run

NOW = datetime(2026, 11, 30, 10, 30, tzinfo=UTC)


def line(name: str = "SmolLM2-135M", **more: object) -> CandidateLine:
    values: dict[str, object] = {
        "quantization": "Q8_0",
        "status": CandidateStatus.RUNNING,
        "reason": "",
        "done": 19,
        "total": 30,
        "right": 18.0,
        "judged": 19,
        "interval": wilson_interval(18, 19),
        "causes": (),
        "ttft_ms": 260.0,
        "tokens_per_second": 47.2,
        "now_mib": 700.0,
        "peak_mib": 788.5,
        "predicted_mib": None,
        **more,
    }
    return CandidateLine(name=name, **values)  # type: ignore[arg-type]


def summary(number: int, **more: object) -> RunSummary:
    values: dict[str, object] = {
        "id": f"run-{number}",
        "started_at": "2026-11-30T09:12:00Z",
        "finished_at": None,
        "status": RunStatus.FINISHED,
        "message": "",
        "pack_name": "post-room-triage",
        "pack_folder": "/packs/post-room",
        "scorer": "exact-label",
        "backend": "embedded",
        "candidates": ("SmolLM2-135M", "gemma-3-270m"),
        "examples": 30,
        "repetitions": 1,
        "completed": 12,
        "failed": 0,
        "skipped": 0,
        "pending": 18,
        "note": "",
        "pinned": False,
        "deleted_at": None,
        **more,
    }
    return RunSummary(**values)  # type: ignore[arg-type]


def shown(model: RowsModel[CandidateLine], column: int, role: int = Qt.ItemDataRole.DisplayRole) -> object:
    return model.data(model.index(0, column), role)


def test_that_the_live_table_says_what_is_known_and_dashes_what_is_not(qtmodeltester: ModelTester) -> None:
    model = CandidatesModel()
    qtmodeltester.check(model)
    model.set_rows([line(), line("brook-2b", status=CandidateStatus.OOM, interval=None)])
    qtmodeltester.check(model)
    assert shown(model, NAME) == "SmolLM2-135M"
    assert shown(model, DONE) == "19 / 30"
    assert shown(model, SO_FAR) == "18 of 19 right"
    assert shown(model, CAUSES) == "–"
    assert shown(model, INTERVAL) == "75 to 99 %"
    assert shown(model, MEMORY) == "0.68 / 0.77 / –"
    assert "no prediction" in str(shown(model, MEMORY, Qt.ItemDataRole.AccessibleTextRole))
    assert model.data(model.index(1, STATE)) == "out of memory"
    assert model.data(model.index(1, SO_FAR)) == "not judged"


def test_that_the_live_table_counts_the_causes_so_far_apart_from_the_right_answers() -> None:
    model = CandidatesModel()
    model.set_rows([line(causes=((Cause.CORRECT, 12), (Cause.WRONG, 6), (Cause.ANSWER_CUT, 1)))])
    assert shown(model, CAUSES) == "6 wrong, 1 answer cut"
    assert shown(model, CAUSES, Qt.ItemDataRole.ToolTipRole) == "6 wrong, 1 answer cut"
    assert shown(model, CAUSES, Qt.ItemDataRole.AccessibleTextRole) == "Not right: 6 wrong, 1 answer cut"
    assert shown(model, CAUSES, CAUSE_COUNTS_ROLE) == CauseCounts(((Cause.WRONG, 6), (Cause.ANSWER_CUT, 1)))


def test_that_nobody_waits_or_runs_when_the_run_is_over() -> None:
    model = CandidatesModel()
    states = (CandidateStatus.RUNNING, CandidateStatus.WAITING, CandidateStatus.COMPLETED)
    model.set_rows([line(str(status), status=status, over=True) for status in states])
    message = [model.data(model.index(row, STATE)) for row in range(3)]
    assert message == ["not finished", "not run", "finished"]
    look = model.data(model.index(0, STATE), STATE_ROLE)
    assert (look.text, look.sign) == ("not finished", "warning")


def test_that_one_batch_is_one_change_signal() -> None:
    model = CandidatesModel()
    model.set_rows([line(f"m{number}") for number in range(5)])
    spans: list[tuple[int, int]] = []

    def note(first: QModelIndex, last: QModelIndex) -> None:
        spans.append((first.row(), last.row()))

    model.dataChanged.connect(note)
    model.change({1: line("m1", done=20), 3: line("m3", done=21)})
    assert spans == [(1, 3)]
    assert model.row(3).done == 21


def test_that_sorting_keeps_the_unknown_last_and_the_selection_on_its_row(qtmodeltester: ModelTester) -> None:
    columns: list[Column[tuple[str, float | None]]] = [
        Column("Name", lambda row: row[0]),
        Column(
            "Value", lambda row: wording.UNKNOWN if row[1] is None else str(row[1]), sort=lambda row: row[1]
        ),
    ]
    model: RowsModel[tuple[str, float | None]] = RowsModel(columns)
    model.set_rows([("a", 2.0), ("b", None), ("c", 3.0)])
    qtmodeltester.check(model)
    from PySide6.QtCore import QPersistentModelIndex

    kept = QPersistentModelIndex(model.index(0, 0))
    model.sort(1, Qt.SortOrder.DescendingOrder)
    assert [row[0] for row in model.rows] == ["c", "a", "b"]
    model.sort(1)
    assert [row[0] for row in model.rows] == ["a", "c", "b"]
    assert kept.data() == "a"
    assert model.data(model.index(2, 1), SORT_ROLE) is None


def test_that_rows_come_and_go_as_a_model_must(qtmodeltester: ModelTester) -> None:
    model = CandidatesModel()
    qtmodeltester.check(model)
    model.append([line(str(number)) for number in range(6)])
    model.remove_first(2)
    taken = model.remove(1)
    model.insert(0, taken)
    model.append([])
    model.remove_first(0)
    assert [row.name for row in model.rows] == ["3", "2", "4", "5"]
    qtmodeltester.check(model)


def test_that_only_the_newest_events_stay(qtmodeltester: ModelTester) -> None:
    model = EventsModel()
    qtmodeltester.check(model)
    for start in range(0, 2_000, 400):
        model.add([EventLine("10:00:00", "note", "m", str(number)) for number in range(start, start + 400)])
    assert model.rowCount() == KEPT
    assert model.row(KEPT - 1).message == "1999"
    assert model.data(model.index(0, 0)) == "m: 1500"


def test_that_the_history_is_searched_by_every_word(qtmodeltester: ModelTester) -> None:
    model = HistoryModel(lambda: NOW)
    qtmodeltester.check(model)
    model.set_runs([summary(1), summary(2, pack_name="invoices", note="with the new prompt")])
    assert model.rowCount() == 2
    model.search("gemma INVOICES")
    assert [run.id for run in model.rows] == ["run-2"]
    model.search("prompt nothing")
    assert model.rowCount() == 0
    model.search("")
    assert model.rowCount() == 2
    assert model.data(model.index(0, 0)) == "Today 09:12"


def test_that_an_unfinished_run_says_how_far_it_came() -> None:
    model = HistoryModel(lambda: NOW)
    model.set_runs([summary(1, status=RunStatus.STOPPED)])
    assert model.data(model.index(0, 3)) == "stopped, 12 of 30 done"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (None, None, "time left not known yet"),
        (3, 8, "less than 10 seconds left"),
        (21, 38, "20 to 40 seconds left"),
        (0, 38, "up to 40 seconds left"),
        (250, 410, "4 to 7 minutes left"),
        (20, 170, "up to 3 minutes left"),
        (240, 240, "about 4 minutes left"),
        (3_000, 6_000, "50 minutes to 2 hours left"),
        (7_300, 9_000, "2 to 3 hours left"),
    ],
)
def test_that_remaining_time_is_a_range_in_words(low: float | None, high: float | None, text: str) -> None:
    assert wording.remaining(low, high) == text


@pytest.mark.parametrize(
    ("iso", "text"),
    [
        ("2026-11-30T09:12:00Z", "Today 09:12"),
        ("2026-11-29T18:03:00Z", "Yesterday 18:03"),
        ("2026-11-26T08:00:00Z", "Thu 26 Nov"),
        ("2025-11-26T08:00:00Z", "26 Nov 2025"),
        ("not a time", "not a time"),
    ],
)
def test_that_moments_are_told_as_people_tell_them(iso: str, text: str) -> None:
    assert wording.moment(iso, NOW) == text


def test_that_figures_have_their_units_and_a_dash_when_unknown() -> None:
    assert wording.right_text(17.5, 30) == "17.5 of 30 right"
    assert wording.right_text(None, 0) == "–"
    assert wording.milliseconds(140.4) == "140 ms"
    assert wording.milliseconds(12_340) == "12.3 s"
    assert wording.rate(None) == "–"
    assert wording.rate(3.14) == "3.1"
    assert wording.gib(788.5) == "0.77"
    assert wording.size(98_362_432) == "98 MB"
    assert wording.clock(372) == "6 min 12 s"
    assert wording.clock(7_500) == "2 h 5 min"


def test_that_a_model_skipped_after_some_right_answers_is_not_ranked_before_whole_ones() -> None:
    report = reported_run()
    first = report.candidates[0]
    record = replace(first.record, reason="Skipped by you.")
    skipped = replace(first, record=record, quality=1.0, right=2, judged=2)
    views = (skipped, *report.candidates[1:])
    assert ranking(views)[0] == 1
    assert remark(replace(skipped, why_not="", recommended=False, notes=())) == "Skipped by you"


def test_that_runs_of_the_same_pack_are_offered_first_then_those_of_its_name() -> None:
    present = replace(reported_run().run, pack_folder="/packs/desk", pack_name="desk")

    def other(name: str, folder: str, hour: int) -> RunSummary:
        started = f"2026-11-30T{hour:02}:00:00Z"
        return replace(summary(1), id=f"{name}-{hour}", pack_name=name, pack_folder=folder, started_at=started)

    offered = nearest_first(
        [
            other("letters", "/packs/letters", 15),
            other("desk", "/packs/desk 2", 9),
            other("desk", "/packs/desk 3", 14),
            other("desk", "/packs/desk", 8),
        ],
        present,
    )
    assert [run.id for run in offered] == ["desk-8", "desk-14", "desk-9", "letters-15"]
