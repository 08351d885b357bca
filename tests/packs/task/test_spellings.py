"""Entries and their other spellings: an entry takes them along."""

from __future__ import annotations

from packs.task.spellings import Spellings

NOW = Spellings(
    ("billing", "delivery", "returns"),
    {"bill": "billing", "parcel": " Delivery", "post": "delivery", "odd": "nowhere"},
)


def test_that_a_spelling_belongs_to_the_entry_that_it_names_whatever_its_case() -> None:
    assert NOW.owners() == {"bill": 0, "parcel": 1, "post": 1, "odd": None}
    assert NOW.strays() == {"nowhere": ("odd",)}


def test_that_the_entry_that_is_spelled_exactly_so_comes_first() -> None:
    both = Spellings(("Billing", "billing"), {"bill": "billing", "b": "BILLING"})
    assert both.owners() == {"bill": 1, "b": 0}


def test_that_a_rename_takes_the_spellings_along_and_leaves_their_places() -> None:
    new = NOW.rename(1, "shipping")
    assert list(new.entries) == ["billing", "shipping", "returns"]
    assert list(new.others.items()) == [
        ("bill", "billing"),
        ("parcel", "shipping"),
        ("post", "shipping"),
        ("odd", "nowhere"),
    ]


def test_that_an_entry_is_removed_with_its_spellings() -> None:
    new = NOW.remove(1)
    assert list(new.entries) == ["billing", "returns"]
    assert new.others == {"bill": "billing", "odd": "nowhere"}


def test_that_a_move_changes_the_order_alone() -> None:
    new = NOW.move(0, 2)
    assert list(new.entries) == ["delivery", "returns", "billing"]
    assert new.others == NOW.others


def test_that_a_renamed_spelling_keeps_its_place() -> None:
    new = NOW.rename_spelling("parcel", "packet")
    assert list(new.others) == ["bill", "packet", "post", "odd"]


def test_that_what_is_no_text_stays_as_it_is() -> None:
    odd = Spellings((1, None, ["a"]), {"x": 1, "y": None, "z": "1"})
    assert odd.owners() == {"x": 0, "y": 1, "z": None}
    assert odd.rename(0, "one").others == {"x": "one", "y": None, "z": "1"}
