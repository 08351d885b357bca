"""What the Runs place of the window asks for, done with the services.

Everything here blocks and is called on a lane of the task runner, never on the GUI thread, unless a docstring
says that it is cheap. The window imports it for its types alone: it brings engines, journal and scorers along.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.application.candidate_fit import fit_of
from desktop.application.run_requests import (
    BUILT_IN,
    ExportRequest,
    Forecast,
    ModelChoice,
    ModelSource,
    OnEvent,
    PackFacts,
    RunSelection,
)
from desktop.application.run_tasks import (
    PackProblems,
    Prepared,
    RunRequest,
    execute,
    load_work,
    prepare,
    resume,
)
from desktop.application.services import Services
from desktop.application.try_examples import (
    OnAnswer,
    TryModel,
    models_of,
    models_to_try,
    servers_to_try,
    try_examples,
)
from desktop.foundation.cancel import CancelToken
from desktop.inference.backends.base import ModelRef
from desktop.inference.backends.model_references import model_ref
from desktop.inference.memory_fit.estimator import Estimator
from desktop.inference.memory_fit.verdict import FitVerdict
from desktop.inference.model_files import starter_model
from desktop.reports.data import ReportData
from desktop.reports.failures import as_text
from desktop.reports.gather import examples_of
from desktop.reports.loading import report_data
from desktop.reports.redaction import redacted
from desktop.reports.rejudged import JudgedToday, judge_today
from desktop.reports.renderers import Renderer, Renderers, default_name, write_bytes
from desktop.runs import left_open
from desktop.runs.control import RunControl
from desktop.runs.estimate import TimeRange, planned_range
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.measured_times import measured_range, median_seconds
from desktop.runs.records import RunRecord, RunSummary
from desktop.runs.settings import RunSettings
from packs.errors import AppError
from packs.task.trial import ExampleTrial

if TYPE_CHECKING:
    from desktop.inference.backends.prompt_counter import PromptCounter

_TEXTS = {
    FitVerdict.COMFORTABLE: "comfortable",
    FitVerdict.FITS: "fits",
    FitVerdict.TIGHT: "tight",
    FitVerdict.NO: "does-not-fit",
    FitVerdict.UNKNOWN: "unknown",
}


class RunService:
    """May be used from several threads."""

    def __init__(
        self, services: Services, renderers: Callable[[], Renderers], now: Callable[[], datetime]
    ) -> None:
        self._services = services
        self._make_renderers = renderers
        self._renderers: Renderers | None = None
        self._now = now
        self._lock = threading.Lock()
        self._counter: PromptCounter | None = None

    def open_pack(self, folder: Path) -> PackFacts:
        """Raises AppError when the folder holds no task pack."""
        if not (folder / "task.yaml").exists():
            raise AppError(
                f"There is no task pack in {folder}.", "Choose the folder that holds task.yaml.", code="no_pack"
            )
        try:
            work, _ = load_work(folder)
        except PackProblems as error:
            errors = sum(1 for problem in error.problems if problem.severity.value == "error")
            return PackFacts(folder, folder.name, "", 0, 0, 0, 1, False, errors)
        sampling = work.sampling
        return PackFacts(
            folder,
            work.name,
            work.scorer,
            len(work.example_ids),
            sampling.context_tokens,
            sampling.max_tokens,
            sampling.repetitions,
            work.constraint() is not None,
            0,
        )

    def choices(self, pack: PackFacts, source: ModelSource = BUILT_IN) -> list[ModelChoice]:
        """Starter first, then what was found in the models folder and in the person's own folders; of a server
        what it lists. Raises AppError.
        """
        with self.reader() as reader:
            seconds = median_seconds(reader, pack.folder)
        if not source.built_in:
            backend = self._services.backend(source.kind, source.endpoint, remote_allowed=source.remote_allowed)
            return [
                _served(model, source, seconds.get(model.name)) for model in asyncio.run(backend.list_models())
            ]
        estimator = self._services.estimator()
        models = asyncio.run(self._services.embedded().list_models())
        found = [
            replace(self._choice(model, pack, estimator), seconds_a_unit=seconds.get(model.name))
            for model in models
        ]
        return sorted(found, key=lambda choice: not choice.is_starter)

    def choice_of_file(self, file: Path, pack: PackFacts) -> ModelChoice:
        """A GGUF file that the person dropped or chose. Raises AppError when it is none."""
        from desktop.inference.model_files.gguf import read_gguf

        read_gguf(file)
        return self._choice(model_ref(file), pack, self._services.estimator())

    def _choice(self, model: ModelRef, pack: PackFacts, estimator: Estimator) -> ModelChoice:
        is_starter = model.path is not None and model.path.name == starter_model.FILE_NAME
        if model.unsuitable_because or model.path is None:
            why = model.unsuitable_because or "There is no file of it here."
            return ModelChoice(model, "unknown", why, None, is_starter=is_starter, why_not=why)
        fit = fit_of(model.path, max(1, pack.context_tokens), estimator)
        peak = fit.prediction.peak if fit.prediction else None
        return ModelChoice(model, _TEXTS[fit.verdict], fit.message, peak, is_starter=is_starter)

    def last_request(self, folder: Path) -> RunSelection | None:
        """How this pack was run the last time; None if never, or when its models are gone."""
        with self.reader() as reader:
            newest = next(
                (entry for entry in reader.runs() if Path(entry.pack_folder) == folder.absolute()), None
            )
            if newest is None:
                return None
            try:
                settings = RunSettings.from_json(reader.run(newest.id).settings)
                places = [record.path for record in reader.candidates(newest.id)]
            except AppError:
                return None  # a damaged run says nothing about how to run
        source = ModelSource(newest.backend, settings.endpoint, settings.allow_remote)
        models = tuple(model_ref(Path(place)) for place in places if place and Path(place).is_file())
        if not source.built_in:
            models = tuple(ModelRef(source.kind, name) for name in newest.candidates)
        if not models:
            return None
        return RunSelection(
            folder,
            newest.pack_name,
            models,
            newest.repetitions,
            settings.constrained,
            settings.adaptive,
            settings.cold,
            settings.limit,
            source,
            settings.parallel,
        )

    def forecast(self, request: RunSelection) -> Forecast:
        """What the request will cost; quick enough for every tick of a box, on the io lane. Raises AppError."""
        prepared = self._prepared(request)
        plan, memory = prepared.plan, prepared.machine.memory
        with self.reader() as reader:
            seconds = median_seconds(reader, request.folder)
        units = plan.units_per_candidate
        expected = TimeRange(0.0, 0.0)
        for entry in plan.candidates:
            known = seconds.get(entry.model.name)
            expected += (
                planned_range(units, prepared.work.sampling.max_tokens, entry.assessment.tokens_per_second)
                if known is None
                else measured_range(units, known)
            )
        return Forecast(
            units * len(plan.candidates),
            expected.low_s,
            expected.high_s,
            plan.peak_mib,
            memory.available_mib,
            all(entry.model.name in seconds for entry in plan.candidates),
            tuple((entry.name, entry.reason) for entry in plan.left_out),
        )

    def new_control(self) -> RunControl:
        """Cheap; GUI thread."""
        return RunControl()

    def run(self, request: RunSelection, control: RunControl, on_event: OnEvent) -> str:
        """Plan and run until the end, on the run lane. Returns the run's id. Raises AppError."""
        end = execute(
            self._prepared(request),
            self._services,
            on_event=on_event,
            control=control,
            command="the window",
        )
        return end.run_id

    def resume(self, run_id: str, control: RunControl, on_event: OnEvent) -> str:
        """The same for what is left of a run."""
        end = resume(run_id, self._services, on_event=on_event, control=control, command="the window")
        return end.run_id

    def _prepared(self, request: RunSelection) -> Prepared:
        settings = RunSettings(
            models=tuple(str(model.path or model.name) for model in request.models),
            limit=request.limit,
            repetitions=request.repetitions,
            force=True,
            adaptive=request.adaptive,
            cold=request.cold,
            constrained=request.constrained,
            endpoint=request.source.endpoint,
            allow_remote=request.source.remote_allowed,
            parallel=request.parallel,
        )
        return prepare(RunRequest(request.folder, settings, backend=request.source.kind), self._services)

    def example_texts(self, run_id: str) -> Mapping[str, tuple[str, str]]:
        """example -> (input, expected value as text), as the run was planned. Raises AppError."""
        with self.reader() as reader:
            record = reader.run(run_id)
        return {
            example.id: (example.input, "" if example.expected is None else as_text(example.expected))
            for example in examples_of(record)
        }

    def reader(self) -> JournalReader:
        """A read-only connection of its own, to be closed by the caller. Cheap."""
        return JournalReader(self._services.paths.journal)

    def report(self, run_id: str) -> ReportData:
        """The result of a run, gathered. Raises AppError."""
        return report_data(self._services.paths.journal, run_id, self._now())

    def judged_today(self, run: RunRecord, known: str, cancel: CancelToken) -> JudgedToday | str:
        """The same answers judged by the pack as it is in its folder now; nothing is stored.

        known: fingerprint of the pack by which they were judged last; '' for none. A fingerprint comes
        back when nothing is to be shown anew: `known` itself, or the run's own when the pack judges as it did
        then, or is gone. Raises AppError when the pack cannot be used, Cancelled.
        """
        folder = Path(run.pack_folder)
        if not (folder / "task.yaml").is_file():
            return run.fingerprint
        work, _ = load_work(folder)
        if work.fingerprint in (run.fingerprint, known):
            return work.fingerprint
        created_at = self._now().strftime("%Y-%m-%dT%H:%M:%SZ")
        with self.reader() as reader:
            found = judge_today(reader, run, work, created_at=created_at, cancel=cancel)
        return run.fingerprint if found is None else found

    @property
    def renderers(self) -> Renderers:
        """What `export` can write. Cheap."""
        with self._lock:
            if self._renderers is None:
                self._renderers = self._make_renderers()
            return self._renderers

    def default_target(self, report: ReportData, renderer: Renderer) -> Path:
        """Where a report goes unless the person says otherwise. Cheap."""
        return self._services.paths.documents / default_name(report, renderer)

    def render(self, report: ReportData, request: ExportRequest) -> bytes:
        """What would be written. Raises AppError."""
        shown = redacted(report, with_texts=request.with_texts, hidden_fields=request.hidden_fields)
        return self.renderers[request.format].rendered(shown, with_texts=shown is report)

    def export(self, report: ReportData, request: ExportRequest) -> Path:
        """Write the file; returns where it is. Raises AppError."""
        return write_bytes(self.render(report, request), request.target)

    def remember_unfinished(self, run_id: str) -> None:
        """The window closes while this run goes on. Cheap; never raises."""
        left_open.remember(self._services.paths.data, run_id)

    def take_unfinished(self) -> RunSummary | None:
        """A run to be offered for completion: interrupted, or stopped by closing the window. Told once."""
        with self.reader() as reader:
            return left_open.take(self._services.paths.data, reader)

    def set_note(self, run_id: str, note: str) -> None:
        with self._writer() as writer:
            writer.set_note(run_id, note)

    def set_pinned(self, run_id: str, pinned: bool) -> None:
        with self._writer() as writer:
            writer.set_pinned(run_id, pinned)

    def delete(self, run_id: str) -> None:
        """Out of the history; `restore` brings it back."""
        with self._writer() as writer:
            writer.delete(run_id)

    def restore(self, run_id: str) -> None:
        with self._writer() as writer:
            writer.restore(run_id)

    def free_deleted(self) -> None:
        """Deleted runs are removed for good, and their room on the disk is given back. Raises AppError."""
        with self._writer() as writer:
            writer.free_deleted()

    def models_to_try(self) -> list[TryModel]:
        """Models of the built-in engine, for one question from the editor. Raises AppError."""
        return models_to_try(self._services)

    def servers_to_try(self, folder: Path) -> list[TryModel]:
        """The same of servers on this computer: those at their usual addresses that answer, and the one that
        this pack ran on the last time. Nothing that would be asked of another computer. Never raises."""
        last = self.last_request(folder)
        return servers_to_try(self._services, last.source if last is not None else None)

    def models_of(self, source: ModelSource) -> list[TryModel]:
        """The same of one engine or server; on another computer only where `source` allows that.
        Raises AppError."""
        return models_of(self._services, source)

    def try_examples(
        self, trial: ExampleTrial, model: TryModel, on_answer: OnAnswer, cancel: CancelToken
    ) -> int:
        """Ask one model these examples, outside of any run; on the run lane. Returns how many were answered."""
        return try_examples(trial, model, self._services, on_answer, cancel)

    def count_tokens(self, model: Path, prompt: str, cancel: CancelToken) -> int:
        """Tokens of a prompt as the built-in engine would send it to this GGUF file. Raises AppError."""
        # Brings the client of the engine along: not before it is needed.
        from desktop.inference.backends.prompt_counter import PromptCounter

        with self._lock:
            if self._counter is None:
                self._counter = PromptCounter()
            counter = self._counter
        return counter.count(model, prompt, cancel)

    def end_counting(self) -> None:
        """Free what `count_tokens` keeps ready. Blocks a moment; never raises."""
        if self._counter is not None:
            self._counter.end()

    def _writer(self) -> JournalWriter:
        return JournalWriter(self._services.paths.journal)


def _served(model: ModelRef, source: ModelSource, seconds: float | None) -> ModelChoice:
    """A model of a server: its memory is the server's, and nothing is known of it beforehand."""
    why_not = model.unsuitable_because or ""
    if model.remote and not source.remote_allowed:
        why_not = "It runs on somebody else's computer, and that is not allowed for this run."
    reason = "It runs on somebody else's computer." if model.remote else "Its memory belongs to the server."
    return ModelChoice(model, "unknown", reason, None, seconds, why_not=why_not)
