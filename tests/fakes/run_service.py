"""A scripted service behind the Runs place: real journal, no model. Runs obey the script and the control."""

from __future__ import annotations

import hashlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

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
from desktop.application.run_service import RunService
from desktop.application.services import Services
from desktop.application.try_examples import OnAnswer, TriedAnswer, TryModel
from desktop.foundation.cancel import CancelToken
from desktop.foundation.paths import Paths
from desktop.inference.backends.base import Generation, ModelRef, Timing
from desktop.reports.data import ReportData
from desktop.reports.rejudged import JudgedToday
from desktop.reports.renderers import Renderer, Renderers, standard_renderers
from desktop.runs.control import RunControl
from desktop.runs.events import (
    Activity,
    CandidateFinished,
    CandidateLoaded,
    CandidateStarted,
    MemoryMeasured,
    Paused,
    RunFinished,
    RunStarted,
    TextArrived,
    TimeLeft,
    UnitFinished,
    UnitKey,
    UnitStarted,
)
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import CandidateRecord, CandidateStatus, RunRecord, RunStatus, UnitStatus
from packs.errors import AppError
from packs.registry import Registry
from packs.task.judge import judge
from packs.task.outcome import Cause, NearMiss, Outcome
from packs.task.trial import ExampleTrial
from tests.fakes.run_report import judged_again_by, report_of

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FORMATS = ("html", "md", "json", "csv")
LABELS = ("billing", "delivery", "returns", "visitors", "other")


@dataclass(frozen=True)
class Part:
    """What one unit becomes."""

    cause: Cause = Cause.CORRECT
    text: str | None = None
    near_miss: NearMiss | None = None


@dataclass
class Script:
    """parts: (candidate, example) -> what becomes of it; the rest is correct.

    hold_at: the unit before which the run waits until `Control.release` or another order.
    """

    parts: Mapping[tuple[int, str], Part] = field(default_factory=dict)
    ends: Mapping[int, tuple[str, str, Cause]] = field(default_factory=dict)
    """candidate -> (example at which it ends, reason, cause)."""
    hold_at: tuple[int, str] | None = None
    crash: Exception | None = None
    """Raised in the middle of the run: a fault of ours or an AppError."""
    crash_at: tuple[int, str] | None = None


class Control(RunControl):
    """Each order is noted; `held` tells that the run waits at `hold_at`."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: list[str] = []
        self.held = threading.Event()
        self._changed = threading.Condition()
        self._flags = dict.fromkeys(("stop", "pause", "unit", "candidate", "released"), False)

    def _order(self, name: str, **flags: bool) -> None:
        with self._changed:
            self.orders.append(name)
            self._flags.update(flags)
            self._changed.notify_all()

    def stop(self) -> None:
        self._order("stop", stop=True)

    def pause(self) -> None:
        self._order("pause", pause=True)

    def go_on(self) -> None:
        self._order("go_on", pause=False)

    def skip_unit(self, key: UnitKey | None = None) -> None:
        self._order("skip_unit", unit=True)

    def skip_candidate(self, index: int | None = None) -> None:
        self._order("skip_candidate", candidate=True)

    def release(self) -> None:
        self._order("release", released=True)

    def take(self, flag: str) -> bool:
        with self._changed:
            value = self._flags[flag]
            if flag in ("unit", "candidate"):
                self._flags[flag] = False
            return value

    def hold(self, on_pause: Callable[[bool], None]) -> None:
        """Until released, stopped or skipped; pausing is told and waited out."""
        self.held.set()
        reported = False
        ends = ("released", "stop", "unit", "candidate")
        with self._changed:
            while self._flags["pause"] or not any(self._flags[flag] for flag in ends):
                if self._flags["stop"]:
                    return
                if self._flags["pause"] != reported:
                    reported = self._flags["pause"]
                    on_pause(reported)
                self._changed.wait(10)
        if reported:
            on_pause(False)


def model(name: str, quantization: str = "Q8_0", size: int = 400_000_000) -> ModelRef:
    return ModelRef("embedded", name, Path("/models") / f"{name}.gguf", None, size, quantization, "135M")


class ScriptedRunService(RunService):
    """The real one over a journal in `folder`; what asks a machine, an engine or a pack on disk is scripted."""

    def __init__(self, folder: Path, script: Script | None = None, examples: int = 6) -> None:
        paths = Paths(folder, folder / "config", folder / "cache", folder / "logs", folder)
        super().__init__(Services(paths, {}), standard_renderers, lambda: NOW)
        self.journal = paths.journal
        self.script = script or Script()
        self.example_ids = tuple(f"{number:03}" for number in range(1, examples + 1))
        self.controls: list[Control] = []
        self.exported: list[ExportRequest] = []
        self.models = [model("SmolLM2-135M"), model("gemma-3-270m"), model("SmolLM2-360M")]
        self.problems = 0
        self.last: RunSelection | None = None
        self.corrected: dict[str, str] = {}
        """example -> the expected value that its pack has by now."""
        self.try_answer = "billing"
        self.sources: list[ModelSource] = []
        self.served: list[TryModel] = []
        self.tried: list[TryModel] = []
        self.counted: list[tuple[str, str]] = []
        self.uncountable: set[str] = set()
        self.counting_ended = 0
        self._numbers = itertools.count(1)

    def models_to_try(self) -> list[TryModel]:
        return [TryModel(entry) for entry in self.models]

    def servers_to_try(self, folder: Path) -> list[TryModel]:
        return self.served

    def models_of(self, source: ModelSource) -> list[TryModel]:
        self.sources.append(source)
        if source.endpoint == "http://127.0.0.1:9":
            raise AppError("Nothing answers at http://127.0.0.1:9.", "Start the server.", code="no_server")
        if source.host and not source.remote_allowed:
            raise AppError(f"{source.host} is not this computer.", "Allow other computers.", code="remote")
        return [TryModel(ModelRef(source.kind, "far-model", remote=bool(source.host)), source, source.message)]

    def count_tokens(self, model: Path, prompt: str, cancel: CancelToken) -> int:
        """A token a word; `uncountable` names the files that cannot tell."""
        self.counted.append((model.stem, prompt))
        if model.stem in self.uncountable:
            raise AppError(f"The vocabulary of {model.name} cannot be read.", code="no_vocabulary")
        return len(prompt.split())

    def end_counting(self) -> None:
        self.counting_ended += 1

    def try_examples(
        self, trial: ExampleTrial, model: TryModel, on_answer: OnAnswer, cancel: CancelToken
    ) -> int:
        """Every example is answered with `try_answer`."""
        self.tried.append(model)
        for example in trial.pack.examples:
            cancel.raise_if_cancelled()
            known = example.id not in trial.unknown
            outcome = judge(trial.pack.scoring, example.expected, self.try_answer) if known else None
            on_answer(TriedAnswer(example.id, self.try_answer, "", outcome, 42, 100.0))
        return len(trial.pack.examples)

    def expected(self, example: str) -> str:
        return LABELS[int(example) % len(LABELS)]

    def open_pack(self, folder: Path) -> PackFacts:
        if folder.name == "nothing":
            raise AppError("This folder holds no pack.", "Choose the folder with task.yaml.", code="no_pack")
        return PackFacts(
            folder, folder.name, "exact-label", len(self.example_ids), 4096, 64, 1, True, self.problems
        )

    def choices(self, pack: PackFacts, source: ModelSource = BUILT_IN) -> list[ModelChoice]:
        self.sources.append(source)
        if source.kind != "embedded":
            if source.endpoint == "http://127.0.0.1:9":
                raise AppError("Nothing answers at http://127.0.0.1:9.", "Start the server.", code="no_server")
            return [
                ModelChoice(ModelRef(source.kind, "qwen3:4b"), "unknown", "Its memory is the server's.", None)
            ]
        return [
            ModelChoice(entry, "fits", "Fits: needs 0.5 GiB, 9.1 are free now.", 500.0, 0.4, number == 0)
            for number, entry in enumerate(self.models)
        ]

    def choice_of_file(self, file: Path, pack: PackFacts) -> ModelChoice:
        if file.suffix != ".gguf":
            raise AppError(f"{file.name} is no GGUF file.", "Choose a file that ends in .gguf.", code="no_gguf")
        return ModelChoice(model(file.stem), "unknown", "The fit is not known.", None)

    def last_request(self, folder: Path) -> RunSelection | None:
        return self.last if self.last is not None and self.last.folder == folder else None

    def forecast(self, request: RunSelection) -> Forecast:
        units = len(request.models) * len(self.example_ids) * request.repetitions
        return Forecast(units, units * 0.5, units * 2.0, 500.0, 9_300.0, True)

    def new_control(self) -> Control:
        self.controls.append(Control())
        return self.controls[-1]

    def report(self, run_id: str) -> ReportData:
        with self.reader() as reader:
            return report_of(reader, run_id)

    def judged_today(self, run: RunRecord, known: str, cancel: CancelToken) -> JudgedToday | str:
        """As `corrected` says: examples whose expected value is another one by now."""
        if not self.corrected:
            return run.fingerprint
        with self.reader() as reader:
            fingerprint = hashlib.sha256(repr(sorted(self.corrected.items())).encode()).hexdigest()
            if fingerprint == known:
                return known
            return judged_again_by(reader, run.id, self.corrected, fingerprint)

    @property
    def renderers(self) -> Renderers:
        return Registry(
            "report format",
            [
                (name, Renderer(name, f".{name}", f"As {name}", _name, preview=_preview_of(name)))
                for name in FORMATS
            ],
        )

    def default_target(self, report: ReportData, renderer: Renderer) -> Path:
        return self.journal.parent / f"report{renderer.suffix}"

    def render(self, report: ReportData, request: ExportRequest) -> bytes:
        texts = "with" if request.with_texts else "without"
        return f"First page as {request.format}, {texts} texts".encode()

    def export(self, report: ReportData, request: ExportRequest) -> Path:
        if request.target.parent.name == "forbidden":
            raise PermissionError(13, "Permission denied", str(request.target))
        request.target.write_bytes(self.render(report, request))
        self.exported.append(request)
        return request.target

    def run(self, request: RunSelection, control: Control, on_event: OnEvent) -> str:  # type: ignore[override]
        run_id = f"run-{next(self._numbers)}"
        self.last = request
        keys = [
            (place, UnitKey(candidate, example, repetition))
            for candidate in range(len(request.models))
            for repetition in range(1, request.repetitions + 1)
            for place, example in enumerate(self.example_ids)
        ]
        with self._writing() as writer:
            writer.add_run(
                self._run_record(run_id, request),
                [_candidate_record(run_id, place, entry) for place, entry in enumerate(request.models)],
                keys,
                examples=len(self.example_ids),
                repetitions=request.repetitions,
            )
            names = tuple(entry.name for entry in request.models)
            on_event(RunStarted(run_id, len(keys), names, self.example_ids, request.repetitions))
            return self._go(run_id, [key for _, key in keys], names, writer, control, on_event)

    def resume(self, run_id: str, control: Control, on_event: OnEvent) -> str:  # type: ignore[override]
        with self.reader() as reader:
            summary = reader.summary(run_id)
            keys = [key for place in range(len(summary.candidates)) for key in reader.pending(run_id, place)]
        with self._writing() as writer:
            on_event(
                RunStarted(
                    run_id,
                    summary.units,
                    summary.candidates,
                    self.example_ids,
                    summary.repetitions,
                    summary.units - len(keys),
                )
            )
            return self._go(run_id, keys, summary.candidates, writer, control, on_event)

    def _go(
        self,
        run_id: str,
        keys: list[UnitKey],
        names: tuple[str, ...],
        writer: JournalWriter,
        control: Control,
        on_event: OnEvent,
    ) -> str:
        done = 0
        for candidate, of_candidate in itertools.groupby(keys, key=lambda key: key.candidate):
            on_event(CandidateStarted(candidate))
            on_event(Activity(candidate, f"loading {names[candidate]}", time.monotonic()))
            on_event(CandidateLoaded(candidate, 4_100.0, ()))
            on_event(MemoryMeasured(candidate, 380.0, 390.0 + candidate * 100, 9_000.0))
            status, reason = CandidateStatus.COMPLETED, ""
            ending: Cause | None = None
            for key in of_candidate:
                if ending is not None:
                    self._finish(run_id, key, Part(Cause.NOT_RUN), writer, on_event)
                    continue
                on_event(UnitStarted(key, 142))
                on_event(
                    Activity(candidate, f"{names[candidate]} is writing {key.example}", time.monotonic(), True)
                )
                if self.script.hold_at == (key.candidate, key.example):
                    on_event(TextArrived(key, "The letter is about ret"))
                    control.hold(lambda paused: on_event(Paused(paused)))
                if self.script.crash is not None and self.script.crash_at == (key.candidate, key.example):
                    raise self.script.crash
                if control.take("stop"):
                    writer.update_run(
                        run_id, status=RunStatus.STOPPED, message="Stopped by you.", finished=True
                    )
                    on_event(RunFinished(run_id, "stopped", "Stopped by you."))
                    return run_id
                if control.take("candidate"):
                    status, reason, ending = CandidateStatus.SKIPPED, "Skipped by you.", Cause.CANCELLED
                    self._finish(run_id, key, Part(Cause.CANCELLED), writer, on_event)
                    continue
                if control.take("unit"):
                    self._finish(run_id, key, Part(Cause.CANCELLED), writer, on_event)
                    continue
                end = self.script.ends.get(candidate)
                if end is not None and end[0] == key.example:
                    ending, reason = end[2], end[1]
                    status = CandidateStatus.OOM if ending is Cause.OUT_OF_MEMORY else CandidateStatus.FAILED
                    self._finish(run_id, key, Part(ending), writer, on_event)
                    continue
                part = self.script.parts.get((candidate, key.example), Part())
                self._finish(run_id, key, part, writer, on_event)
                done += 1
                on_event(TimeLeft(done * 0.5, 2.0, 5.0, done, len(keys)))
            writer.update_candidate(
                run_id, candidate, status=status, reason=reason, peak_mib=400.0 + candidate * 100
            )
            on_event(CandidateFinished(candidate, status.value, reason, 400.0 + candidate * 100))
        writer.update_run(run_id, status=RunStatus.FINISHED, message="Finished.", finished=True)
        on_event(RunFinished(run_id, "finished", "Finished."))
        return run_id

    def _finish(self, run_id: str, key: UnitKey, part: Part, writer: JournalWriter, on_event: OnEvent) -> None:
        expected = self.expected(key.example)
        answered = part.cause.kind.value in ("answered", "stopped_early")
        right = part.cause is Cause.CORRECT
        text = part.text if part.text is not None else (expected if right else "other")
        score = float(right) if answered else None
        outcome = Outcome(
            part.cause,
            score,
            right if answered else None,
            f"The answer is {part.cause.message}.",
            score,
            right if answered else None,
            (part.near_miss,) if part.near_miss else (),
            text,
            detail={"resolved": expected if right else None},
        )
        generation = (
            Generation(text, "", "stop", Timing(140.0, 300.0, 94.0, 142, 0, 3, source="engine"), {"seed": 42})
            if answered
            else None
        )
        status = (
            UnitStatus.COMPLETED
            if answered
            else UnitStatus.SKIPPED
            if part.cause in (Cause.NOT_RUN, Cause.CANCELLED)
            else UnitStatus.FAILED
        )
        writer.finish_unit(run_id, key, status=status, outcome=outcome, generation=generation)
        if answered:
            on_event(TextArrived(key, text))
        on_event(
            UnitFinished(
                key,
                part.cause,
                score,
                outcome.passed,
                140.0 if answered else None,
                94.0 if answered else None,
                False,
            )
        )

    def _run_record(self, run_id: str, request: RunSelection) -> RunRecord:
        examples = [
            {
                "id": example,
                "input": f"Letter {example}: where should it go?",
                "expected": self.expected(example),
            }
            for example in self.example_ids
        ]
        return RunRecord(
            run_id,
            "2026-11-30T10:00:00Z",
            None,
            request.pack_name,
            str(request.folder),
            "classification",
            "exact-label",
            "f" * 64,
            {"name": request.pack_name, "examples": examples, "prompt": "{{input}}"},
            "embedded",
            "llama.cpp b1",
            {},
            "of the engine's own process",
            None,
            {"repetitions": request.repetitions},
        )

    @contextmanager
    def _writing(self) -> Iterator[JournalWriter]:
        with JournalWriter(self.journal) as writer:
            yield writer


def _preview_of(name: str) -> Callable[[ReportData], bytes] | None:
    """A page is drawn instead."""
    return None if name == "html" else lambda data: f"First page as {name}".encode()


def _name(report: ReportData) -> bytes:
    return report.pack.name.encode()


def _candidate_record(run_id: str, place: int, entry: ModelRef) -> CandidateRecord:
    return CandidateRecord(
        run_id,
        place,
        entry.name,
        entry.digest,
        entry.quantization,
        entry.parameter_count,
        entry.size_bytes,
        str(entry.path),
        CandidateStatus.WAITING,
        "",
        "fits",
        500.0,
        {},
        None,
        None,
        None,
        None,
    )
