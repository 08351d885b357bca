"""The state of a review survives being written and read, and nothing else is believed."""

from __future__ import annotations

import json

import pytest

from packs.errors import AppError
from packs.task.review import Review, ReviewedExample, ReviewState, SourcePassage, read_review, review_bytes

REVIEW = Review(
    "rules.md",
    "0" * 64,
    {"3": SourcePassage("Broken lamps go to repairs.", "page 2")},
    {
        "001": ReviewedExample(ReviewState.DRAFTED, "My lamp is broken", "repairs", ("3",)),
        "002": ReviewedExample(ReviewState.REJECTED, "x", {"a": [1, None]}),
    },
)


def test_that_a_review_is_read_as_it_was_written() -> None:
    assert read_review(review_bytes(REVIEW)) == REVIEW
    assert review_bytes(read_review(review_bytes(REVIEW))) == review_bytes(REVIEW)


def test_that_a_review_is_complete_only_when_every_example_is_decided() -> None:
    assert REVIEW.undecided == ("001",)
    assert not REVIEW.complete
    assert REVIEW.decided("001", ReviewState.ACCEPTED).complete


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b'{"version": 2}',
        b"{" * 100_000,
        json.dumps({"version": 1, "source": 1, "source_sha256": "", "passages": {}, "examples": {}}).encode(),
        review_bytes(REVIEW).replace(b'"drafted",', b'"perhaps",'),
        review_bytes(REVIEW).replace(b'"3"\n', b'"4"\n'),
        review_bytes(REVIEW).replace(b"null", b"NaN"),
    ],
)
def test_that_anything_else_is_a_sentence(content: bytes) -> None:
    with pytest.raises(AppError) as caught:
        read_review(content)
    assert caught.value.code == "review_unreadable"
