"""How many tokens a prompt has, counted off the GUI thread by the chosen model's own vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.application.try_examples import TryModel
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import Lane, TaskRunner

if TYPE_CHECKING:
    from desktop.application.run_service import RunService

SETTLE_MS = 300
"""So long the text may not change before it is counted."""
IDLE_MS = 60_000
"""After so long without a question the vocabulary is let go."""
KEPT = 200
"""Counts that are remembered, the last ones."""


@dataclass(frozen=True, slots=True)
class CountedTokens:
    """tokens: None when this model cannot tell; why: a sentence then, else ''."""

    tokens: int | None
    why: str = ""


class TokenCount(QObject):
    """`of` answers at once from what is known and asks for the rest; `counted` tells that there is more now."""

    counted = Signal()

    def __init__(self, service: RunService, tasks: TaskRunner, parent: QObject) -> None:
        super().__init__(parent)
        self._service = service
        self._tasks = tasks
        self._known: dict[tuple[Path, str], int] = {}
        self._faults: dict[Path, str] = {}
        """Files that could not be read or whose vocabulary the engine does not know: not asked again."""
        self._wanted: tuple[Path, str] | None = None
        self._counting: CancelToken | None = None
        self._used = False
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self.ask)
        self.idle = QTimer(self)
        self.idle.setSingleShot(True)
        self.idle.setInterval(IDLE_MS)
        self.idle.timeout.connect(self._let_go)

    def of(self, model: TryModel | None, prompt: str) -> CountedTokens | None:
        """None while it is not known: it is asked for unless no file of the model is here, or a run goes on."""
        if model is None or not model.source.built_in or model.model.path is None:
            self._wanted = None
            return None
        file = model.model.path
        self._wanted = None
        if file in self._faults:
            return CountedTokens(None, self._faults[file])
        found = self._known.get((file, prompt))
        if found is not None:
            return CountedTokens(found)
        self._wanted = (file, prompt)
        if self._counting is None:
            self._settle.start()
        return None

    @Slot()
    def ask(self) -> None:
        question = self._wanted
        # A run measures how fast this computer is: nothing is started beside it.
        if question is None or self._counting is not None or self._tasks.taken(Lane.RUN):
            return
        model, prompt = question
        self.idle.stop()
        self._used = True

        def count(cancel: CancelToken) -> int:
            return self._service.count_tokens(model, prompt, cancel)

        self._counting = self._tasks.start(
            count,
            partial(self._take, question),
            partial(self._take_fault, question),
            on_cancelled=self._given_up,
        )

    def _take(self, question: tuple[Path, str], tokens: int) -> None:
        self._known[question] = tokens
        while len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
        self._go_on(question)

    def _take_fault(self, question: tuple[Path, str], error: Exception) -> None:
        self._faults[question[0]] = sentence_for(error).message
        self._go_on(question)

    def _go_on(self, question: tuple[Path, str]) -> None:
        self._counting = None
        self.idle.start()
        if self._wanted is not None and self._wanted != question:
            self._settle.start()
        self.counted.emit()

    @Slot()
    def _given_up(self) -> None:
        self._counting = None

    def stop(self) -> None:
        """No more questions; what was kept ready is freed."""
        self._wanted = None
        self._settle.stop()
        self.idle.stop()
        if self._counting is not None:
            self._counting.cancel()
        self._let_go()

    @Slot()
    def _let_go(self) -> None:
        if not self._used:
            return
        self._used = False
        self._tasks.start(self._end, _nothing, _failed)

    def _end(self, _cancel: CancelToken) -> None:
        self._service.end_counting()


def _nothing(_result: None) -> None:
    return None


def _failed(error: Exception) -> None:
    raise error
