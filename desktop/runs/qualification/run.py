"""`qualify`: prepare, capture, judge, score, write. Format, section 1 ("Data flow")."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from desktop.foundation.cancel import CancelToken
from desktop.inference.backends.table import chat_apis
from desktop.runs.qualification.capture import capture_all
from desktop.runs.qualification.client import ChatClient, Sleep
from desktop.runs.qualification.discovery import discover
from desktop.runs.qualification.environment import read_environment
from desktop.runs.qualification.events import BundleWritten, CaptureStarted, OnEvent, ScoringBegan, ignore
from desktop.runs.qualification.journal import (
    CAPTURING,
    SCORING,
    SEALED,
    GroupLog,
    Journal,
    JournalState,
)
from desktop.runs.qualification.judge_phase import Judged, ask_judge
from desktop.runs.qualification.preparation import Preparation, ReadEnvironment, prepare, with_model
from desktop.runs.qualification.resume import check_resume, taken_over
from desktop.runs.qualification.runner import runner_name
from desktop.runs.qualification.settings import QualifySettings, stamp
from desktop.runs.qualification.store import write_bundle
from packs.canonical import JsonValue
from packs.qualification.bundle import RenderHtml, RunFacts, bundle_files
from packs.qualification.captures import Capture, Key, scrubbed
from packs.qualification.decision_wording import summary_sentence
from packs.qualification.fingerprint import build, known
from packs.qualification.requests import PlannedRequest, endpoint_host, request_body
from packs.qualification.scoring import ScoredRun, score_run

Now = Callable[[], datetime]


class RunStopped(Exception):
    """The person's wish. What was answered is in the journal."""

    def __init__(self, run_id: str, done: int, total: int) -> None:
        super().__init__(f"stopped with {done} of {total} replies")
        self.run_id = run_id
        self.done = done
        self.total = total


@dataclass(frozen=True, slots=True)
class QualifyResult:
    """folder: of the bundle. failed_requests: how many got no usable reply in the end."""

    run_id: str
    folder: Path
    status: str
    summary: str
    realised_coverage: float
    failed_requests: int
    notes: tuple[str, ...]
    scored: ScoredRun

    @property
    def format_exit_code(self) -> int:
        """0, or 2 when a request failed: the public tool's own exit code (section 25)."""
        return 2 if self.failed_requests else 0


@dataclass(frozen=True, slots=True)
class RunEnvironment:
    """What a run needs from outside; tests put others in. now: UTC."""

    render_html: RenderHtml
    now: Now
    on_event: OnEvent = ignore
    sleep: Sleep = asyncio.sleep
    transport: httpx.AsyncBaseTransport | None = None
    environment: ReadEnvironment = read_environment


def qualify(
    folder: Path, settings: QualifySettings, around: RunEnvironment, cancel: CancelToken | None = None
) -> QualifyResult:
    """The whole run, on the calling thread.

    Raises AppError for what a person can act on, RunStopped when `cancel` was asked for.
    """
    return asyncio.run(_cancellable(folder, settings, around, cancel or CancelToken()))


async def _cancellable(
    folder: Path, settings: QualifySettings, around: RunEnvironment, cancel: CancelToken
) -> QualifyResult:
    loop = asyncio.get_running_loop()
    progress = _Progress()
    task = asyncio.create_task(_Run(folder, settings, around, progress, cancel).run())
    cancel.on_cancel(lambda: _quietly(loop, task))
    try:
        return await task
    except asyncio.CancelledError:
        raise RunStopped(progress.run_id, progress.done, progress.total) from None
    except BaseExceptionGroup as group:
        raise _first_cause(group) from group


def _quietly(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> None:
    """The loop may have ended already when the wish comes."""
    try:
        loop.call_soon_threadsafe(task.cancel)
    except RuntimeError:
        return


def _first_cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    first = group.exceptions[0]
    return _first_cause(first) if isinstance(first, BaseExceptionGroup) else first


@dataclass(slots=True)
class _Progress:
    run_id: str = ""
    done: int = 0
    total: int = 0


class _Run:
    def __init__(
        self,
        folder: Path,
        settings: QualifySettings,
        around: RunEnvironment,
        progress: _Progress,
        cancel: CancelToken,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._around = around
        self._progress = progress
        self._cancel = cancel

    async def run(self) -> QualifyResult:
        around, settings = self._around, self._settings
        started = around.now()
        prepared = prepare(self._folder, settings, started, around.environment)
        self._progress.run_id = prepared.run_id
        found = await discover(settings.endpoint, settings.key, around.transport)
        prepared = with_model(prepared, found, stamp(started))
        fingerprint: Mapping[str, JsonValue] = build(prepared.inputs)
        journal = Journal(settings.output, prepared.run_id)
        done: dict[Key, Capture] = {}
        if settings.resume:
            state, fingerprint = check_resume(journal, prepared, fingerprint)
            done = taken_over(journal, prepared)
        else:
            state = JournalState(prepared.run_id, CAPTURING, stamp(started), 0.0, 0, prepared.context)
            journal.begin(state, fingerprint)
        state = await self._capture(prepared, journal, state, done)
        judged = await ask_judge(
            prepared,
            done.values(),
            journal,
            on_event=around.on_event,
            sleep=around.sleep,
            transport=around.transport,
        )
        around.on_event(ScoringBegan())
        return self._finish(prepared, journal, state, done, dict(fingerprint), judged)

    async def _capture(
        self, prepared: Preparation, journal: Journal, state: JournalState, done: dict[Key, Capture]
    ) -> JournalState:
        """Asks what is missing; returns the state to go on with. The journal's state is right at every end."""
        settings, around, progress = self._settings, self._around, self._progress
        progress.total = len(prepared.planned)
        progress.done = len(done)
        around.on_event(CaptureStarted(prepared.run_id, progress.total, len(done)))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        model = str(prepared.inputs.identifier["value"])
        api = chat_apis()[settings.api]()

        def body(request: PlannedRequest) -> Mapping[str, JsonValue]:
            return request_body(request.case, model, prepared.sampling, prepared.system_prompt)

        state = replace(state, status=CAPTURING)
        try:
            async with (
                GroupLog(journal.captures_file) as log,
                ChatClient(
                    api.url(settings.endpoint, prepared.pack.interface_path),
                    api=api,
                    key=settings.key,
                    guard=settings.guard,
                    timeout_s=settings.timeout_s,
                    max_retries=settings.max_retries,
                    concurrency=settings.concurrency,
                    sleep=around.sleep,
                    transport=around.transport,
                ) as client,
            ):
                await capture_all(
                    prepared.planned,
                    done,
                    client=client,
                    make_body=body,
                    log=log,
                    concurrency=settings.concurrency,
                    on_event=around.on_event,
                    stopped=lambda: self._cancel.cancelled,
                )
                if self._cancel.cancelled:
                    raise asyncio.CancelledError
        finally:
            progress.done = len(done)
            seconds = round(state.capture_seconds + loop.time() - begun, 6)
            complete = len(done) == progress.total
            state = replace(state, capture_seconds=seconds, status=SCORING if complete else CAPTURING)
            journal.write_state(state)
        return state

    def _finish(
        self,
        prepared: Preparation,
        journal: Journal,
        state: JournalState,
        done: Mapping[Key, Capture],
        fingerprint: dict[str, Any],
        judged: Judged,
    ) -> QualifyResult:
        settings, around = self._settings, self._around
        _confirm_model(fingerprint, done)
        scored = score_run(
            prepared.pack,
            done.values(),
            fingerprint,
            seed=prepared.sampling["seed"],
            judged=judged.replies,
            calibrated=judged.calibration,
            strict_scrubbing=settings.strict_scrubbing,
        )
        facts = RunFacts(
            run_id=prepared.run_id,
            started_at=state.started_at,
            completed_at=stamp(around.now()),
            runner=runner_name(),
            operator=settings.operator,
            endpoint_host=endpoint_host(settings.endpoint),
            wall_seconds=state.capture_seconds,
            concurrency=settings.concurrency,
            redaction=prepared.redaction,
            show_sensitive=settings.show_sensitive,
            strict_scrubbing=settings.strict_scrubbing,
            strip_reasoning=prepared.strip_reasoning,
            judge_destination=judged.destination,
            judge_model=judged.model,
            notes=prepared.notes,
        )
        contents = bundle_files(prepared.pack, scored, fingerprint, facts, around.render_html)
        write_bundle(prepared.folder, contents)
        self._seal(journal, state, scored)
        realised = scored.coverage["realised"]
        assert isinstance(realised, int | float)
        around.on_event(
            BundleWritten(prepared.run_id, str(prepared.folder), scored.decision.status, scored.endpoint_errors)
        )
        return QualifyResult(
            run_id=prepared.run_id,
            folder=prepared.folder,
            status=scored.decision.status,
            summary=summary_sentence(scored.decision),
            realised_coverage=realised,
            failed_requests=scored.endpoint_errors,
            notes=(*scored.decision.notes, *prepared.notes),
            scored=scored,
        )

    @staticmethod
    def _seal(journal: Journal, state: JournalState, scored: ScoredRun) -> None:
        """A journal with failed requests waits for their retry; any other is removed (section 28, W22, W23)."""
        if not scored.endpoint_errors:
            journal.remove()
            return
        exclusions = sum(scrubbed(capture).total for capture in scored.captures)
        journal.write_state(replace(state, status=SEALED, secret_exclusions=exclusions))


def _confirm_model(fingerprint: dict[str, Any], done: Mapping[Key, Capture]) -> None:
    """When every reply names exactly the model asked for, it is known by that: format, section 7.5."""
    named = {
        model
        for capture in done.values()
        if capture.response is not None and isinstance(model := capture.response.get("model"), str)
    }
    asked = fingerprint["model"]["identifier"]["value"]
    if named == {asked}:
        fingerprint["model"] = {**fingerprint["model"], "identifier": known(asked, "endpoint response")}
