"""What an evaluator returns and what it may look at. Qualification-pack format, section 9."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from packs.canonical import JsonValue
from packs.qualification.pack import Case
from packs.qualification.replies import Reply


@dataclass(frozen=True, slots=True)
class EvaluatorOutcome:
    """score: 1.0, 0.0, or None when not applicable. A not applicable outcome has passed=True and no code.

    not_scorable: the reply lacks the field to compare, as against a case outside the test's population.
    """

    applicable: bool
    passed: bool
    score: float | None
    failure_code: str | None
    expected: JsonValue
    actual: JsonValue
    detail: str
    not_scorable: bool = False
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


def passing(expected: JsonValue, actual: JsonValue, detail: str) -> EvaluatorOutcome:
    return EvaluatorOutcome(True, True, 1.0, None, expected, actual, detail)


def failing(code: str, expected: JsonValue, actual: JsonValue, detail: str) -> EvaluatorOutcome:
    return EvaluatorOutcome(True, False, 0.0, code, expected, actual, detail)


def outside(expected: JsonValue, actual: JsonValue, detail: str) -> EvaluatorOutcome:
    """The case is not in this test's population."""
    return EvaluatorOutcome(False, True, None, None, expected, actual, detail)


def unscorable(expected: JsonValue, field_name: str) -> EvaluatorOutcome:
    """The reply lacks the field to compare."""
    return EvaluatorOutcome(
        False, True, None, None, expected, None, f"The reply has no text in '{field_name}'.", not_scorable=True
    )


def observed_text(reply: Reply, name: str) -> str | None:
    """The reply's value at `name` when it is text and not empty."""
    value = reply.parsed.get(name) if reply.parsed is not None else None
    return value if isinstance(value, str) and value else None


def text_setting(config: Mapping[str, JsonValue], name: str, default: str) -> str:
    found = config.get(name, default)
    return found if isinstance(found, str) else default


class Evaluator(Protocol):
    """One scoring function. It may raise on a config that the pack's author got wrong; never on a reply."""

    @property
    def kind(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def settings(self) -> tuple[str, ...]:
        """The config keys it reads."""

    def evaluate(self, config: Mapping[str, JsonValue], case: Case, reply: Reply) -> EvaluatorOutcome: ...
