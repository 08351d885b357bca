"""A run from plan to result: one candidate at a time, every unit journalled as it ends, events as it goes.

Started in the run lane by `run_plan` or, for a run that was interrupted, by `desktop.runs.resume`. One
candidate's fate never stops the others; only the person, a full disk or a fault of ours ends a run early.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from dataclasses import dataclass

from desktop.inference.backends.base import ModelRef
from desktop.runs.after_candidate import let_memory_settle
from desktop.runs.candidate_run import CandidateRun
from desktop.runs.conductor import Conductor
from desktop.runs.estimate import remaining_range
from desktop.runs.events import (
    Activity,
    CandidateFinished,
    CandidateStarted,
    Notice,
    RunEvent,
    RunFinished,
    RunStarted,
    TimeLeft,
    UnitFinished,
)
from desktop.runs.journal import run_lock
from desktop.runs.journal.connection import days_before
from desktop.runs.journal.reader import JournalReader
from desktop.runs.journal.writer import JournalWriter
from desktop.runs.new_records import candidate_record, offload_facts, run_record
from desktop.runs.notices import LOOK_EVERY_S, Surrounding
from desktop.runs.offload import suspects
from desktop.runs.plan import RunPlan
from desktop.runs.records import (
    DELETED_KEPT_DAYS,
    SKIPPED_BY_YOU,
    CandidateRecord,
    CandidateStatus,
    RunStatus,
    UnitKey,
    UnitStatus,
)
from desktop.runs.resolve_settings import settled
from desktop.runs.settings import RunSettings
from desktop.runs.setup import RunSetup
from desktop.runs.unit_run import CandidateJob, Tools
from desktop.runs.work import Work
from packs.errors import AppError
from packs.task.outcome import Cause, Outcome

log = logging.getLogger(__name__)

TIME_LEFT_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class RunEnd:
    """status: FINISHED or STOPPED. message: how it ended, a sentence."""

    run_id: str
    status: RunStatus
    message: str


def run_plan(work: Work, plan: RunPlan, settings: RunSettings, setup: RunSetup) -> RunEnd:
    """Journal the plan and run it to its end. Blocks; for the run lane.

    Raises AppError when another run is going on or the journal cannot be written; what is finished is kept.
    """
    return asyncio.run(start(work, plan, settings, setup))


async def start(work: Work, plan: RunPlan, settings: RunSettings, setup: RunSetup) -> RunEnd:
    """The same on a loop that runs already."""
    settings = settled(settings, work, setup.backend.name)
    run_id = secrets.token_hex(8)
    version = setup.info.version if setup.info else await setup.backend.version()
    with JournalWriter(setup.journal, now=setup.now) as writer:
        run_lock.acquire(writer.connection, writer.path, command=setup.command, run_id=run_id, now=setup.now)
        try:
            record = run_record(run_id, work, plan, settings, setup, version)
            candidates = [candidate_record(run_id, index, entry) for index, entry in enumerate(plan.candidates)]
            units = [
                (position, UnitKey(index, example, repetition))
                for index in range(len(candidates))
                for repetition in range(1, plan.repetitions + 1)
                for position, example in enumerate(plan.examples)
            ]
            writer.purge(days_before(setup.now(), DELETED_KEPT_DAYS))
            writer.add_run(record, candidates, units, examples=len(plan.examples), repetitions=plan.repetitions)
            models = {index: entry.model for index, entry in enumerate(plan.candidates)}
            return await Session(run_id, work, settings, setup, writer, models).run()
        finally:
            run_lock.release(writer.connection, writer.path)


class Session:
    """One sitting of a run: all its pending units, until they are done or somebody stops it.

    models: by position of the candidate; those with pending units must be there.
    """

    def __init__(
        self,
        run_id: str,
        work: Work,
        settings: RunSettings,
        setup: RunSetup,
        writer: JournalWriter,
        models: dict[int, ModelRef],
    ) -> None:
        self._run_id, self._work, self._settings, self._setup = run_id, work, settings, setup
        self._writer, self._models = writer, models
        self._conductor = Conductor(self._notify, setup.monotonic, paused=setup.control.paused)
        self._surrounding = Surrounding(setup.surroundings)
        self._looked = setup.monotonic()
        self._began = setup.monotonic()
        self._seconds: list[float] = []
        self._units_left: dict[int, int] = {}
        self._done = self._total = 0
        self._last_reported = float("-inf")
        self._present = 0
        self._memory_method: str | None = None

    async def run(self) -> RunEnd:
        """Raises AppError when the journal fails or the model has changed, after everything was freed."""
        main = asyncio.current_task()
        assert main is not None
        self._conductor.run_begins(main)
        self._setup.control.listen(asyncio.get_running_loop(), self._conductor.on_request)
        try:
            if self._setup.control.stopped:
                self._conductor.stopping = True
                raise asyncio.CancelledError
            await self._all_candidates()
            return self._end(RunStatus.FINISHED, self._closing_text())
        except asyncio.CancelledError:
            end = self._end(RunStatus.STOPPED, "Stopped. Everything finished is kept; the run can be resumed.")
            if not self._conductor.stopping:
                raise
            main.uncancel()
            return end
        except BaseException as error:
            with contextlib.suppress(AppError):
                self._end(RunStatus.FAILED, error.message if isinstance(error, AppError) else str(error))
            raise
        finally:
            self._setup.control.deaf()

    async def _all_candidates(self) -> None:
        setup, writer = self._setup, self._writer
        with JournalReader(writer.path) as reader:
            summary = reader.summary(self._run_id)
            records = reader.candidates(self._run_id)
            pending = {record.index: tuple(reader.pending(self._run_id, record.index)) for record in records}
            rows = reader.units(self._run_id)
            completed = {record.index: 0 for record in records}
            for row in rows:
                completed[row.candidate] += row.status is UnitStatus.COMPLETED
            examples = tuple(dict.fromkeys(row.example for row in rows))
            earlier = self._earlier_answers(reader) if summary.completed else {}
        self._total, self._done = summary.units, summary.units - summary.pending
        self._units_left = {index: len(keys) for index, keys in pending.items()}
        writer.update_run(self._run_id, status=RunStatus.RUNNING)
        self._notify(
            RunStarted(
                self._run_id,
                self._total,
                summary.candidates,
                examples,
                summary.repetitions,
                units_done=self._done,
            )
        )
        if writer.kept_aside is not None:
            self._notice(
                "journal_kept_aside",
                f"The journal of earlier runs was damaged. It is kept as {writer.kept_aside.name}; a new one"
                f" was begun. Runs recovered from it: {writer.recovered}.",
            )
        todo = [
            record for record in records if pending[record.index] and record.status is not CandidateStatus.OOM
        ]
        for number, record in enumerate(todo):
            job = CandidateJob(
                self._run_id,
                record.index,
                self._models[record.index],
                pending[record.index],
                completed[record.index],
                record if completed[record.index] else None,
                examples,
            )
            await self._conductor.gate()
            baseline = setup.surroundings.used_mib()
            await self._one_candidate(job, earlier)
            if number + 1 < len(todo):
                await self._rest(record, baseline)
        self._look_for_offload()

    def _earlier_answers(self, reader: JournalReader) -> dict[UnitKey, str]:
        if not self._settings.adaptive:
            return {}
        return {answer.key: answer.text for answer in reader.answers(self._run_id)}

    async def _one_candidate(self, job: CandidateJob, earlier: dict[UnitKey, str]) -> None:
        setup, index = self._setup, job.index
        self._present = index
        self._notify(CandidateStarted(index))
        self._writer.update_candidate(self._run_id, index, status=CandidateStatus.RUNNING)
        self._look_around(index)
        tools = Tools(
            setup.backend, self._writer, self._notify, setup.monotonic, setup.sleep, setup.surroundings
        )
        run = CandidateRun(job, self._work, self._settings, tools, self._conductor, self._unit_ended)
        for key, text in earlier.items():
            if key.candidate == index:
                run.remember(key, text)
        task = asyncio.create_task(run.run())
        self._conductor.candidate_begins(index, task)
        try:
            status, reason = await task
            self._notify(CandidateFinished(index, status.value, reason, run.peak_mib))
        except asyncio.CancelledError:
            main = asyncio.current_task()
            if not self._conductor.skipping_candidate or (main is not None and main.cancelling()):
                raise
            self._candidate_skipped(index, run.completed)
        finally:
            self._memory_method = run.memory_method or self._memory_method
            self._conductor.candidate_ends()
            self._units_left[index] = 0

    def _candidate_skipped(self, index: int, completed: int) -> None:
        reason = SKIPPED_BY_YOU
        outcome = Outcome(Cause.CANCELLED, None, None, reason)
        for key in self._writer.end_pending_units(self._run_id, index, outcome):
            self._notify(UnitFinished(key, outcome.cause, None, None, None, None, None))
        status = CandidateStatus.COMPLETED if completed else CandidateStatus.SKIPPED
        self._writer.update_candidate(self._run_id, index, status=status, reason=reason)
        self._notify(CandidateFinished(index, status.value, reason))

    async def _rest(self, record: CandidateRecord, baseline_mib: float | None) -> None:
        """Before the next candidate, where memory is measured: until it is back to where it was."""
        setup = self._setup
        if not setup.backend.capabilities.local:
            return
        # From here on until the next model is loaded, whoever keeps the processors busy is another program.
        setup.surroundings.busy_percent()
        if setup.backend.capabilities.memory and baseline_mib is not None:
            self._notify(Activity(None, "waiting until memory is free again", setup.monotonic()))
            left_mib = await let_memory_settle(setup.surroundings, baseline_mib, setup.monotonic, setup.sleep)
            if left_mib is not None:
                self._notice(
                    "memory_not_given_back",
                    f"After {record.name} {left_mib:.0f} MiB were not given back: the memory of the next model"
                    " may be shown too high.",
                )

    def _look_for_offload(self) -> None:
        with JournalReader(self._writer.path) as reader:
            records = reader.candidates(self._run_id)
            facts = [
                offload_facts(record, reader.units(self._run_id, record.index))
                for record in records
                if record.status is CandidateStatus.COMPLETED
            ]
        by_name = {record.name: record for record in records}
        for suspicion in suspects(facts):
            record = by_name[suspicion.name]
            self._writer.update_candidate(
                self._run_id,
                record.index,
                status=record.status,
                reason=record.reason,
                offload_suspicion=suspicion.message,
            )
            self._notify(Notice("offload", f"{record.name}: {suspicion.message}", record.index))

    def _look_around(self, candidate: int) -> None:
        for notice in self._surrounding.before_a_model():
            self._notice(notice.code, notice.message, candidate)

    def _look_while_working(self, candidate: int) -> None:
        now = self._setup.monotonic()
        if now - self._looked < LOOK_EVERY_S:
            return
        self._looked = now
        for notice in self._surrounding.while_working():
            self._notice(notice.code, notice.message, candidate)

    def _notice(self, code: str, message: str, candidate: int | None = None) -> None:
        self._writer.add_notice(self._run_id, message)
        self._notify(Notice(code, message, candidate))

    def _unit_ended(self, key: UnitKey, seconds: float) -> None:
        self._look_while_working(key.candidate)
        if key.candidate != self._present or not self._seconds:
            self._present = key.candidate
        self._seconds.append(seconds)
        del self._seconds[:-200]
        self._units_left[key.candidate] = max(0, self._units_left[key.candidate] - 1)
        now = self._setup.monotonic()
        if now - self._last_reported >= TIME_LEFT_EVERY_S:
            self._last_reported = now
            self._notify(self._time_left(now))

    def _time_left(self, now: float) -> TimeLeft:
        size = self._models[self._present].size_bytes or 1
        later = [
            (units, (self._models[index].size_bytes or size) / size)
            for index, units in self._units_left.items()
            if index != self._present and units and index in self._models
        ]
        found = remaining_range(
            self._seconds, self._units_left.get(self._present, 0), later, in_flight=self._settings.parallel
        )
        return TimeLeft(
            now - self._began,
            None if found is None else found.low_s,
            None if found is None else found.high_s,
            self._done,
            self._total,
        )

    def _closing_text(self) -> str:
        with JournalReader(self._writer.path) as reader:
            summary = reader.summary(self._run_id)
        if not summary.completed:
            return "No unit was completed."
        message = f"{summary.completed} of {summary.units} units completed"
        missing = [
            f"{count} {what}"
            for count, what in ((summary.failed, "failed"), (summary.skipped, "not run"))
            if count
        ]
        return f"{message}, {', '.join(missing)}." if missing else f"{message}."

    def _end(self, status: RunStatus, message: str) -> RunEnd:
        self._conductor.run_ends()
        self._writer.update_run(
            self._run_id, status=status, message=message, finished=True, memory_method=self._memory_method
        )
        self._notify(RunFinished(self._run_id, status.value, message))
        return RunEnd(self._run_id, status, message)

    def _notify(self, event: RunEvent) -> None:
        if isinstance(event, UnitFinished):
            self._done += 1
        self._setup.on_event(event)
