"""All models of a finished run with their figures: right answers, latency, speed, memory, and a remark."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFrame, QWidget

from desktop.application.live_run import status_text
from desktop.application.wording import UNKNOWN, gib, milliseconds, rate
from desktop.gui.runs.live.candidates_model import name_runs
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.interval import IntervalDelegate, IntervalValue
from desktop.gui.widgets.roles import INTERVAL_ROLE, RUNS_ROLE
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.table import Table
from desktop.gui.widgets.text_runs import Run, Runs, RunsDelegate
from desktop.reports.data import CandidateView, Spread
from desktop.runs.records import CandidateStatus

NAME, RIGHT, INTERVAL, COLD, WARM, SPEED, PEAK, REMARK = range(8)


def remark(view: CandidateView) -> str:
    """What a person has to know of this model: recommended, why not, how it ended, and notes of its file."""
    parts = ["recommended"] if view.recommended else []
    if view.why_not:
        parts.append(view.why_not)
    elif view.record.ended_early:
        status = view.record.status
        completed = status is CandidateStatus.COMPLETED
        parts.append(view.record.reason.rstrip(".") if completed else status_text(status))
    if view.same_text is False:
        parts.append("answers differ between repetitions")
    parts += [note.rstrip(".") for note in view.notes]
    return "; ".join(dict.fromkeys(parts))


def _right(view: CandidateView) -> str:
    return f"{view.right} of {view.judged}" if view.judged else UNKNOWN


def _interval(view: CandidateView) -> IntervalValue | None:
    if view.interval is None or not view.judged or view.record.ended_early:
        return None
    return IntervalValue(view.interval.lower, view.interval.upper, view.right / view.judged)


def _interval_text(view: CandidateView) -> str:
    if view.interval is None:
        return UNKNOWN
    return f"{view.interval.lower * 100:.0f} to {view.interval.upper * 100:.0f} %"


def _median(spread: Spread | None) -> float | None:
    return None if spread is None else spread.median


def _range(spread: Spread | None, unit: str) -> str:
    """The tooltip: middle with the smallest and the largest."""
    if spread is None:
        return "Not measured."
    return f"From {spread.low:,.0f} to {spread.high:,.0f} {unit} over {spread.count:,} answers."


def _peak(view: CandidateView) -> Runs:
    record = view.record
    return Runs((Run(gib(record.peak_mib)), Run(f" / {gib(record.predicted_mib)}", tone=Tone.MUTED)))


class ModelsModel(RowsModel[CandidateView]):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            [
                Column(
                    "Model",
                    lambda view: view.name,
                    tooltip=lambda view: view.record.path or view.name,
                    roles={RUNS_ROLE: lambda view: name_runs(view.name, view.record.quantization)},
                ),
                Column("Right", _right, sort=lambda view: view.quality),
                Column(
                    "95 % interval, 0 to 100 %",
                    _interval_text,
                    tooltip=_interval_text,
                    sort=lambda view: None if view.interval is None else view.interval.lower,
                    roles={INTERVAL_ROLE: _interval},
                ),
                Column(
                    "First token, cold",
                    lambda view: milliseconds(_median(view.ttft_cold)),
                    right=True,
                    sort=lambda view: _median(view.ttft_cold),
                    tooltip=lambda view: _range(view.ttft_cold, "ms"),
                ),
                Column(
                    "warm",
                    lambda view: milliseconds(_median(view.ttft_warm)),
                    right=True,
                    sort=lambda view: _median(view.ttft_warm),
                    tooltip=lambda view: _range(view.ttft_warm, "ms"),
                ),
                Column(
                    "Tokens/s",
                    lambda view: rate(_median(view.tokens_per_second)),
                    right=True,
                    sort=lambda view: _median(view.tokens_per_second),
                    tooltip=lambda view: _range(view.tokens_per_second, "tokens/s"),
                ),
                Column(
                    "Peak / predicted, GiB",
                    lambda view: f"{gib(view.record.peak_mib)} / {gib(view.record.predicted_mib)}",
                    right=True,
                    sort=lambda view: view.record.peak_mib,
                    tooltip=lambda view: view.record.memory_method or "Not measured.",
                    roles={RUNS_ROLE: _peak},
                ),
                Column("Remark", remark, tooltip=remark),
            ],
            parent,
        )

    def set_views(self, views: Sequence[CandidateView]) -> None:
        self.set_rows(views)


class ResultModelsTable(Table):
    """All models of the run in one table."""

    def __init__(self, theme: Theme, model: ModelsModel, parent: QWidget | None = None) -> None:
        super().__init__(theme, "All models of the run", parent=parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setModel(model)
        runs = RunsDelegate(theme, self)
        for column in (NAME, PEAK):
            self.use_delegate(column, runs)
        self.use_delegate(INTERVAL, IntervalDelegate(theme, self))
        self.set_widths((26, 10, 20, 12, 9, 9, 16, None))
