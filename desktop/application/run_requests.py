"""What the Runs place asks `RunService` for, and what it is answered with, as plain records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.source import BUILT_IN as BUILT_IN
from desktop.inference.backends.source import ModelSource as ModelSource
from desktop.runs.events import RunEvent

OnEvent = Callable[[RunEvent], None]


@dataclass(frozen=True, slots=True)
class PackFacts:
    """A pack that is to be run. Tokens; answer_limits: can answers be held to labels, schema or number?"""

    folder: Path
    name: str
    scorer: str
    examples: int
    context_tokens: int
    max_tokens: int
    repetitions: int
    can_constrain: bool
    errors: int
    """Problems that keep it from running; 0 when it can run."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """One model that may be a candidate. verdict: 'comfortable', 'fits', 'tight', 'does-not-fit', 'unknown'.

    reason: the verdict in a sentence with its numbers. seconds_a_unit: measured here earlier, None if never.
    """

    model: ModelRef
    verdict: str
    reason: str
    predicted_mib: float | None
    seconds_a_unit: float | None = None
    is_starter: bool = False
    why_not: str = ""
    """Why it cannot be a candidate at all (an embedding model, a broken file); empty when it can."""


@dataclass(frozen=True, slots=True)
class RunSelection:
    """What the person asked for. models: in the order chosen; those that do not fit are forced.

    limit: at most so many examples, spread over the labels; None: all. cold: read every prompt from nothing.
    parallel: answers asked for at once, from 1; more than one only of servers that batch.
    """

    folder: Path
    pack_name: str
    models: tuple[ModelRef, ...]
    repetitions: int = 1
    constrained: bool = False
    adaptive: bool = True
    cold: bool = False
    limit: int | None = None
    source: ModelSource = BUILT_IN
    parallel: int = 1

    @property
    def sent_to(self) -> str:
        """Who examples will be sent to; empty when all stays in this program."""
        remote = [model.name for model in self.models if model.remote]
        if remote and not self.source.host:
            return f"the computer that runs {remote[0]}"
        return self.source.receiver


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a wish will cost, seconds and MiB. measured: by what ran here before, else by rule of thumb."""

    units: int
    low_s: float
    high_s: float
    memory_mib: float | None
    free_mib: float | None
    measured: bool
    left_out: tuple[tuple[str, str], ...] = ()
    """(name, why)."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """One file wanted. format: a renderer's name. with_texts: inputs, expected values and answers too.

    hidden_fields: fields of expected values and answers that are to be left out.
    """

    format: str
    target: Path
    with_texts: bool = True
    hidden_fields: tuple[str, ...] = ()
