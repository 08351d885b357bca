from __future__ import annotations

from desktop.application.result_examples import Filter, Show, causes_in, counts, labels_in, matching, turn
from desktop.runs.records import UnitRecord, UnitStatus
from packs.task.outcome import Cause, NearMiss, Outcome
from tests.fakes.work_count import calls_of


def unit(
    candidate: int, position: int, cause: Cause | None, repetition: int = 1, misses: tuple[str, ...] = ()
) -> UnitRecord:
    score, passed = float(cause is Cause.CORRECT), cause is Cause.CORRECT
    near = tuple(NearMiss(code, code) for code in misses)
    return UnitRecord(
        "run",
        candidate,
        f"{position + 1:03}",
        repetition,
        UnitStatus.PENDING if cause is None else UnitStatus.COMPLETED,
        1,
        "",
        None,
        None if cause is None else Outcome(cause, score, passed, "", score, passed, near),
    )


TEXTS = {"001": ("Where is my parcel?", "delivery"), "002": ("Two amounts", "billing")}


def test_that_units_become_one_row_an_example() -> None:
    rows = turn([unit(0, 0, Cause.CORRECT), unit(1, 0, Cause.WRONG), unit(0, 1, Cause.CORRECT)], 2, TEXTS)
    assert [row.example for row in rows] == ["001", "002"]
    assert rows[0].input == "Where is my parcel?"
    assert rows[0].differs
    assert rows[1].cells[1] is None
    assert not rows[1].differs


def test_that_a_pending_example_has_a_row_with_open_cells() -> None:
    rows = turn([unit(0, 0, None)], 1, TEXTS)
    assert rows[0].cells == (None,)


def test_that_repetitions_that_disagree_are_flipped_and_not_right() -> None:
    rows = turn([unit(0, 0, Cause.CORRECT, 1), unit(0, 0, Cause.WRONG, 2)], 1, TEXTS)
    cell = rows[0].cells[0]
    assert cell is not None
    assert (cell.cause, cell.repetition, cell.right, cell.flipped) == (Cause.WRONG, 2, False, True)


def test_that_a_server_fault_is_no_difference_between_models() -> None:
    rows = turn([unit(0, 0, Cause.CORRECT), unit(1, 0, Cause.SERVER_ERROR)], 2, TEXTS)
    assert not rows[0].differs


def test_that_filters_hold_together() -> None:
    rows = turn(
        [
            unit(0, 0, Cause.CORRECT),
            unit(1, 0, Cause.WRONG),
            unit(0, 1, Cause.UNREADABLE, misses=("bold_marks",)),
            unit(1, 1, Cause.CORRECT),
            unit(0, 2, Cause.CORRECT),
            unit(1, 2, Cause.CORRECT),
        ],
        2,
        TEXTS,
    )
    assert counts(rows) == {
        Show.FAILING: 2,
        Show.DIFFERS: 2,
        Show.FLIPPED: 0,
        Show.NEAR_MISS: 1,
        Show.ALL: 3,
    }
    assert [row.example for row in matching(rows, Filter(wrong_in=0, right_in=1))] == ["002"]
    assert [row.example for row in matching(rows, Filter(cause=Cause.WRONG))] == ["001"]
    assert [row.example for row in matching(rows, Filter(text="PARCEL"))] == ["001"]
    assert [row.example for row in matching(rows, Filter(expected="billing"))] == ["002"]
    assert causes_in(rows) == [Cause.CORRECT, Cause.WRONG, Cause.UNREADABLE]


def test_that_expected_values_are_offered_only_when_they_are_labels() -> None:
    few = turn(
        [unit(0, place, Cause.CORRECT) for place in range(4)], 1, {f"00{n}": ("", "a") for n in range(5)}
    )
    assert labels_in(few) == ["a"]
    many = turn(
        [unit(0, place, Cause.CORRECT) for place in range(4)], 1, {f"00{n}": ("", str(n)) for n in range(5)}
    )
    assert labels_in(many) == []


def test_that_a_hundred_thousand_units_are_turned_and_filtered_in_a_few_steps_each() -> None:
    units = [
        unit(candidate, position, Cause.CORRECT if position % 3 else Cause.WRONG)
        for candidate in range(20)
        for position in range(5_000)
    ]
    rows = turn(units, 20, {})
    assert calls_of(lambda: turn(units, 20, {})) < 20 * len(units)
    assert calls_of(lambda: matching(rows, Filter(show=Show.DIFFERS, text="12"))) < 40 * len(rows)
