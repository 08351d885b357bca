"""A candidate's memory over time, sampled on the run's own loop: no thread, never in the way of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType

from desktop.inference.backends.base import MemorySample
from desktop.runs.records import MemoryPoint

INTERVAL_S = 0.2
MAX_POINTS = 4096
"""Every second one is dropped whenever so many are there (task-pack format, section 15.3)."""


class MemoryWatch:
    """An async context manager around the life of one model.

    peak_mib: highest of all samples, also those thinned out; None while nothing could be measured.
    """

    def __init__(
        self,
        sample: Callable[[], MemorySample | None],
        on_sample: Callable[[MemorySample], None],
        *,
        monotonic: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._sample, self._on_sample = sample, on_sample
        self._monotonic, self._sleep = monotonic, sleep
        self._task: asyncio.Task[None] | None = None
        self._began = monotonic()
        self.peak_mib: float | None = None
        self.method: str | None = None
        self.line: list[MemoryPoint] = []

    async def __aenter__(self) -> MemoryWatch:
        self._began = self._monotonic()
        self._task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.take()

    def take(self) -> None:
        """One sample now."""
        found = self._sample()
        if found is None:
            return
        self.peak_mib = max(found.peak_mib, found.used_mib, self.peak_mib or 0.0)
        self.method = found.method
        self.line.append(MemoryPoint(round(self._monotonic() - self._began, 3), round(found.used_mib, 2)))
        if len(self.line) >= MAX_POINTS:
            del self.line[1::2]
        self._on_sample(found)

    async def _watch(self) -> None:
        while True:
            self.take()
            await self._sleep(INTERVAL_S)
