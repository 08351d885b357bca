"""Keeps Python's search for cycles out of work that makes hundreds of thousands of rows.

A full search over a table of 100,000 rows holds the interpreter for about 100 ms (measured), several times
while it is read and again afterwards, and the window stands still meanwhile. Rows hold no cycles, so nothing is
missed.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class QuietCollector:
    """One for a dialog. `resting` may be entered from several threads; `end` belongs to the dialog's end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._frozen = False
        self._ended = False

    @contextmanager
    def resting(self) -> Iterator[None]:
        """No search while inside; what was made inside is left out of later ones until `end`."""
        with self._lock:
            self._inside += 1
            gc.disable()
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    if not self._ended:
                        gc.freeze()
                        self._frozen = True
                    gc.enable()

    def end(self) -> None:
        """Everything takes part again."""
        with self._lock:
            self._ended = True
            if self._frozen:
                self._frozen = False
                gc.unfreeze()
