"""Asking one unit: send, wait, ask again where that helps, judge, store, tell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from desktop.inference.backends.base import (
    Backend,
    BackendFault,
    FaultKind,
    Generation,
    GenerationProgress,
    GenerationRequest,
    ModelRef,
)
from desktop.inference.backends.retry import TASK_RUN, ask_patiently
from desktop.runs.canary import InputCanary, cannot_be_cut
from desktop.runs.conductor import Conductor
from desktop.runs.events import Activity, RunEvent, TextArrived, UnitFinished, UnitStarted
from desktop.runs.failures import IN_A_ROW, failed, meaning, own_text, reason_of, refusal_of
from desktop.runs.health import Health, with_suspicion
from desktop.runs.journal.storable import storable_text
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.records import CandidateRecord, CandidateStatus, UnitKey, UnitStatus
from desktop.runs.settings import RunSettings
from desktop.runs.strict import strictly
from desktop.runs.surroundings import Surroundings
from desktop.runs.work import Work, request_of
from packs.task.judge import failure_outcome
from packs.task.outcome import Cause, Outcome

T = TypeVar("T")

REPORTED_AFTER_S = 1.0
"""A server that says nothing for so long is told to be waited for."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with. `tell` gets every event; time and sleep are handed in."""

    backend: Backend
    writer: JournalWriter
    notify: Callable[[RunEvent], None]
    monotonic: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    surroundings: Surroundings


@dataclass(frozen=True, slots=True)
class CandidateJob:
    """keys: units still to be run, in order. earlier: as an earlier session left it, when that one has
    completed units: what is added now must come about in the same way."""

    run_id: str
    index: int
    model: ModelRef
    keys: tuple[UnitKey, ...]
    completed_before: int
    earlier: CandidateRecord | None
    all_examples: tuple[str, ...]


class CandidateOver(Exception):
    """Nothing more will come of this candidate."""

    def __init__(self, status: CandidateStatus, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def over_by(fault: BackendFault) -> CandidateOver:
    """The candidate's end by a fault that nothing can come after."""
    oom = fault.kind is FaultKind.OUT_OF_MEMORY
    return CandidateOver(CandidateStatus.OOM if oom else CandidateStatus.FAILED, reason_of(fault))


class UnitRun:
    """All units of one candidate pass through here.

    Set after loading: `health`, `context_tokens` (with its canary), `exact_count`, `reuse_prefix`.
    on_answer: gets every unit's text, None when no answer came.
    """

    def __init__(
        self,
        job: CandidateJob,
        work: Work,
        settings: RunSettings,
        tools: Tools,
        conductor: Conductor,
        on_answer: Callable[[UnitKey, str | None], None],
    ) -> None:
        self._job, self._work, self._tools, self._conductor = job, work, tools, conductor
        self._on_answer = on_answer
        self._constraint = work.constraint() if settings.constrained else None
        self._strict = settings.strict
        self._counts: dict[str, int | None] = {}
        self._in_a_row = 0
        self._canary = InputCanary(None)
        self._context: int | None = None
        self.completed = job.completed_before
        self.health = Health.SOUND
        self.exact_count = False
        self.reuse_prefix = False

    def context_is(self, loaded: int | None, wanted: int) -> None:
        """loaded: as the backend says, in tokens; None when it does not, and what was wanted is supposed."""
        self._context = loaded or wanted
        self._canary = InputCanary(self._context, loaded=loaded)

    def request(self, example: str, *, reuse: bool) -> GenerationRequest:
        """What is sent for an example."""
        return request_of(self._work, example, self._constraint, reuse=reuse)

    async def run(self, key: UnitKey) -> None:
        """The unit has ended and is stored when this returns. Raises CandidateOver."""
        task = asyncio.create_task(self._answer(key))
        self._conductor.unit_begins(key, task)
        try:
            await task
        except asyncio.CancelledError:
            present = asyncio.current_task()
            if not self._conductor.was_skipped(key) or (present is not None and present.cancelling()):
                raise
            outcome = Outcome(Cause.CANCELLED, None, None, "Skipped by you.")
            self._tools.writer.finish_unit(self._job.run_id, key, status=UnitStatus.SKIPPED, outcome=outcome)
            self._on_answer(key, None)
            self.report_finished(key, outcome, None, None)
        finally:
            self._conductor.unit_ends(key)

    async def ask(
        self, request: GenerationRequest, on_progress: Callable[[GenerationProgress], None]
    ) -> tuple[Generation | BackendFault, int]:
        """An answer or the fault that remained, and how many attempts it took."""
        return await self.patiently(lambda: self._tools.backend.generate(request, on_progress))

    async def patiently(self, act: Callable[[], Awaitable[T]]) -> tuple[T | BackendFault, int]:
        """What `act` gives or the fault that remained, and how many attempts it took: a transport fault is
        tried again after a wait that is told."""

        async def attempt() -> T | BackendFault:
            try:
                return await act()
            except BackendFault as fault:
                return fault

        def on_wait(seconds: float, reason: str) -> None:
            message = f"waiting {seconds:.0f} s to ask again: {reason}"
            self._notify(Activity(self._job.index, message, self._tools.monotonic(), can_skip=True))

        return await ask_patiently(attempt, refusal_of, TASK_RUN, self._tools.sleep, on_wait)

    async def _answer(self, key: UnitKey) -> None:
        request = self.request(key.example, reuse=self.reuse_prefix)
        counted = await self._count(key.example, request)
        self._notify(UnitStarted(key, counted))
        began = self._tools.monotonic()
        waiting = Activity(key.candidate, "waiting for the server", began, can_skip=True)
        silence = asyncio.get_running_loop().call_later(REPORTED_AFTER_S, self._notify, waiting)

        def on_progress(progress: GenerationProgress) -> None:
            silence.cancel()
            if progress.text:
                self._notify(TextArrived(key, progress.text))
            if progress.reasoning:
                self._notify(TextArrived(key, progress.reasoning, is_reasoning=True))
            if progress.prompt_total and not progress.text:
                read = f"{progress.prompt_done or 0:,} of {progress.prompt_total:,} tokens"
                self._notify(Activity(key.candidate, f"reading the prompt, {read}", began, can_skip=True))

        try:
            answer, attempts = await self.ask(request, on_progress)
        finally:
            silence.cancel()
        if isinstance(answer, BackendFault):
            self._store_fault(key, answer, attempts)
        else:
            self._store_answer(key, request, answer, counted, attempts)

    def _store_answer(
        self, key: UnitKey, request: GenerationRequest, answer: Generation, counted: int | None, attempts: int
    ) -> None:
        answer = replace(answer, text=storable_text(answer.text), reasoning=storable_text(answer.reasoning))
        outcome = self._work.judge(key.example, answer)
        outcome = with_suspicion(strictly(outcome) if self._strict else outcome, answer, self.health)
        if not cannot_be_cut(request.prompt, request.max_tokens, self._context):
            cut = self._canary.cut(request.prompt, answer.timing.prompt_tokens, counted)
            if cut:
                outcome = failure_outcome(Cause.INPUT_CUT, cut)
        cached = answer.timing.cached_tokens
        cold = None if cached is None else cached == 0
        self._tools.writer.finish_unit(
            self._job.run_id,
            key,
            status=UnitStatus.COMPLETED,
            outcome=outcome,
            generation=answer,
            attempts=attempts,
            cold=cold,
            retried=attempts > 1,
        )
        self.completed += 1
        self._in_a_row = 0
        self._on_answer(key, answer.text)
        self.report_finished(key, outcome, answer, cold)

    def _store_fault(self, key: UnitKey, fault: BackendFault, attempts: int) -> None:
        outcome = failed(fault)
        self._tools.writer.finish_unit(
            self._job.run_id,
            key,
            status=UnitStatus.FAILED,
            outcome=outcome,
            failure=own_text(fault),
            attempts=attempts,
            retried=attempts > 1,
        )
        self._on_answer(key, None)
        self.report_finished(key, outcome, None, None)
        if meaning(fault).ends_candidate:
            raise over_by(fault)
        counts = outcome.cause in IN_A_ROW and not meaning(fault).server_works
        self._in_a_row = self._in_a_row + 1 if counts else 0
        if counts and self._in_a_row >= IN_A_ROW[outcome.cause]:
            raise CandidateOver(
                CandidateStatus.FAILED,
                f"{self._in_a_row} units in a row got no answer. The last one: {reason_of(fault)}",
            )

    async def _count(self, example: str, request: GenerationRequest) -> int | None:
        """The backend's exact count of a prompt that may be too long for the context; else None."""
        if not self.exact_count or cannot_be_cut(request.prompt, request.max_tokens, self._context):
            return None
        if example not in self._counts:
            try:
                self._counts[example] = await self._tools.backend.count_tokens(request.prompt)
            except BackendFault:
                self._counts[example] = None
        return self._counts[example]

    def report_finished(
        self, key: UnitKey, outcome: Outcome, answer: Generation | None, cold: bool | None
    ) -> None:
        """Only after it was stored."""
        timing = answer.timing if answer else None
        self._notify(
            UnitFinished(
                key,
                outcome.cause,
                outcome.score,
                outcome.passed,
                timing.ttft_ms if timing else None,
                timing.tokens_per_second if timing else None,
                cold,
            )
        )

    def _notify(self, event: RunEvent) -> None:
        self._tools.notify(event)
