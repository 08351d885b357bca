"""The clocks of one streamed answer: when to give a silent server up, and how fast the answer came."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

from desktop.inference.backends.base import BackendFault, Clocks, FaultKind, Timing

Now = Callable[[], float]
T = TypeVar("T")

_SHORTEST_SPAN_S = 0.0009
"""An answer that came within less came at once: its speed is that of the transport, not of the model."""


class ChunkTimes:
    """Notes when the pieces of visible text came. `now` in seconds, monotonic.

    TTFT = first piece − start; tokens/s = (pieces − 1) / (last − first), None below two pieces or without a
    span; wall = end − start (task-pack format, section 15.1; cases: task/timing.json). A server may send
    several tokens in one piece: where it counts its tokens, these are divided instead of the pieces.
    """

    def __init__(self, now: Now = time.perf_counter) -> None:
        self._now = now
        self._started = now()
        self._first: float | None = None
        self._last = 0.0
        self.chunks = 0

    def chunk(self) -> None:
        self._last = self._now()
        if self._first is None:
            self._first = self._last
        self.chunks += 1

    def timing(
        self,
        *,
        prompt_tokens: int | None = None,
        cached_tokens: int | None = None,
        output_tokens: int | None = None,
        prompt_ms: float | None = None,
        engine_tokens_per_second: float | None = None,
        visible_tokens: int | None = None,
    ) -> Timing:
        """The figures up to now. Speed by the backend's own counts where it gave them.

        visible_tokens: the server's count, when all of it is in the pieces; None otherwise.
        """
        span = 0.0 if self._first is None else self._last - self._first
        written = visible_tokens if visible_tokens is not None else self.chunks
        by_clock = (
            (written - 1) / span if self.chunks >= 2 and written >= 2 and span >= _SHORTEST_SPAN_S else None
        )
        from_engine = engine_tokens_per_second is not None
        by_count = not from_engine and visible_tokens is not None
        return Timing(
            ttft_ms=None if self._first is None else (self._first - self._started) * 1000,
            wall_ms=(self._now() - self._started) * 1000,
            tokens_per_second=engine_tokens_per_second if from_engine else by_clock,
            prompt_tokens=prompt_tokens,
            cached_tokens=cached_tokens,
            output_tokens=output_tokens,
            prompt_ms=prompt_ms,
            chunks=self.chunks,
            source="engine" if from_engine else "counts" if by_count else "chunks",
        )


class Patience:
    """Gives a silent server up: one clock from the request to the first piece of text, another one between
    pieces. The same for every backend, made where the request is sent.

    The first one covers connection, headers and an error's body as well; none of them is a sign of life. A line
    while the prompt is read starts it again; keep-alive comments do not, since they never leave the reader.
    """

    def __init__(self, clocks: Clocks, server: str) -> None:
        self._clocks = clocks
        self._server = server
        self.answer_began = False
        self._until: float | None = None

    async def each(self, batches: AsyncIterator[Sequence[str]]) -> AsyncIterator[str]:
        """The lines that matter (not empty, no comment) out of batches as they arrive. Raises BackendFault
        TIMED_OUT. One clock for a batch: lines that came together are not waited for."""
        iterator = batches.__aiter__()
        while True:
            try:
                async with asyncio.timeout_at(self._deadline()):
                    batch = await anext(iterator)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise self._timed_out() from error
            lines = [line for line in batch if line and not line.startswith(":")]
            for line in lines:
                yield line
            if lines:
                self._until = None

    async def whole(self, step: Awaitable[T]) -> T:
        """A step that comes in one piece: the headers, a body. Raises BackendFault TIMED_OUT."""
        try:
            async with asyncio.timeout_at(self._deadline()):
                return await step
        except TimeoutError as error:
            raise self._timed_out() from error

    def _limit_s(self) -> float:
        return self._clocks.between_tokens_s if self.answer_began else self._clocks.first_token_s

    def _deadline(self) -> float:
        """Of the clock that runs, started when it does not."""
        if self._until is None:
            self._until = asyncio.get_running_loop().time() + self._limit_s()
        return self._until

    def _timed_out(self) -> BackendFault:
        where = "in the middle of an answer" if self.answer_began else "and no answer began"
        return BackendFault(
            FaultKind.TIMED_OUT,
            f"{self._server} was silent for {self._limit_s():g} seconds {where}.",
            "Allow more time in the run's settings, or see whether the server is busy with something else.",
        )
