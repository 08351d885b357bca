"""What a person may do to a run that goes on: stop, pause, skip. Told from any thread, done on its own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass

from desktop.foundation.cancel import CancelToken
from desktop.runs.records import UnitKey


@dataclass(frozen=True, slots=True)
class SkipUnit:
    """key: which one; None: the one that is being answered now."""

    key: UnitKey | None


@dataclass(frozen=True, slots=True)
class SkipCandidate:
    """index: which one; None: the one that is being run now."""

    index: int | None


@dataclass(frozen=True, slots=True)
class SetPaused:
    paused: bool


@dataclass(frozen=True, slots=True)
class Stop:
    pass


ControlRequest = SkipUnit | SkipCandidate | SetPaused | Stop


class RunControl:
    """Every method may be called from any thread, before, during and after the run.

    Skipping names what is meant, so that a key pressed a moment too late does not hit the next one.
    """

    def __init__(self, cancel: CancelToken | None = None) -> None:
        self.cancel = cancel or CancelToken()
        self._lock = threading.Lock()
        self._listener: Callable[[ControlRequest], None] | None = None
        self._paused = False
        self.cancel.on_cancel(self._stop)

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def stopped(self) -> bool:
        return self.cancel.cancelled

    def stop(self) -> None:
        """End the run now; what is finished is kept."""
        self.cancel.cancel()

    def skip_unit(self, key: UnitKey | None = None) -> None:
        self._notify(SkipUnit(key))

    def skip_candidate(self, index: int | None = None) -> None:
        self._notify(SkipCandidate(index))

    def pause(self) -> None:
        """After the answer that is being written now. The model stays loaded."""
        self._paused = True
        self._notify(SetPaused(True))

    def go_on(self) -> None:
        self._paused = False
        self._notify(SetPaused(False))

    def listen(self, loop: asyncio.AbstractEventLoop, on_request: Callable[[ControlRequest], None]) -> None:
        """Called by the run: wishes arrive on `loop`. A loop that is closed by then hears nothing."""

        def deliver(request: ControlRequest) -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(on_request, request)

        with self._lock:
            self._listener = deliver

    def deaf(self) -> None:
        """The run is over."""
        with self._lock:
            self._listener = None

    def _stop(self) -> None:
        self._notify(Stop())

    def _notify(self, request: ControlRequest) -> None:
        with self._lock:
            listener = self._listener
        if listener is not None:
            listener(request)
