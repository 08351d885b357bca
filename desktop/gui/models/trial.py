"""A model tried once from the place: loaded, asked, measured, freed; with Stop at any moment."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from desktop.application.model_entries import ModelRow
from desktop.application.model_wording import gib
from desktop.foundation.cancel import CancelToken
from desktop.gui.core.errors import sentence_for
from desktop.gui.core.tasks import EventBuffer, Lane, TaskRunner
from desktop.gui.models.detail import DetailPanel
from desktop.gui.theme import Tone
from desktop.gui.widgets.plain_text import fill

if TYPE_CHECKING:
    from desktop.application.model_service import ModelService, ModelTrial

LOADING = "loading the model…"
WAITING = "Waiting: a run is going on. The model is tried when it is over; Stop gives it up."


class TrialControl(QObject):
    """One trial at a time. Its course is shown beside its own model; beside others only that it goes on."""

    ended = Signal()

    def __init__(self, service: ModelService, tasks: TaskRunner, detail: DetailPanel) -> None:
        super().__init__(detail)
        self._service = service
        self._tasks = tasks
        self._buffer = EventBuffer(self)
        self._buffer.batch.connect(self._show_progress)
        self._detail = detail
        self._running: CancelToken | None = None
        self._number = 0
        """Of the last trial: what one that was given up still brings is not heard."""
        self._waiting = False
        self._tried: ModelRow | None = None
        self._shown_key: str | None = None
        self._state = ""
        self._text = ""

    @property
    def busy(self) -> bool:
        return self._tried is not None

    def start(self, row: ModelRow, prompt: str) -> bool:
        """False when one goes on, or the row cannot be tried. `row` is the one in the detail panel."""
        if self.busy or row.estimate is None or row.entry.found is None:
            return False
        path, settings = row.entry.found.card.path, row.estimate.settings
        self._tried, self._shown_key = row, row.entry.key
        self._number += 1
        number = self._number
        self._waiting = self._tasks.taken(Lane.RUN)
        self._state, self._text = (WAITING if self._waiting else LOADING), ""
        self._detail.set_trying(True)
        self._detail.begin_answer()
        self._detail.show_state(self._state)
        self._buffer.start()

        def progress(state: str, piece: str) -> None:
            self._buffer.push((number, state, piece))

        def work(cancel: CancelToken) -> ModelTrial:
            progress(LOADING, "")
            return self._service.try_out(path, settings, prompt, progress, cancel)

        self._running = CancelToken()
        self._running = self._tasks.start(
            work,
            partial(self._finished, number),
            partial(self._failed, number),
            on_cancelled=partial(self._stopped, number),
            lane=Lane.RUN,
        )
        return True

    def follow(self, row: ModelRow | None) -> None:
        """The detail panel shows this row now."""
        tried = self._tried
        if tried is None:
            return
        key = row.entry.key if row is not None else None
        self._detail.set_trying(True)
        if key == self._shown_key:
            return
        self._shown_key = key
        if key == tried.entry.key:
            self._detail.begin_answer()
            self._detail.add_answer(self._text)
            self._detail.show_state(self._state)
        else:
            self._detail.show_state(f"{tried.entry.name} is being tried.")

    @Slot()
    def stop(self) -> None:
        """A trial that still waits is given up at once; its turn comes to nothing."""
        if not self.busy or self._running is None:
            return
        self._running.cancel()
        if self._waiting:
            self._stopped(self._number)

    @property
    def _is_shown(self) -> bool:
        return self._tried is not None and self._shown_key == self._tried.entry.key

    @Slot(list)
    def _show_progress(self, events: list[tuple[int, str, str]]) -> None:
        heard = [(state, piece) for number, state, piece in events if number == self._number and self.busy]
        if not heard:
            return
        self._waiting = False
        piece = "".join(piece for _, piece in heard)
        self._text += piece
        self._state = next((state for state, _ in reversed(heard) if state), self._state)
        if self._is_shown:
            self._detail.show_state(self._state)
            self._detail.add_answer(piece)

    def _finished(self, number: int, trial: ModelTrial) -> None:
        if number != self._number or not self.busy:
            return
        parts = []
        if trial.peak_mib is not None:
            parts.append(f"{gib(trial.peak_mib)} GiB at its highest ({gib(trial.predicted_mib)} predicted)")
        if trial.tokens_per_second is not None:
            parts.append(f"{trial.tokens_per_second:.0f} tok/s")
        is_shown = self._is_shown
        self._end(f"Measured: {', '.join(parts)}." if parts else "Done; nothing could be measured.")
        if is_shown:
            fill(self._detail.answer, trial.text, editable=False)

    def _failed(self, number: int, error: Exception) -> None:
        if number == self._number and self.busy:
            sentence = sentence_for(error)
            self._end(f"{sentence.message} {sentence.fix}".strip(), Tone.BAD)

    def _stopped(self, number: int) -> None:
        if number == self._number and self.busy:
            self._end("Given up." if self._waiting else "Stopped; the memory is free again.")

    def _end(self, message: str, tone: Tone = Tone.MUTED) -> None:
        self._buffer.stop()
        tried, is_shown = self._tried, self._is_shown
        self._tried = self._running = None
        self._waiting = False
        self._detail.set_trying(False)
        self._detail.show_state(
            message if is_shown or tried is None else f"{tried.entry.name}: {message}", tone
        )
        self.ended.emit()
