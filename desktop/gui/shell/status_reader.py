"""Reads what the status line says about the machine, off the GUI thread and only while somebody may look."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QWidget

from desktop.foundation.cancel import CancelToken
from desktop.gui.core.window_services import WindowServices
from desktop.gui.shell.status_line import StatusLine
from desktop.inference.machine.machine import MemoryReading, ProcessorReading

MEMORY_EVERY_MS = 5_000


class StatusReader(QObject):
    def __init__(self, services: WindowServices, status: StatusLine, window: QWidget) -> None:
        super().__init__(window)
        self._services = services
        self._status = status
        self._window = window
        self._timer = QTimer(self)
        self._timer.setInterval(MEMORY_EVERY_MS)
        self._timer.timeout.connect(self.read_memory)
        self._timer.start()
        services.tasks.start(self._ask_processor, self._show_processor, self._ignore)

    def stop(self) -> None:
        self._timer.stop()

    @Slot()
    def read_memory(self) -> None:
        # Nobody looks at a hidden window's status line.
        if self._window.isVisible():
            self._services.tasks.start(self._ask_memory, self._show_memory, self._ignore)

    def _ask_processor(self, _cancel: CancelToken) -> tuple[ProcessorReading, MemoryReading]:
        return self._services.read_processor(), self._services.read_memory()

    @Slot(object)
    def _show_processor(self, readings: tuple[ProcessorReading, MemoryReading]) -> None:
        processor, memory = readings
        total = memory.total_mib
        if memory.limit is not None and total is not None:
            total = min(total, memory.limit.limit_mib)
        self._status.set_machine(processor.physical_cores, None if total is None else total / 1024)

    def _ask_memory(self, _cancel: CancelToken) -> MemoryReading:
        return self._services.read_memory()

    @Slot(object)
    def _show_memory(self, memory: MemoryReading) -> None:
        free = memory.available_mib
        self._status.set_free(None if free is None else free / 1024, memory.problem)

    @Slot(object)
    def _ignore(self, error: Exception) -> None:
        """A reading that failed is logged by its lane; the status line goes on saying what it knows."""
