"""What a run needs of a pack: examples to render, and a judge. Keeps the engine free of any pack format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop.inference.backends.base import Constraint, Generation, GenerationRequest, JsonValue
from packs.task.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Sampling:
    """How every answer is asked for. context_tokens and max_tokens: at least 1; temperature: 0 or more.

    stop: an answer ends before the first of these texts.
    """

    context_tokens: int
    max_tokens: int
    temperature: float
    seed: int
    repetitions: int
    stop: tuple[str, ...] = ()


class Work(Protocol):
    """A pack made ready to be run. Everything in it is pure: the same question, the same answer."""

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> str: ...

    @property
    def kind(self) -> str:
        """The pack's free label: 'classification'."""

    @property
    def scorer(self) -> str: ...

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the manifest and the files it names, hexadecimal."""

    @property
    def sampling(self) -> Sampling: ...

    @property
    def example_ids(self) -> Sequence[str]:
        """In the pack's order."""

    def snapshot(self, example_ids: Sequence[str]) -> Mapping[str, JsonValue]:
        """What reporting and scoring again need when the folder is gone; of the examples, those named."""

    def label(self, example_id: str) -> str:
        """What kind of example it is (its expected label), so that a sample can be spread; '' when unknown."""

    def prompt(self, example_id: str) -> str:
        """As the model is sent it."""

    def judge(self, example_id: str, generation: Generation) -> Outcome:
        """Never raises for anything a model says."""

    @property
    def wants_constrained(self) -> bool:
        """Does the pack itself ask for answers limited to the scorer's form?"""

    def constraint(self) -> Constraint | None:
        """What limits an answer to the form the scorer reads; None when this scorer has no such form."""


def request_of(work: Work, example: str, constraint: Constraint | None, *, reuse: bool) -> GenerationRequest:
    """What is sent for an example, in a run and when it is tried alone: the same, so that the answer is too."""
    sampling = work.sampling
    return GenerationRequest(
        work.prompt(example),
        sampling.context_tokens,
        sampling.max_tokens,
        sampling.temperature,
        sampling.seed,
        constraint,
        reuse,
        sampling.stop,
    )
