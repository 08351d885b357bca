"""Names the programs that hold the memory which a model would need, where closing them would help."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop.application.model_wording import users_sentence
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.models.detail import DetailPanel
from desktop.inference.machine.memory_users import MemoryUser

if TYPE_CHECKING:
    from desktop.application.model_service import ModelService

log = logging.getLogger(__name__)


class OtherPrograms(QObject):
    def __init__(self, service: ModelService, tasks: TaskRunner, detail: DetailPanel) -> None:
        super().__init__(detail)
        self._service = service
        self._tasks = tasks
        self._detail = detail
        self._wanted = False
        self._asking = False

    def follow(self, wanted: bool) -> None:
        """Of the chosen row. One question at a time: a slider comes by here at every step."""
        self._wanted = wanted
        if not wanted:
            self._detail.show_users("")
        elif not self._asking:
            self._asking = True
            self._tasks.start(lambda cancel: self._service.memory_users(), self._show, self._fail)

    def _show(self, users: Sequence[MemoryUser]) -> None:
        self._asking = False
        if self._wanted:
            self._detail.show_users(users_sentence(tuple(users)))

    def _fail(self, error: Exception) -> None:
        self._asking = False
        log.warning("other programs could not be listed: %s", error)
