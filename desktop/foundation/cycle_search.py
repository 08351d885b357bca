"""Keeps Python's search for reference cycles from holding up the program while very much is read or imported.

Reading 100,000 units makes a million small objects without a single cycle, but the collector walks through all
of them again and again, with the interpreter's lock held: stalls of 350 ms were measured, 49 without it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class CycleSearch:
    """The only one to switch the search off and on. The interpreter has one collector, so the count of pauses
    belongs to the class: a second count would switch the search on inside a pause of the first."""

    _lock: ClassVar = threading.Lock()
    _pauses: ClassVar[int] = 0
    _keep: ClassVar[bool] = False

    @classmethod
    @contextmanager
    def paused(cls, *, keep: bool) -> Iterator[None]:
        """No search inside; from any thread, also one inside the other: the last one out ends it.

        keep: what was made stays for long and is left out of later searches, until the next pause or `release`;
        it still goes away at once when nobody refers to it any more.
        """
        with cls._lock:
            if not cls._pauses:
                # What an earlier large result left behind is looked at again.
                gc.unfreeze()
                gc.disable()
            cls._pauses += 1
            cls._keep |= keep
        try:
            yield
        finally:
            with cls._lock:
                cls._pauses -= 1
                if not cls._pauses:
                    if cls._keep:
                        gc.freeze()
                    cls._keep = False
                    gc.enable()

    @classmethod
    def release(cls) -> None:
        """What was kept is not needed any more: everything takes part again."""
        with cls._lock:
            gc.unfreeze()
