from __future__ import annotations

from desktop.gui.runs.result.differences import field_differences, label_runs, spoken, value_text
from packs.task.outcome import NearMiss


def test_that_another_label_is_struck_through() -> None:
    assert spoken(label_runs("other", right=False)) == "[wrong: other]"
    assert spoken(label_runs("billing", right=True)) == "billing"


def test_that_a_final_stop_is_marked_where_it_stands() -> None:
    miss = NearMiss("final_stop", "A final stop follows the label.", 8, 9)
    assert spoken(label_runs("delivery.", right=False, misses=[miss])) == "delivery[near miss: .]"


def test_that_a_near_miss_outside_the_text_marks_nothing() -> None:
    miss = NearMiss("odd", "Odd.", 5, 99)
    assert spoken(label_runs("abc", right=False, misses=[miss])) == "[wrong: abc]"


def test_that_signs_around_a_label_are_marked_when_the_miss_has_no_place() -> None:
    miss = NearMiss("bold_marks", "It stands in bold marks.")
    assert (
        spoken(label_runs("**billing**", right=False, misses=[miss])) == "[near miss: **]billing[near miss: **]"
    )
    assert spoken(label_runs("***", right=False, misses=[miss])) == "[wrong: ***]"


def test_that_invisible_characters_get_a_name() -> None:
    assert "[RLM]" in spoken(label_runs("bill\u200fing", right=True))


def test_that_fields_are_told_apart_as_the_scorer_did() -> None:
    rows = field_differences(
        {"vendor": "Brook Ltd", "total": 120.0, "due_date": "2024-03-01"},
        {"vendor": "BROOK LTD", "total": 12.0, "colour": "blue"},
        {"vendor": "match", "total": "mismatch", "due_date": "missing"},
    )
    assert [(row.field, row.state) for row in rows] == [
        ("vendor", "match"),
        ("total", "mismatch"),
        ("due_date", "missing"),
        ("colour", "extra"),
    ]
    assert rows[1].expected == "120"
    assert [spoken(row.answer) for row in rows] == [
        "BROOK LTD",
        "[wrong: 12][expected: 120]",
        "[wrong: missing]",
        "blue",
    ]


def test_that_an_answer_without_an_object_lacks_every_field() -> None:
    rows = field_differences({"vendor": "Brook"}, None, {})
    assert [row.state for row in rows] == ["missing"]


def test_that_values_are_written_as_a_person_reads_them() -> None:
    assert value_text("a") == "a"
    assert value_text(3.0) == "3"
    assert value_text(3.25) == "3.25"
    assert value_text(None) == "null"
    assert value_text(["ä"]) == '["ä"]'
