"""The history: every run kept in the journal, pinned ones first, with a search over names, notes and models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from PySide6.QtCore import QObject

from desktop.application.wording import counted, moment, size
from desktop.gui.theme import Tone
from desktop.gui.widgets.roles import RUNS_ROLE
from desktop.gui.widgets.rows_model import UNKNOWN, Column, RowsModel
from desktop.gui.widgets.state_delegate import STATE_ROLE, StateLook, run_look
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.runs.records import RunStatus, RunSummary

STARTED, PACK, MODELS, STATE, DISK, NOTE = range(6)


def state_text(run: RunSummary) -> str:
    """'finished', 'stopped, 12 of 30 done'."""
    if run.status is RunStatus.FINISHED:
        return "finished"
    done = run.completed + run.failed + run.skipped
    return f"{run.status.value}, {done:,} of {run.units:,} done"


def shape_text(run: RunSummary) -> str:
    """'5 models × 30 examples × 3'."""
    message = f"{counted(len(run.candidates), 'model')} × {counted(run.examples, 'example')}"
    return message if run.repetitions == 1 else f"{message} × {run.repetitions}"


def holds(run: RunSummary, message: str) -> bool:
    """Does the run contain every word, in any of its names, its note, its state or its id?"""
    text = " ".join(
        (run.id, run.pack_name, run.note, run.status.value, run.started_at, run.backend, *run.candidates)
    ).casefold()
    return all(word in text for word in message.casefold().split())


def _started(run: RunSummary, now: datetime) -> StateLook:
    return StateLook(moment(run.started_at, now), Tone.NEUTRAL, "pin" if run.pinned else "")


class HistoryModel(RowsModel[RunSummary]):
    def __init__(self, now: Callable[[], datetime], parent: QObject | None = None) -> None:
        """now: the present, with its time zone."""
        super().__init__(
            [
                Column(
                    "Started",
                    lambda run: moment(run.started_at, now()),
                    sort=lambda run: run.started_at,
                    roles={STATE_ROLE: lambda run: _started(run, now())},
                    spoken=lambda run: f"{moment(run.started_at, now())}{', pinned' if run.pinned else ''}",
                ),
                Column(
                    "Pack",
                    lambda run: run.pack_name,
                    tooltip=lambda run: run.pack_folder,
                    roles={RUNS_ROLE: lambda run: Runs((Run(run.pack_name, bold=True),))},
                ),
                Column("Models", lambda run: ", ".join(run.candidates), tooltip=shape_text),
                Column(
                    "State",
                    state_text,
                    tooltip=lambda run: run.message,
                    roles={STATE_ROLE: lambda run: run_look(run.status, state_text(run))},
                ),
                Column(
                    "On disk",
                    self._size_text,
                    right=True,
                    sort=lambda run: self._sizes.get(run.id),
                    tooltip=lambda run: "About what its answers and figures take in the journal of runs.",
                ),
                Column("Note", lambda run: run.note, tooltip=lambda run: run.note),
            ],
            parent,
        )
        self._all: list[RunSummary] = []
        self._sizes: dict[str, int] = {}
        self._message = ""

    @property
    def everything(self) -> list[RunSummary]:
        return self._all

    def set_runs(self, runs: Iterable[RunSummary]) -> None:
        self._all = list(runs)
        self._show()

    def set_sizes(self, sizes: Mapping[str, int]) -> None:
        """Run id -> bytes; what is not there is not known yet."""
        self._sizes = dict(sizes)
        if self.rows:
            self.dataChanged.emit(self.index(0, DISK), self.index(self.rowCount() - 1, DISK))

    def _size_text(self, run: RunSummary) -> str:
        taken = self._sizes.get(run.id)
        return UNKNOWN if taken is None else size(taken)

    def search(self, message: str) -> None:
        if message != self._message:
            self._message = message
            self._show()

    def _show(self) -> None:
        self.set_rows([run for run in self._all if holds(run, self._message)])
