"""How far a person is with reviewing drafted examples: a sidecar file of ours that other programs ignore.

The pack itself stays as it is; only when every example is decided may `provenance.reviewed` become true.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from packs.errors import AppError

REVIEW_FILE = "packbench-review.json"
VERSION = 1
MAX_BYTES = 64 * 2**20


class ReviewState(StrEnum):
    DRAFTED = "drafted"
    """Not looked at yet."""
    ACCEPTED = "accepted"
    EDITED = "edited"
    """Changed by the person and accepted as changed."""
    REJECTED = "rejected"
    """Taken out of the pack; what was drafted is kept here."""


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """where: 'page 3', as the document reader told it."""

    text: str
    where: str


@dataclass(frozen=True, slots=True)
class ReviewedExample:
    """drafted_input, drafted_expected: as the model made them, so that a rejection can be taken back.

    passages: keys of `Review.passages` the example came from; may be empty.
    """

    state: ReviewState
    drafted_input: str
    drafted_expected: object
    passages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Review:
    """source: name of the document. examples: by example id, in the order drafted. passages: by key."""

    source: str
    source_sha256: str
    passages: Mapping[str, SourcePassage]
    examples: Mapping[str, ReviewedExample]

    @property
    def undecided(self) -> tuple[str, ...]:
        return tuple(name for name, example in self.examples.items() if example.state is ReviewState.DRAFTED)

    @property
    def complete(self) -> bool:
        """Has a person decided every example?"""
        return not self.undecided

    def decided(self, example: str, state: ReviewState) -> Review:
        """With one example in another state. Raises KeyError for an unknown id."""
        changed = replace(self.examples[example], state=state)
        return replace(self, examples={**self.examples, example: changed})


def review_bytes(review: Review) -> bytes:
    """Stable and readable: two blanks a level, keys in fixed order."""
    content = {
        "version": VERSION,
        "source": review.source,
        "source_sha256": review.source_sha256,
        "passages": {
            key: {"where": passage.where, "text": passage.text} for key, passage in review.passages.items()
        },
        "examples": {
            name: {
                "state": example.state.value,
                "passages": list(example.passages),
                "drafted": {"input": example.drafted_input, "expected": example.drafted_expected},
            }
            for name, example in review.examples.items()
        },
    }
    return (json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def read_review(content: bytes) -> Review:
    """Raises AppError (`review_unreadable`) for anything that this program did not write."""
    try:
        if len(content) > MAX_BYTES:
            raise ValueError("too large")
        return _review(json.loads(content.decode("utf-8"), parse_constant=_refuse))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise AppError(
            f"The state of the review ({REVIEW_FILE}) cannot be read: {error}.",
            "The pack itself is not touched. Restore the file from a copy, or remove it and review anew.",
            code="review_unreadable",
        ) from None


def _review(data: Any) -> Review:
    if data["version"] != VERSION:
        raise ValueError(f"it was written by another version ({data['version']!r})")
    passages = {
        str(key): SourcePassage(_text(entry["text"]), _text(entry["where"]))
        for key, entry in data["passages"].items()
    }
    examples = {}
    for name, entry in data["examples"].items():
        keys = tuple(str(key) for key in entry["passages"])
        if any(key not in passages for key in keys):
            raise ValueError(f"example {name} names a passage that is not there")
        drafted = entry["drafted"]
        examples[str(name)] = ReviewedExample(
            ReviewState(entry["state"]), _text(drafted["input"]), drafted["expected"], keys
        )
    return Review(_text(data["source"]), _text(data["source_sha256"]), passages, examples)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text was expected")
    return value


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is not allowed")
