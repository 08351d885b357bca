"""Keeps Python's search for reference cycles from holding up the window while very much is read.

Reading 100,000 units makes a million small objects without a single cycle, but the collector walks through all
of them again and again, with the interpreter's lock held: stalls of 350 ms were measured, 49 without it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Collector:
    """One for the program. May be used from several threads at once; the last one out switches it on again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._paused = 0

    @contextmanager
    def paused(self, *, keep: bool) -> Iterator[None]:
        """No search inside. keep: what was made stays for long and is left out of later searches; it still goes
        away at once when nobody refers to it any more."""
        with self._lock:
            if not self._paused:
                # What an earlier large result left behind is looked at again.
                gc.unfreeze()
                gc.disable()
            self._paused += 1
        try:
            yield
        finally:
            with self._lock:
                self._paused -= 1
                if not self._paused:
                    if keep:
                        gc.freeze()
                    gc.enable()
