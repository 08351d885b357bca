"""The wish to end a piece of work, asked for by what works and told by who waits.

Free of Qt and of asyncio, so that services and windows share it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancelled(Exception):
    """The person's wish, not a fault: nothing is shown and nothing is logged."""


class CancelToken:
    """One per job. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._calls: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Once and for all. What was registered is called on this thread, each once."""
        with self._lock:
            if self._cancelled:
                return
            self._cancelled = True
            calls, self._calls = self._calls, []
        for call in calls:
            call()

    def on_cancel(self, call: Callable[[], None]) -> None:
        """Have `call` called when cancelled, at once if that is so already. It must not block or raise.

        An async job registers `lambda: loop.call_soon_threadsafe(task.cancel)`.
        """
        with self._lock:
            if not self._cancelled:
                self._calls.append(call)
                return
        call()

    def raise_if_cancelled(self) -> None:
        """Raises Cancelled. Blocking work asks between its steps."""
        if self._cancelled:
            raise Cancelled
