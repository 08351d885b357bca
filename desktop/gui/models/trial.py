"""A model tried once from the place: loaded, asked, measured, freed; with Stop at any moment."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from desktop.cancel import CancelToken
from desktop.gui.errors import sentence_for
from desktop.gui.models.detail import DetailPanel
from desktop.gui.models.entries import Row
from desktop.gui.models.services import ModelsDesk, Trial
from desktop.gui.models.words import gib
from desktop.gui.tasks import EventBuffer, Lane, TaskRunner
from desktop.gui.theme import Tone


class TrialControl(QObject):
    """One trial at a time. Shows its course in the detail panel."""

    ended = Signal()

    def __init__(self, desk: ModelsDesk, tasks: TaskRunner, detail: DetailPanel) -> None:
        super().__init__(detail)
        self._desk = desk
        self._tasks = tasks
        self._buffer = EventBuffer(self)
        self._buffer.batch.connect(self._show_progress)
        self._detail = detail
        self._running: CancelToken | None = None
        self._busy = False

    @property
    def busy(self) -> bool:
        return self._busy

    def start(self, row: Row, prompt: str) -> bool:
        """False when one goes on, or the row cannot be tried."""
        if self._busy or row.estimate is None or row.entry.found is None:
            return False
        path, settings = row.entry.found.card.path, row.estimate.settings
        self._busy = True
        self._detail.set_trying(True)
        self._detail.begin_answer()
        self._buffer.start()

        def work(cancel: CancelToken) -> Trial:
            return self._desk.try_out(path, settings, prompt, self._progress, cancel)

        self._running = self._tasks.start(
            work, self._finished, self._failed, on_cancelled=self._stopped, lane=Lane.RUN
        )
        return True

    @Slot()
    def stop(self) -> None:
        if self._busy and self._running is not None:
            self._running.cancel()

    def _progress(self, state: str, piece: str) -> None:
        """On the run lane's thread."""
        self._buffer.push((state, piece))

    @Slot(list)
    def _show_progress(self, events: list[tuple[str, str]]) -> None:
        states = [state for state, _ in events if state]
        if states:
            self._detail.show_state(states[-1])
        self._detail.add_answer("".join(piece for _, piece in events))

    def _finished(self, trial: Trial) -> None:
        parts = []
        if trial.peak_mib is not None:
            parts.append(f"{gib(trial.peak_mib)} GiB at its highest ({gib(trial.predicted_mib)} predicted)")
        if trial.tokens_per_second is not None:
            parts.append(f"{trial.tokens_per_second:.0f} tok/s")
        self._end(f"Measured: {', '.join(parts)}." if parts else "Done; nothing could be measured.")
        self._detail.answer.setPlainText(trial.text)

    def _failed(self, error: Exception) -> None:
        sentence = sentence_for(error)
        self._end(f"{sentence.message} {sentence.fix}".strip(), Tone.BAD)

    def _stopped(self) -> None:
        self._end("Stopped; the memory is free again.")

    def _end(self, words: str, tone: Tone = Tone.MUTED) -> None:
        self._buffer.stop()
        self._busy = False
        self._running = None
        self._detail.set_trying(False)
        self._detail.show_state(words, tone)
        self.ended.emit()
