"""Starts, steers and queues runs, and carries their events into the one live state. One for the whole window.

The run lane works on one run at a time; what is started meanwhile waits in a queue that the window shows.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from desktop.application.live_run import CandidateFacts, Changes, LiveRun
from desktop.application.run_requests import ModelChoice, RunSelection
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import EventBuffer, Lane, TaskRunner
from desktop.runs.control import RunControl
from desktop.runs.events import RunStarted
from desktop.runs.records import CandidateRecord, UnitRow

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

log = logging.getLogger(__name__)


class QueuedRun:
    """A run that was started here: waiting, at work, or over.

    title: the pack's name. run_id: known once it has begun. error: the sentence when it could not be done.
    ended_at: the wall clock at its end.
    """

    _numbers = itertools.count(1)

    def __init__(
        self, title: str, facts: Mapping[str, CandidateFacts], *, request: RunSelection | None, resumes: str
    ) -> None:
        self.number = next(self._numbers)
        self.title = title
        self.request = request
        self.resumes = resumes
        self.live = LiveRun(facts)
        self.run_id = resumes
        self.error = ""
        self.ended_at = ""
        self.control: RunControl | None = None
        self.token: CancelToken | None = None


class RunsController(QObject):
    """Everything here belongs to the GUI thread."""

    begun = Signal()
    """The first events of `current` are there."""
    changed = Signal(object)
    """Changes of `current.live`."""
    ended = Signal(object)
    """QueuedRun that is over, well or not."""
    queue_changed = Signal()

    def __init__(
        self,
        service: RunService,
        tasks: TaskRunner,
        *,
        now: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._tasks = tasks
        self._now = now
        self._monotonic = monotonic
        self._waiting: list[QueuedRun] = []
        self.current: QueuedRun | None = None
        self.buffer = EventBuffer(self)
        self.buffer.batch.connect(self._take)

    @property
    def running(self) -> bool:
        return self.current is not None

    @property
    def waiting(self) -> tuple[QueuedRun, ...]:
        return tuple(self._waiting)

    def start(self, request: RunSelection, choices: tuple[ModelChoice, ...] = ()) -> QueuedRun:
        """Run at once when the lane is free, else after the others. choices: what is known of wish.models."""
        known = {choice.model: choice for choice in choices}
        facts = {
            model.name: CandidateFacts(
                model.quantization, known[model].predicted_mib if model in known else None
            )
            for model in request.models
        }
        queued = QueuedRun(request.pack_name, facts, request=request, resumes="")
        return self._enqueue(queued)

    def resume(self, run_id: str, title: str, facts: Mapping[str, CandidateFacts] | None = None) -> QueuedRun:
        """Complete a run that was stopped or interrupted."""
        return self._enqueue(QueuedRun(title, facts or {}, request=None, resumes=run_id))

    def withdraw(self, queued: QueuedRun) -> None:
        """Take a waiting run out of the queue."""
        if queued in self._waiting:
            self._waiting.remove(queued)
            self.queue_changed.emit()

    @Slot()
    def stop(self) -> None:
        """Stop the run that is at work; what is finished is kept."""
        if self.current is not None and self.current.control is not None:
            self.current.control.stop()

    def stop_all(self) -> None:
        """Stop the present one and forget the waiting ones: the window closes."""
        self._waiting.clear()
        self.stop()
        self.queue_changed.emit()

    @Slot()
    def toggle_pause(self) -> None:
        current = self.current
        if current is None or current.control is None:
            return
        if current.live.paused:
            current.control.go_on()
        else:
            current.control.pause()

    @Slot()
    def skip_unit(self) -> None:
        """The one on the screen, by its name: a key pressed a moment too late must not hit the next."""
        current = self.current
        if current is not None and current.control is not None:
            current.control.skip_unit(current.live.writing.key if current.live.writing else None)

    @Slot()
    def skip_candidate(self) -> None:
        current = self.current
        if current is not None and current.control is not None:
            current.control.skip_candidate(current.live.running)

    def _enqueue(self, queued: QueuedRun) -> QueuedRun:
        self._waiting.append(queued)
        if self.current is None:
            self._next()
        self.queue_changed.emit()
        return queued

    def _next(self) -> None:
        if not self._waiting:
            return
        queued = self._waiting.pop(0)
        queued.control = self._service.new_control()
        self.current = queued
        self.buffer.start()
        queued.token = self._tasks.start(
            partial(self._work, queued, queued.control),
            partial(self._done, queued),
            partial(self._failed, queued),
            on_cancelled=partial(self._done, queued, queued.run_id),
            lane=Lane.RUN,
        )

    def _work(self, queued: QueuedRun, control: RunControl, cancel: CancelToken) -> str:
        """On the run lane."""
        cancel.on_cancel(control.stop)
        if queued.request is None:
            return self._service.resume(queued.resumes, control, self.buffer.push)
        return self._service.run(queued.request, control, self.buffer.push)

    @Slot(list)
    def _take(self, events: list[object]) -> None:
        current = self.current
        if current is None:
            return
        changes = current.live.apply(events, f"{self._now():%H:%M:%S}", self._monotonic())
        if changes.started:
            current.run_id = current.live.run_id
            for event in events:
                if isinstance(event, RunStarted) and event.units_done:
                    self._read_earlier(current)
            self.begun.emit()
        self.changed.emit(changes)

    def _read_earlier(self, current: QueuedRun) -> None:
        """A resumed run shows what its earlier session had finished."""
        run_id = current.run_id

        def read(_cancel: CancelToken) -> tuple[list[UnitRow], list[CandidateRecord]]:
            with self._service.reader() as reader:
                rows = [row for row in reader.units(run_id) if row.cause is not None]
                return rows, reader.candidates(run_id)

        self._tasks.start(read, partial(self._earlier, current), partial(self._not_read, current))

    def _earlier(self, current: QueuedRun, read: tuple[list[UnitRow], list[CandidateRecord]]) -> None:
        self._emit_changes(current, current.live.preload(*read))

    def _not_read(self, current: QueuedRun, error: Exception) -> None:
        log.warning("what was finished earlier of %s is not shown: %s", current.run_id, sentence_for(error))

    def _emit_changes(self, current: QueuedRun, changes: Changes) -> None:
        if current is self.current:
            self.changed.emit(changes)

    def _done(self, queued: QueuedRun, run_id: str) -> None:
        queued.run_id = run_id or queued.run_id
        self._over(queued)

    def _failed(self, queued: QueuedRun, error: Exception) -> None:
        queued.error = str(sentence_for(error))
        self._over(queued)

    def _over(self, queued: QueuedRun) -> None:
        self.buffer.stop()
        queued.ended_at = f"{self._now():%H:%M:%S}"
        self.current = None
        self.ended.emit(queued)
        self._next()
        self.queue_changed.emit()
