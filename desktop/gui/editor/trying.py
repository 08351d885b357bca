"""Asking a model from the editor: which models there are, questions on the run lane, answers one by one."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QComboBox

from desktop.backends.base import ModelRef
from desktop.cancel import CancelToken
from desktop.gui.editor.document import PackDocument
from desktop.gui.errors import sentence_for
from desktop.gui.runs.services import RunDesk
from desktop.gui.tasks import EventBuffer, Lane, TaskRunner
from packs.errors import AppError
from packs.task.trial import trial_of


class Trying(QObject):
    """One question at a time. All signals come on the GUI thread."""

    answered = Signal(object)
    """TriedAnswer."""
    ended = Signal(str)
    """Why it ended before all were answered, as a sentence; '' when all were."""

    def __init__(self, desk: RunDesk, tasks: TaskRunner, document: PackDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._tasks = tasks
        self._document = document
        self._running: CancelToken | None = None
        self._box: QComboBox | None = None
        self._buffer = EventBuffer(self)
        self._buffer.batch.connect(self._hand_on)

    @property
    def busy(self) -> bool:
        return self._running is not None

    def fill(self, box: QComboBox) -> None:
        """List the models in a box, off the GUI thread."""

        self._box = box

        def look(_cancel: CancelToken) -> list[ModelRef]:
            return self._desk.models_to_try()

        self._tasks.start(look, self._show_models, self._failed)

    def _show_models(self, models: list[ModelRef]) -> None:
        """A method, so that it is not called once this object and its box are gone."""
        if self._box is None:
            return
        self._box.clear()
        for model in models:
            self._box.addItem(model.name, model)
        if not models:
            self._box.addItem("No model is here")
        self._box.setEnabled(bool(models))

    def start(self, files: Sequence[str], model: ModelRef) -> bool:
        """Ask these examples. False when one goes on; what cannot be asked is told by `ended`."""
        if self.busy:
            return False
        try:
            trial = trial_of(self._document.content, files, self._document.folder, self._document.removed)
        except AppError as error:
            self.ended.emit(f"{error.message} {error.fix}".strip())
            return False
        self._buffer.start()

        def ask(cancel: CancelToken) -> int:
            return self._desk.try_examples(trial, model, self._buffer.push, cancel)

        self._running = CancelToken()
        self._running = self._tasks.start(
            ask, self._done, self._failed, on_cancelled=self._stopped, lane=Lane.RUN
        )
        return True

    @Slot()
    def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()

    @Slot(list)
    def _hand_on(self, answers: list[object]) -> None:
        for answer in answers:
            self.answered.emit(answer)

    def _finish(self, words: str) -> None:
        self._running = None
        self._buffer.stop()
        self.ended.emit(words)

    def _done(self, _count: int) -> None:
        self._finish("")

    def _stopped(self) -> None:
        self._finish("Stopped by you.")

    def _failed(self, error: Exception) -> None:
        sentence = sentence_for(error)
        self._finish(f"{sentence.message} {sentence.fix}".strip())
