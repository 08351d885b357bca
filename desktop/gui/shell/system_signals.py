"""Ctrl-C in the terminal, a polite kill and the end of the session close the window as the person would."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier, Slot

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class SystemSignals(QObject):
    """Python runs its signal handlers only between two of its own instructions, and Qt's loop has none while
    idle: a socket that the signal writes to wakes it. For the main thread; `remove` puts everything back."""

    def __init__(self, close: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._close = close
        self._asked = False
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        self._before_fd = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._before = {}
        for name in _NAMES:
            number = getattr(signal, name, None)
            if number is not None:
                self._before[number] = signal.signal(number, self._handle)

    def remove(self) -> None:
        self._notifier.setEnabled(False)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._before_fd)
        self._read.close()
        self._write.close()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    @Slot()
    def _woken(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._read.recv(64)
        if self._asked:
            self._asked = False
            self._close()
