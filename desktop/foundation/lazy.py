"""Something that is made when it is first used, so that a start does not wait for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """Stands for what `make` makes; made once, on the thread that first asks it for anything.

    The services of the window bring engines, loaders and reports along: together a second that the first
    picture need not wait for. Whoever holds one uses it as the thing itself.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: T | None = None

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._make()
        return getattr(self._made, name)
