"""One model's part of a run: load, check, warm up, its units, unload. Whatever happens here stays here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from desktop.inference.backends.base import (
    BackendFault,
    FaultKind,
    Generation,
    GenerationProgress,
    GenerationRequest,
    Loaded,
    LoadSettings,
    MemorySample,
    PrimedPrefix,
)
from desktop.inference.machine.probe_processor import default_threads
from desktop.runs.conductor import Conductor
from desktop.runs.events import Activity, CandidateLoaded, MemoryMeasured, Notice, RunEvent, UnitsLeftOut
from desktop.runs.health import health_of, health_request, health_text
from desktop.runs.memory_watch import MemoryWatch
from desktop.runs.records import CandidateStatus, UnitKey
from desktop.runs.repetition import AdaptiveRepetition
from desktop.runs.settings import RunSettings
from desktop.runs.unit_run import CandidateJob, CandidateOver, Tools, UnitRun, over_by
from desktop.runs.work import Work
from packs.errors import AppError
from packs.task.outcome import Cause, Outcome

COLD_PROMPTS = 2
"""So many whole prompts are read from nothing, to tell what it costs, when units start from a shared prefix."""

COLD_ANSWER_TOKENS = 1

PRIME_ATTEMPTS = 2
"""A fault over the shared beginning is tried once more; then every prompt is read whole."""

WARM_UP_TOKENS = 16
"""Enough to have every part of the model in memory; the format's own warm-up is a whole answer."""

UNLOAD_S = 15.0
"""Freeing a model is waited for this long even when the run is being stopped."""


class CandidateRun:
    """Made for one candidate, run once. on_unit: gets each unit that ended and the seconds it took."""

    def __init__(
        self,
        job: CandidateJob,
        work: Work,
        settings: RunSettings,
        tools: Tools,
        conductor: Conductor,
        on_unit: Callable[[UnitKey, float], None],
    ) -> None:
        self._job, self._work, self._settings, self._tools = job, work, settings, tools
        self._conductor, self._on_unit = conductor, on_unit
        self._notes: list[str] = []
        repeats = any(key.repetition > 1 for key in job.keys)
        self._adaptive = AdaptiveRepetition(job.all_examples) if settings.adaptive and repeats else None
        self._left = list(self._adaptive.order(job.keys) if self._adaptive else job.keys)
        self._left.reverse()
        self._unit = UnitRun(job, work, settings, tools, conductor, self.remember)
        self._watch = MemoryWatch(
            tools.backend.memory, self._on_memory, monotonic=tools.monotonic, sleep=tools.sleep
        )

    @property
    def completed(self) -> int:
        """Completed units, of earlier sessions too."""
        return self._unit.completed

    @property
    def peak_mib(self) -> float | None:
        """Of this session."""
        return self._watch.peak_mib

    @property
    def memory_method(self) -> str | None:
        """How memory was measured, in words; None while it was not."""
        return self._watch.method

    def remember(self, key: UnitKey, text: str | None) -> None:
        """An answer, also one of an earlier session, for comparing repetitions."""
        if self._adaptive is not None:
            self._adaptive.note(key, text)

    async def run(self) -> tuple[CandidateStatus, str]:
        """Status and reason. Raises CancelledError when stopped or skipped, AppError when the journal fails.

        Whatever happens the model is unloaded, and peak and memory line are stored.
        """
        status, reason = CandidateStatus.RUNNING, ""
        watch = self._watch
        try:
            async with watch:
                try:
                    status, reason = await self._work_through()
                finally:
                    await finish_anyway(self._tools.backend.unload(), UNLOAD_S)
        finally:
            self._update(
                status,
                reason,
                peak_mib=watch.peak_mib,
                memory_method=watch.method,
                notes=self._notes or None,
                memory_line=watch.line or None,
            )
        return status, reason

    async def _work_through(self) -> tuple[CandidateStatus, str]:
        try:
            await self._make_ready()
            await self._units()
        except CandidateOver as over:
            self._end_the_rest(over.reason)
            status = over.status
            if status is CandidateStatus.FAILED and self.completed:
                status = CandidateStatus.COMPLETED
            return status, over.reason
        if self.completed:
            return CandidateStatus.COMPLETED, ""
        return CandidateStatus.FAILED, "No unit was completed."

    def _end_the_rest(self, reason: str) -> None:
        outcome = Outcome(Cause.NOT_RUN, None, None, f"Not run: {reason}")
        for key in self._tools.writer.end_pending_units(self._job.run_id, self._job.index, outcome):
            self._unit.report_finished(key, outcome, None, None)

    async def _make_ready(self) -> None:
        """Load, check, warm up, read the shared prefix. Raises CandidateOver."""
        try:
            loaded = await self._load()
            self._unit.context_is(loaded.context_tokens, self._work.sampling.context_tokens)
            if self._settings.constrained and not self._tools.backend.capabilities.constraints:
                raise CandidateOver(
                    CandidateStatus.FAILED,
                    "This server cannot limit answers to a form. Run it with free answers.",
                )
            self._unit.exact_count = self._tools.backend.capabilities.exact_token_count
            await self._check_health()
            cold = await self._warm_up()
            await self._prime(cold)
        except BackendFault as fault:
            raise over_by(fault) from fault

    async def _load(self) -> Loaded:
        settings, job = self._settings, self._job
        self._say(f"loading {job.model.name}")
        how = LoadSettings(
            context_tokens=self._work.sampling.context_tokens,
            threads=settings.threads or self._earlier_threads() or default_threads(),
            batch_tokens=settings.batch_tokens,
            kv_cache_type=settings.kv_cache_type,
        )
        loaded, _ = await self._unit.patiently(lambda: self._tools.backend.load(job.model, how))
        if isinstance(loaded, BackendFault):
            raise loaded
        digest = loaded.digest or job.model.digest
        known = job.earlier.digest if job.earlier else None
        if known and digest and digest != known:
            raise AppError(
                f"{job.model.name} is not the model that this run began with: its weights have changed.",
                "Start a new run, or put the former file back and resume.",
                code="drift",
            )
        self._notes = list(loaded.notes)
        self._update(
            CandidateStatus.RUNNING,
            load_ms=loaded.load_ms,
            engine=loaded.engine,
            load_options=loaded.options,
            notes=self._notes,
            digest=digest,
        )
        self._notify(CandidateLoaded(job.index, loaded.load_ms, loaded.notes))
        return loaded

    async def _check_health(self) -> None:
        if not self._settings.health_check:
            return
        self._say("checking that the model starts and stops as it should")
        sampling = self._work.sampling
        answer = await self._ask(health_request(sampling.context_tokens, sampling.seed))
        self._unit.health = health_of(answer)
        message = health_text(self._unit.health)
        if message:
            self._notes.append(message)
            self._notify(Notice("template_suspected", message, self._job.index))

    async def _warm_up(self) -> list[float]:
        """A short answer that is not kept; then, if units will start from a prefix, what cold starts cost (ms).

        An example that is too long or otherwise at fault is told as its own unit, not as the candidate's end.
        """
        if not self._left:
            return []
        self._say("warming up")
        request = self._unit.request(self._left[-1].example, reuse=False)
        try:
            await self._ask(replace(request, max_tokens=min(request.max_tokens, WARM_UP_TOKENS)))
        except BackendFault as fault:
            if fault.kind is not FaultKind.INPUT_TOO_LONG:
                raise
        if self._settings.cold or not self._tools.backend.capabilities.prefix_reuse:
            return []
        cold: list[float] = []
        with contextlib.suppress(BackendFault):
            for example in self._job.all_examples[:COLD_PROMPTS]:
                request = replace(self._unit.request(example, reuse=False), max_tokens=COLD_ANSWER_TOKENS)
                ttft = (await self._ask(request)).timing.ttft_ms
                if ttft is not None:
                    cold.append(ttft)
        return cold

    async def _prime(self, cold: list[float]) -> None:
        """Read once what all prompts of the pack begin with, so that each unit starts from just that state."""
        if self._settings.cold or not self._tools.backend.capabilities.prefix_reuse:
            return
        earlier = self._job.earlier
        if earlier is not None and not earlier.prefix:
            return
        self._say("reading the part that all prompts share")
        prompts = [self._work.prompt(example) for example in self._work.example_ids]
        primed = await self._primed(prompts)
        if earlier is not None and (primed is None or primed.tokens != earlier.prefix.get("tokens")):
            raise CandidateOver(
                CandidateStatus.FAILED,
                "Its first answers started from the part that all prompts share; that could not be restored."
                " Answers of both kinds in one run would mislead: start a new run for this model.",
            )
        if primed is None:
            return
        self._unit.reuse_prefix = True
        self._update(
            CandidateStatus.RUNNING,
            prefix={"tokens": primed.tokens, "prompt_ms": primed.prompt_ms, "method": primed.method},
            cold_ttft_ms=cold,
        )

    async def _primed(self, prompts: list[str]) -> PrimedPrefix | None:
        """None when the backend cannot; a fault is tried once more, then noted. Raises BackendFault."""
        for attempt in range(1, PRIME_ATTEMPTS + 1):
            try:
                return await self._tools.backend.prime(prompts)
            except BackendFault as fault:
                if fault.kind is FaultKind.OUT_OF_MEMORY:
                    raise
                if attempt == PRIME_ATTEMPTS:
                    self._notes.append(
                        f"The part that all prompts share could not be kept, so each prompt was read whole:"
                        f" {fault.message}"
                    )
        return None

    def _earlier_threads(self) -> int | None:
        """Answers depend on the number of threads, so a run that goes on keeps it."""
        found = self._job.earlier.load_options.get("threads") if self._job.earlier else None
        return found if isinstance(found, int) and found > 0 else None

    async def _ask(self, request: GenerationRequest) -> Generation:
        """One answer outside the units, with the same retries. Raises BackendFault."""
        answer, _ = await self._unit.ask(request, _ignore)
        if isinstance(answer, BackendFault):
            raise answer
        return answer

    async def _units(self) -> None:
        """All units that are left, so many at once as asked for. Raises CandidateOver."""
        count = max(1, min(self._settings.parallel, len(self._left)))
        workers = [asyncio.create_task(self._worker()) for _ in range(count)]
        try:
            await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for worker in workers:
                worker.cancel()
            ended = await asyncio.gather(*workers, return_exceptions=True)
        for result in ended:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result

    async def _worker(self) -> None:
        while True:
            await self._conductor.gate()
            if self._adaptive is not None and self._adaptive.identical:
                self._stop_repeating(self._adaptive)
            if not self._left:
                return
            key = self._left.pop()
            began = self._tools.monotonic()
            await self._unit.run(key)
            self._on_unit(key, self._tools.monotonic() - began)

    def _stop_repeating(self, adaptive: AdaptiveRepetition) -> None:
        self._adaptive = None
        if not self._left:
            return
        keys, self._left = self._left, []
        self._tools.writer.drop_pending_units(self._job.run_id, keys)
        self._update(CandidateStatus.RUNNING, repetitions_stopped=adaptive.message)
        self._notify(UnitsLeftOut(self._job.index, len(keys), adaptive.message))

    def _update(self, status: CandidateStatus, reason: str = "", **facts: Any) -> None:
        self._tools.writer.update_candidate(
            self._job.run_id, self._job.index, status=status, reason=reason, **facts
        )

    def _on_memory(self, sample: MemorySample) -> None:
        peak = self._watch.peak_mib or sample.peak_mib
        free = self._tools.surroundings.free_mib()
        self._notify(MemoryMeasured(self._job.index, sample.used_mib, peak, free))

    def _say(self, message: str) -> None:
        self._notify(Activity(self._job.index, message, self._tools.monotonic(), can_skip=True))

    def _notify(self, event: RunEvent) -> None:
        self._tools.notify(event)


def _ignore(progress: GenerationProgress) -> None:
    pass


async def finish_anyway(work: Coroutine[object, object, None], seconds: float) -> None:
    """Run `work` to its end, for so long at most, even when this task is cancelled meanwhile; then say so."""
    task = asyncio.ensure_future(work)
    cancelled = False
    deadline = asyncio.get_running_loop().time() + seconds
    while not task.done():
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            break
        try:
            await asyncio.wait([task], timeout=left)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
    if task.done() and not task.cancelled():
        task.result()
