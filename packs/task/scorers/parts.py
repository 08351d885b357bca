"""What a scorer says about itself beside the score, as plain data that window, commands and runs read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from packs.documents.problems import FieldPath
from packs.documents.strict_json import shown
from packs.task.ecma_regex import EcmaPattern
from packs.task.outcome import NearMiss

MAX_OFFENDERS = 5


class ExpectedShape(StrEnum):
    """What an expected value is; forms, tables and stand-ins go by it and never by a scorer's name."""

    LABEL = "label"
    FIELDS = "fields"
    NUMBER = "number"
    JSON = "json"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Explanation:
    """readable: the answer came in the form that the scorer reads. reason: one or two sentences."""

    readable: bool
    reason: str
    near_misses: tuple[NearMiss, ...] = ()


@dataclass(frozen=True, slots=True)
class Preset:
    """message: on the button. sentence: for the prompt. max_tokens: enough for such an answer."""

    message: str
    sentence: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """What limits an answer to what the scorer reads: one of `labels`, a GBNF `grammar`, or a JSON `schema`."""

    labels: tuple[str, ...] = ()
    grammar: str = ""
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A new pack to fill in. params: the lines of task.yaml from scorer_params to gates.

    title, explanation: what a person chooses by, and a sentence below it. type: the manifest's `type`.
    expected: of both stand-ins. schema: of a schema.json beside.
    """

    title: str
    explanation: str
    type: str
    params: str
    prompt: str
    expected: object
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class DraftFault:
    """code: stable word. message: in plain words, for the person and for the next attempt of the model.

    facts: counts and names behind the message.
    """

    code: str
    message: str
    facts: Mapping[str, object] = field(default_factory=dict)


class AdvisedExample(Protocol):
    """What a scorer looks at in an example of the pack that it is in."""

    @property
    def id(self) -> str: ...

    @property
    def expected(self) -> Any: ...


class Adviser(Protocol):
    """Takes a scorer's warnings about the pack it is in."""

    prompt: str | None
    examples: Sequence[AdvisedExample]

    def warn(self, path: FieldPath, code: str, message: str, fix: str) -> None:
        """path: below `scorer_params`."""

    def warn_example(self, example_id: str, path: FieldPath, code: str, message: str, fix: str) -> None: ...

    def slow(self, patterns: Sequence[tuple[FieldPath, EcmaPattern]]) -> None:
        """Warns of each expression that is slow on some text. Paths below `scorer_params`."""


def texts_of(value: object) -> list[str]:
    """The texts of a list; empty for anything else, since a pack being edited may hold anything."""
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list | tuple) else []


def is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, str) for entry in value)


def param_fault(name: str, due: str) -> DraftFault:
    return DraftFault("param", f"'scorer_params.{name}' must be {due}.", {"name": name})


def one_line(text: str) -> str:
    return shown(" ".join(text.split()), 60)


def lower_first(text: str) -> str:
    return text[0].lower() + text[1:]
