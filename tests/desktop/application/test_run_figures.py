from __future__ import annotations

from desktop.application.run_figures import NO_LABEL, confusion, error_histogram, field_counts
from desktop.runs.records import UnitRecord, UnitStatus
from packs.task.outcome import Cause, Outcome


def unit(example: str, cause: Cause, detail: dict[str, object]) -> UnitRecord:
    passed = cause is Cause.CORRECT
    outcome = Outcome(cause, float(passed), passed, "", detail=detail)
    return UnitRecord("r", 0, example, 1, UnitStatus.COMPLETED, 1, "", None, outcome)


def test_that_labels_are_counted_by_what_was_expected_and_answered() -> None:
    found = confusion(
        [
            unit("1", Cause.CORRECT, {"resolved": "billing"}),
            unit("2", Cause.WRONG, {"resolved": "other"}),
            unit("3", Cause.UNREADABLE, {"resolved": None}),
            unit("4", Cause.SERVER_ERROR, {}),
        ],
        {"1": "billing", "2": "billing", "3": "returns", "4": "returns"},
    )
    assert found is not None
    assert found.labels == ("billing", "returns")
    assert found.columns == ("billing", "other", "returns", NO_LABEL)
    assert found.counts == ((1, 1, 0, 0), (0, 0, 0, 1))


def test_that_other_kinds_of_task_have_no_confusion() -> None:
    assert confusion([unit("1", Cause.CORRECT, {"fields": {}})], {"1": {"a": 1}}) is None
    assert confusion([], {}) is None
    many = [unit(str(place), Cause.CORRECT, {"resolved": str(place)}) for place in range(40)]
    assert confusion(many, {str(place): str(place) for place in range(40)}) is None


def test_that_fields_are_counted_in_the_order_of_the_pack() -> None:
    found = field_counts(
        [
            unit("1", Cause.CORRECT, {"fields": {"vendor": "match", "total": "match"}}),
            unit("2", Cause.PARTLY_CORRECT, {"fields": {"vendor": "mismatch", "total": "missing"}}),
        ]
    )
    assert [(entry.field, entry.match, entry.mismatch, entry.missing, entry.total) for entry in found] == [
        ("vendor", 1, 1, 0, 2),
        ("total", 1, 0, 1, 2),
    ]


def test_that_errors_of_numbers_fall_into_bins_around_zero() -> None:
    units = [unit(str(place), Cause.WRONG, {"actual": place, "allowed": 0.5}) for place in range(20)]
    units.append(unit("x", Cause.UNREADABLE, {"actual": None, "allowed": 0.5}))
    expected: dict[str, object] = {str(place): 10 for place in range(20)} | {"x": 10}
    found = error_histogram(units, expected)
    assert found is not None
    assert sum(found.counts) == 20
    assert len(found.edges) == len(found.counts) + 1
    assert found.edges[0] == -found.edges[-1]
    assert (found.allowed, found.without) == (0.5, 1)


def test_that_one_wild_answer_does_not_hide_the_rest() -> None:
    units = [unit(str(place), Cause.WRONG, {"actual": place % 3}) for place in range(40)]
    units.append(unit("x", Cause.WRONG, {"actual": 1e300}))
    found = error_histogram(units, {**{str(place): 1 for place in range(40)}, "x": 1})
    assert found is not None
    assert found.edges[-1] <= 1.0
    assert sum(found.counts) == 41


def test_that_exact_numbers_make_one_bar() -> None:
    found = error_histogram([unit("1", Cause.CORRECT, {"actual": 5})], {"1": 5.0})
    assert found is not None
    assert sum(found.counts) == 1
