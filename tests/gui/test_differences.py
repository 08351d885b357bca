from __future__ import annotations

from desktop.gui.runs.differences import (
    Mark,
    Piece,
    character_pieces,
    field_differences,
    label_pieces,
    spoken,
    value_text,
)
from packs.task.outcome import NearMiss


def test_that_another_label_is_struck_through() -> None:
    assert label_pieces("other", right=False) == (Piece("other", Mark.WRONG),)
    assert label_pieces("billing", right=True) == (Piece("billing", Mark.SAME),)


def test_that_a_final_stop_is_marked_where_it_stands() -> None:
    miss = NearMiss("final_stop", "A final stop follows the label.", 8, 9)
    assert label_pieces("delivery.", right=False, near_misses=[miss]) == (
        Piece("delivery", Mark.SAME),
        Piece(".", Mark.NEAR),
    )


def test_that_a_near_miss_outside_the_text_marks_nothing() -> None:
    miss = NearMiss("odd", "Odd.", 5, 99)
    assert label_pieces("abc", right=False, near_misses=[miss]) == (Piece("abc", Mark.WRONG),)


def test_that_invisible_characters_get_a_name() -> None:
    assert Piece("RLM", Mark.HIDDEN) in label_pieces("bill\u200fing", right=False)


def test_that_characters_are_marked_one_by_one() -> None:
    assert spoken(character_pieces("2024-03-01", "2024-03-07")) == "2024-03-0[wrong: 1][added: 7]"


def test_that_very_long_texts_are_not_compared_by_character() -> None:
    assert all(piece.mark is Mark.SAME for piece in character_pieces("a" * 5_000, "b" * 5_000))


def test_that_fields_are_told_apart_as_the_scorer_did() -> None:
    rows = field_differences(
        {"vendor": "Brook Ltd", "total": 120.0, "due_date": "2024-03-01"},
        {"vendor": "Brook Ltd", "total": 12.0, "colour": "blue"},
        {"vendor": "match", "total": "mismatch", "due_date": "missing"},
    )
    assert [(row.field, row.state) for row in rows] == [
        ("vendor", "match"),
        ("total", "mismatch"),
        ("due_date", "missing"),
        ("colour", "extra"),
    ]
    assert rows[1].expected == "120"
    assert spoken(rows[2].answer) == "[wrong: missing]"


def test_that_an_answer_without_an_object_lacks_every_field() -> None:
    rows = field_differences({"vendor": "Brook"}, None, {})
    assert [row.state for row in rows] == ["missing"]


def test_that_values_are_written_as_a_person_reads_them() -> None:
    assert value_text("a") == "a"
    assert value_text(3.0) == "3"
    assert value_text(3.25) == "3.25"
    assert value_text(None) == "null"
    assert value_text(["ä"]) == '["ä"]'
