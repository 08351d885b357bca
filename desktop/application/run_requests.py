"""What the Runs place needs from the rest of the program, as one protocol. `app.py` hands in what fulfils it.

Everything here blocks and is called on a lane of the task runner, never on the GUI thread, unless a docstring
says that it is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from desktop.foundation.cancel import CancelToken
from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.source import BUILT_IN as BUILT_IN
from desktop.inference.backends.source import ModelSource as ModelSource
from desktop.reports.data import ReportData
from desktop.reports.renderers import Renderer, Renderers
from desktop.runs.events import RunEvent
from desktop.runs.records import RunRecord, RunSummary

if TYPE_CHECKING:
    # Engines, journal and scorers: needed by whoever fulfils the protocol, not by the first picture.
    from desktop.application.try_examples import OnAnswer, TryModel
    from desktop.reports.rejudged import JudgedToday
    from desktop.runs.control import RunControl
    from desktop.runs.journal.reader import JournalReader
    from packs.task.trial import ExampleTrial

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


class RunDesk(Protocol):
    """The services of the Runs place."""

    def open_pack(self, folder: Path) -> PackFacts:
        """Raises AppError when the folder holds no task pack."""

    def choices(self, pack: PackFacts, source: ModelSource = BUILT_IN) -> list[ModelChoice]:
        """Starter first, then what was found there. Raises AppError."""

    def choice_of_file(self, file: Path, pack: PackFacts) -> ModelChoice:
        """A GGUF file that the person dropped or chose. Raises AppError when it is none."""

    def last_request(self, folder: Path) -> RunSelection | None:
        """How this pack was run the last time; None if never."""

    def forecast(self, request: RunSelection) -> Forecast:
        """Cheap enough to ask at every tick of a box, on the io lane."""

    def new_control(self) -> RunControl:
        """Cheap; GUI thread."""

    def run(self, request: RunSelection, control: RunControl, on_event: OnEvent) -> str:
        """Plan and run until the end, on the run lane. Returns the run's id. Raises AppError."""

    def resume(self, run_id: str, control: RunControl, on_event: OnEvent) -> str:
        """The same for what is left of a run."""

    def example_texts(self, run_id: str) -> Mapping[str, tuple[str, str]]:
        """example -> (input, expected value as text), as the run was planned. Raises AppError."""

    def reader(self) -> JournalReader:
        """A read-only connection of its own, to be closed by the caller. Cheap."""

    def report(self, run_id: str) -> ReportData:
        """The result of a run, gathered. Raises AppError."""

    def judged_today(self, run: RunRecord, known: str, cancel: CancelToken) -> JudgedToday | str:
        """The same answers judged by the pack as it is in its folder now; nothing is stored.

        known: fingerprint of the pack by which they were judged last; '' for none. A fingerprint comes
        back when nothing is to be shown anew: `known` itself, or the run's own when the pack judges as it did
        then, or is gone. Raises AppError when the pack cannot be used, Cancelled.
        """

    @property
    def renderers(self) -> Renderers:
        """What `export` can write. Cheap."""

    def default_target(self, report: ReportData, renderer: Renderer) -> Path:
        """Where a report goes unless the person says otherwise. Cheap."""

    def render(self, report: ReportData, request: ExportRequest) -> bytes:
        """What would be written. Raises AppError."""

    def export(self, report: ReportData, request: ExportRequest) -> Path:
        """Write the file; returns where it is. Raises AppError."""

    def remember_unfinished(self, run_id: str) -> None:
        """The window closes while this run goes on. Cheap; never raises."""

    def take_unfinished(self) -> RunSummary | None:
        """A run to be offered for completion: interrupted, or stopped by closing the window. Told once."""

    def set_note(self, run_id: str, note: str) -> None: ...

    def set_pinned(self, run_id: str, pinned: bool) -> None: ...

    def delete(self, run_id: str) -> None:
        """Out of the history; `restore` brings it back."""

    def restore(self, run_id: str) -> None: ...

    def free_deleted(self) -> None:
        """Deleted runs are removed for good, and their room on the disk is given back. Raises AppError."""

    def models_to_try(self) -> list[TryModel]:
        """Models of the built-in engine, for one question from the editor. Raises AppError."""

    def servers_to_try(self, folder: Path) -> list[TryModel]:
        """The same of servers on this computer: those at their usual addresses that answer, and the one that
        this pack ran on the last time. Nothing that would be asked of another computer. Never raises."""

    def models_of(self, source: ModelSource) -> list[TryModel]:
        """The same of one engine or server; on another computer only where `source` allows that.
        Raises AppError."""

    def try_examples(
        self, trial: ExampleTrial, model: TryModel, on_answer: OnAnswer, cancel: CancelToken
    ) -> int:
        """Ask one model these examples, outside of any run; on the run lane. Returns how many were answered."""

    def count_tokens(self, model: Path, prompt: str, cancel: CancelToken) -> int:
        """Tokens of a prompt as the built-in engine would send it to this GGUF file. Raises AppError."""

    def end_counting(self) -> None:
        """Free what `count_tokens` keeps ready. Blocks a moment; never raises."""
