"""Asking a model from the editor: questions on the run lane, answers one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from desktop.application.try_examples import TriedAnswer, TryModel
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import EventBuffer, Lane, TaskRunner
from desktop.gui.editor.document.document import PackDocument
from packs.errors import AppError
from packs.task.trial import trial_of

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


class Trying(QObject):
    """One question at a time. All signals come on the GUI thread."""

    answered = Signal(object)
    """TriedAnswer."""
    began = Signal()
    """After waiting, or at once."""
    sent_to = Signal(str)
    """A computer that examples are sent to from now on."""
    ended = Signal(str)
    """Why it ended before all were answered, as a sentence; '' when all were."""

    def __init__(self, service: RunService, tasks: TaskRunner, document: PackDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._service = service
        self._tasks = tasks
        self._document = document
        self._running: CancelToken | None = None
        self._question = 0
        """Number of the last question: what a question that was given up still brings is not heard."""
        self._waiting = False
        self._buffer = EventBuffer(self)
        self._buffer.batch.connect(self._hand_on)

    @property
    def busy(self) -> bool:
        return self._running is not None

    @property
    def waiting(self) -> bool:
        """Does the question wait for a run, a draft or a trial that is going on?"""
        return self.busy and self._waiting

    def start(self, files: Sequence[str], model: TryModel) -> bool:
        """Ask these examples. False when one goes on; what cannot be asked is told by `ended`."""
        if self.busy:
            return False
        try:
            trial = trial_of(self._document.content, files, self._document.folder, self._document.removed)
        except AppError as error:
            self.ended.emit(f"{error.message} {error.fix}".strip())
            return False
        self._buffer.start()
        self._question += 1
        question = self._question

        def ask(cancel: CancelToken) -> int:
            self._buffer.push((question, None))
            return self._service.try_examples(trial, model, notify, cancel)

        def notify(answer: TriedAnswer) -> None:
            self._buffer.push((question, answer))

        receiver = model.sent_to or model.source.receiver
        if receiver:
            self.sent_to.emit(receiver)
        self._waiting = self._tasks.taken(Lane.RUN)
        self._running = CancelToken()
        self._running = self._tasks.start(
            ask,
            partial(self._done, question),
            partial(self._failed_asking, question),
            on_cancelled=partial(self._stopped, question),
            lane=Lane.RUN,
        )
        return True

    @Slot()
    def stop(self) -> None:
        """A question that still waits is given up at once; its turn comes to nothing."""
        if self._running is None:
            return
        self._running.cancel()
        if self._waiting:
            self._stopped(self._question)

    @Slot(list)
    def _hand_on(self, events: list[tuple[int, object]]) -> None:
        for question, answer in events:
            if question != self._question or not self.busy:
                continue
            if answer is None:
                self._waiting = False
                self.began.emit()
            else:
                self.answered.emit(answer)

    def _finish(self, question: int, message: str) -> None:
        if question != self._question or not self.busy:
            return
        self._buffer.stop()
        self._running = None
        self._waiting = False
        self.ended.emit(message)

    def _done(self, question: int, _count: int) -> None:
        self._finish(question, "")

    def _stopped(self, question: int) -> None:
        self._finish(question, "Stopped by you.")

    def _failed_asking(self, question: int, error: Exception) -> None:
        self._finish(question, _sentence(error))


def waiting_text(model: str) -> str:
    """For a question that waits for its turn."""
    return f"Waiting: a run is going on. {model} is asked when it is over; Stop gives it up."


def _sentence(error: Exception) -> str:
    sentence = sentence_for(error)
    return f"{sentence.message} {sentence.fix}".strip()
