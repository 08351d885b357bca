"""Work off the GUI thread, and the ways back onto it.

Two lanes: the *run lane* of one thread, since two models at once spoil each other's memory and speed figures,
and the *io lane* of a few for reading, probing and exporting. What they bring comes back through one bridge
object that lives on the GUI thread; events of a run come back in batches.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from enum import Enum
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from shiboken6 import isValid

from desktop.foundation.cancel import Cancelled, CancelToken
from packs.errors import AppError

log = logging.getLogger(__name__)

T = TypeVar("T")

IO_THREADS = 3
SWITCH_S = 0.0005
"""How long a lane may keep the interpreter when the window wants it. With Python's own 5 ms, a repaint that
asks for it thirty times beside a busy lane took over 100 ms; with this about 70 at the worst (measured)."""
BATCH_MS = 100
"""Live views repaint at most ten times a second."""
BATCH_MAX = 5_000
"""Events handed over at once; what is left comes with the next turn, so that no turn becomes long."""


class Lane(Enum):
    RUN = "run"
    IO = "io"


def prefer_the_window() -> None:
    """Let the GUI thread have the interpreter soon whenever it wants it. Once, where the window is made."""
    sys.setswitchinterval(SWITCH_S)


class GuiThread(QObject):
    """Runs plain calls on the thread that made it. Lives as long as the program."""

    _ready = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: deque[Callable[[], None]] = deque()
        self._ready.connect(self._drain, Qt.ConnectionType.QueuedConnection)

    def call(self, fn: Callable[[], None]) -> None:
        """From any thread. Returns at once; `fn` runs in the order of the calls."""
        self._calls.append(fn)
        try:
            self._ready.emit()
        except RuntimeError:
            # The window is gone; nobody is left to tell.
            log.info("a result came after the window had closed")

    @Slot()
    def _drain(self) -> None:
        # Only what is there now: a call that makes a new call must not hold the event loop for ever.
        for _ in range(len(self._calls)):
            try:
                fn = self._calls.popleft()
            except IndexError:
                return
            fn()


class TaskRunner:
    """Starts plain functions on the lanes. Methods belong to the GUI thread."""

    def __init__(
        self, gui: GuiThread, *, run_lane: Executor | None = None, io_lane: Executor | None = None
    ) -> None:
        """Lanes may be given, such as one that works in place for a test."""
        self._gui = gui
        self._lanes: dict[Lane, Executor] = {
            Lane.RUN: run_lane or ThreadPoolExecutor(max_workers=1, thread_name_prefix="run-lane"),
            Lane.IO: io_lane or ThreadPoolExecutor(max_workers=IO_THREADS, thread_name_prefix="io-lane"),
        }
        self._lock = threading.Lock()
        self._live: dict[CancelToken, Lane] = {}
        self._closed = False

    @property
    def busy(self) -> bool:
        """Is any job waiting or at work?"""
        with self._lock:
            return bool(self._live)

    def taken(self, lane: Lane) -> bool:
        """Is any job waiting or at work on this lane? On the run lane, a new one would have to wait for it."""
        with self._lock:
            return lane in self._live.values()

    def start(
        self,
        job: Callable[[CancelToken], T],
        on_result: Callable[[T], None],
        on_error: Callable[[Exception], None],
        *,
        on_cancelled: Callable[[], None] | None = None,
        lane: Lane = Lane.IO,
    ) -> CancelToken:
        """Run `job` on a lane; exactly one of the three is called on the GUI thread afterwards.

        Calls to methods of a QObject that is gone by then are dropped. After `shutdown` nothing is started:
        the returned token is cancelled already.
        """
        cancel = CancelToken()
        if self._closed:
            cancel.cancel()
            return cancel
        with self._lock:
            self._live[cancel] = lane

        # What belongs to the GUI thread must also die there: the last reference to a window or dialog that goes
        # away on a lane would take it down on the wrong thread, and the process with it.
        held: list[Any] = [job, on_result, on_error, on_cancelled]

        def run() -> None:
            try:
                cancel.raise_if_cancelled()
                result = held[0](cancel)
            except Cancelled:
                if held[3] is not None:
                    self._notify(held[3])
            except AppError as error:
                # What a person can act on is told, not a fault of ours.
                log.info("background job ended with %s", error.code)
                self._notify(partial(held[2], error))
            except Exception as error:
                log.exception("background job failed")
                self._notify(partial(held[2], error))
            else:
                self._notify(partial(held[1], result))
            finally:
                with self._lock:
                    self._live.pop(cancel, None)
                self._gui.call(held.clear)

        self._lanes[lane].submit(run)
        return cancel

    def cancel_all(self) -> None:
        with self._lock:
            live = list(self._live)
        for token in live:
            token.cancel()

    def shutdown(self) -> None:
        """Cancel everything and wait until the lanes are empty. Connect to `aboutToQuit`."""
        self._closed = True
        self.cancel_all()
        for executor in self._lanes.values():
            executor.shutdown(wait=True)

    def _notify(self, fn: Callable[[], None]) -> None:
        self._gui.call(partial(_call_if_alive, fn))


def _call_if_alive(fn: Callable[[], None]) -> None:
    inner: object = fn
    while isinstance(inner, partial):
        inner = inner.func
    owner = getattr(inner, "__self__", None)
    if isinstance(owner, QObject) and not isValid(owner):
        return
    fn()


class EventBuffer(QObject):
    """Carries events from any thread to the GUI thread, at most one batch every 100 ms.

    `push` may be called from any thread; all else belongs to the GUI thread. The timer runs between `start`
    and `stop` only, so an idle window wakes nobody.
    """

    batch = Signal(list)
    """list[object]: the events in the order of their pushes, 1 to `BATCH_MAX` of them."""

    def __init__(self, parent: QObject | None = None, interval_ms: int = BATCH_MS) -> None:
        super().__init__(parent)
        self._events: deque[object] = deque()
        self._timer = QTimer(self)
        self._timer.setInterval(interval_ms)
        self._timer.timeout.connect(self._hand_over)

    def push(self, event: object) -> None:
        self._events.append(event)

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        """Hand over all that is left and rest."""
        self._timer.stop()
        while self._events:
            self._hand_over()

    @Slot()
    def _hand_over(self) -> None:
        events: list[object] = []
        while self._events and len(events) < BATCH_MAX:
            events.append(self._events.popleft())
        if events:
            self.batch.emit(events)
