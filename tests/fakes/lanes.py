"""Lanes of the task runner without threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from PySide6.QtWidgets import QApplication


class InPlace(Executor):
    """A lane that works at once, so that a test needs no waiting."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class HeldLane(Executor):
    """Keeps its jobs until they are let go."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], object]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.jobs.append(lambda: fn(*args, **kwargs))
        return Future()

    def let_go(self) -> None:
        """All that are there, and what they bring."""
        while self.jobs:
            self.jobs.pop(0)()
        QApplication.processEvents()
