"""Asks the machine and looks for models, off the GUI thread, and tells the place what came."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import EventBuffer, TaskRunner
from desktop.inference.machine.machine import MemoryReading
from desktop.inference.memory_fit.estimator import Estimator
from desktop.inference.model_files.catalogue import CatalogueModel
from desktop.inference.model_files.library import FoundModel

if TYPE_CHECKING:
    from desktop.application.model_service import ModelService

log = logging.getLogger(__name__)

MEMORY_EVERY_MS = 2_000


class ModelFinder(QObject):
    """`refresh` first. Memory is asked only between `watch_memory(True)` and `watch_memory(False)`."""

    machine_known = Signal(object)
    """Estimator: another machine, or new lessons."""
    found = Signal(list)
    """list[FoundModel], instead of all before; again when copies have been put together."""
    catalogue_known = Signal(list)
    """list[CatalogueModel]."""
    memory_known = Signal(object)
    """MemoryReading."""
    failed = Signal(str)

    def __init__(self, service: ModelService, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._tasks = tasks
        self._scanning: CancelToken | None = None
        self._asking_memory = False
        self._asked_once = False
        self._so_far: list[FoundModel] = []
        self._round = 0
        """Of looking: what an earlier one still brings is older than what is shown, and is not heard."""
        self._buffer = EventBuffer(self)
        self._buffer.batch.connect(self._found_some)
        self._timer = QTimer(self)
        self._timer.setInterval(MEMORY_EVERY_MS)
        self._timer.timeout.connect(self.ask_memory)

    def refresh(self) -> None:
        """The machine and every folder anew."""
        self._round += 1
        self.stop()
        self._tasks.start(
            lambda cancel: self._service.estimator(), partial(self._estimated, self._round), self._fail
        )

    def learn(self) -> None:
        """Only the estimator anew: something was measured."""
        self._tasks.start(lambda cancel: self._service.estimator(), self._learned, self._fail)

    def stop(self) -> None:
        self._buffer.stop()
        if self._scanning is not None:
            self._scanning.cancel()
            self._scanning = None

    def watch_memory(self, watching: bool) -> None:
        if watching:
            self._timer.start()
        else:
            self._timer.stop()

    @Slot()
    def ask_memory(self) -> None:
        if self._asking_memory:
            return
        self._asking_memory = True
        self._tasks.start(lambda cancel: self._service.memory(), self._memory, self._no_memory)

    def _estimated(self, number: int, estimator: Estimator) -> None:
        if number != self._round:
            return
        self.machine_known.emit(estimator)
        self._so_far = []
        self._buffer.start()
        self._scanning = self._tasks.start(
            partial(self._scan, number), partial(self._scanned, number), self._fail
        )
        if not self._asked_once:
            self._asked_once = True
            self._tasks.start(lambda cancel: self._service.catalogue(), self._catalogue, self._fail)
            self._tasks.start(self._measure_speed, self._learned, self._fail)

    def _learned(self, estimator: Estimator) -> None:
        # A method and not the signal itself: results for a place that is gone are dropped.
        self.machine_known.emit(estimator)

    def _measure_speed(self, cancel: CancelToken) -> Estimator:
        self._service.measure_memory_speed(cancel)
        return self._service.estimator()

    def _scan(self, number: int, cancel: CancelToken) -> Sequence[FoundModel]:
        return self._service.scan(lambda model: self._buffer.push((number, model)), cancel)

    @Slot(list)
    def _found_some(self, models: list[tuple[int, FoundModel]]) -> None:
        """A first look at hundreds of headers takes seconds: what is read is shown at once."""
        more = [model for number, model in models if number == self._round]
        if more:
            self._so_far += more
            self.found.emit(list(self._so_far))

    def _scanned(self, number: int, models: Sequence[FoundModel]) -> None:
        if number != self._round:
            return
        self._buffer.stop()
        self.found.emit(list(models))
        self._scanning = self._tasks.start(
            lambda cancel: self._service.merge(models, cancel),
            partial(self._merged, number, models),
            self._fail,
        )

    def _merged(self, number: int, before: Sequence[FoundModel], models: Sequence[FoundModel]) -> None:
        if number != self._round:
            return
        self._scanning = None
        if len(models) != len(before):
            self.found.emit(list(models))

    def _catalogue(self, models: Sequence[CatalogueModel]) -> None:
        self.catalogue_known.emit(list(models))

    def _memory(self, memory: MemoryReading) -> None:
        self._asking_memory = False
        self.memory_known.emit(memory)

    def _no_memory(self, error: Exception) -> None:
        self._asking_memory = False
        log.warning("memory could not be read: %s", error)

    def _fail(self, error: Exception) -> None:
        sentence = sentence_for(error)
        self.failed.emit(f"{sentence.message} {sentence.fix}".strip())
