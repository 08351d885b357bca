"""What drafting makes, and what it tells while it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

WANTED_EXAMPLES = 24
FEWEST_EXAMPLES = 10
"""Task-pack format, section 12.3: at least 20 wanted, 10 the hard floor."""
MAX_ATTEMPTS = 3
"""One draft and two repairs, for every stage."""


@dataclass(frozen=True, slots=True)
class DraftedExample:
    """passage_first, passage_last: positions of the source passages in the document; where: in words."""

    input: str
    expected: object
    passage_first: int
    passage_last: int
    where: str


@dataclass(frozen=True, slots=True)
class DraftedPack:
    """All parts of a pack as drafted. notes: whole sentences on what fell short, for the reviewer.

    raw_answers: everything the model answered, in order; nothing of it is ever lost.
    """

    name: str
    type: str
    scorer: str
    scorer_params: Mapping[str, object]
    prompt: str
    examples: tuple[DraftedExample, ...]
    notes: tuple[str, ...] = ()
    raw_answers: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class DraftingRequest:
    """One request to the drafting model. schema: the form of the answer, enforced where the backend can."""

    prompt: str
    schema: Mapping[str, object]
    max_tokens: int
    temperature: float = 0.0
    seed: int = 42


Ask = Callable[[DraftingRequest], Awaitable[str]]
"""Sends one question and gives the raw answer. Raises what the backend raises; cancelling cancels it."""


@dataclass(frozen=True, slots=True)
class StageStarted:
    """stage: from 1; of: how many there are; words: 'finding the labels'."""

    stage: int
    of: int
    message: str


@dataclass(frozen=True, slots=True)
class StageDone:
    stage: int
    message: str
    """What came out: 'labels: billing, delivery, returns'."""


@dataclass(frozen=True, slots=True)
class ExampleAdded:
    number: int
    wanted: int
    example: DraftedExample


@dataclass(frozen=True, slots=True)
class AnswerComes:
    """The model reads or writes. read_tokens, of_tokens: of the question, None once it writes or when not told.

    written: characters of the answer so far; tail: the last of them.
    """

    read_tokens: int | None
    of_tokens: int | None
    written: int = 0
    tail: str = ""


DraftEvent = StageStarted | StageDone | ExampleAdded | AnswerComes
OnDraftEvent = Callable[[DraftEvent], None]


class StopAsked(Protocol):
    def __call__(self) -> bool:
        """Has the person asked to stop? What is there is kept then."""
