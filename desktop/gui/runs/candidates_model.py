"""The live table: a row a candidate, in the order of running; rows keep their places while a run goes on."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop.gui.runs.live_state import CandidateLine, status_words
from desktop.gui.runs.rows_model import Column, RowsModel
from desktop.gui.runs.state_delegate import STATE_ROLE, candidate_look
from desktop.gui.runs.words import UNKNOWN, gib, milliseconds, rate, right_words
from desktop.gui.theme import Tone
from desktop.gui.widgets.interval import IntervalValue
from desktop.gui.widgets.roles import INTERVAL_ROLE, RUNS_ROLE
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.runs.records import CandidateStatus

NAME, STATE, DONE, SO_FAR, INTERVAL, TTFT, RATE, MEMORY = range(8)

NOT_JUDGED = frozenset({CandidateStatus.OOM, CandidateStatus.FAILED, CandidateStatus.SKIPPED})


def so_far_words(line: CandidateLine) -> str:
    """'18 of 30 right'; a candidate that did not come to its end is not judged."""
    return "not judged" if line.status in NOT_JUDGED else right_words(line.right, line.judged)


def interval_words(line: CandidateLine) -> str:
    if line.interval is None or line.status in NOT_JUDGED:
        return UNKNOWN
    return f"{line.interval.lower * 100:.0f} to {line.interval.upper * 100:.0f} %"


def memory_words(line: CandidateLine) -> str:
    """Now, highest so far and predicted, GiB."""
    return f"{gib(line.now_mib)} / {gib(line.peak_mib)} / {gib(line.predicted_mib)}"


def memory_spoken(line: CandidateLine) -> str:
    peak = "peak not measured" if line.peak_mib is None else f"peak {gib(line.peak_mib)} GiB"
    predicted = "no prediction" if line.predicted_mib is None else f"predicted {gib(line.predicted_mib)} GiB"
    now = "" if line.now_mib is None else f", now {gib(line.now_mib)} GiB"
    return f"{peak}, {predicted}{now}"


def _reason_or_unknown(line: CandidateLine) -> str:
    if line.interval is None:
        return line.reason or "Nothing is judged yet."
    return f"95 % interval {interval_words(line)}"


def name_runs(name: str, quantization: str | None) -> Runs:
    """The name strong, the quantization paler."""
    if not quantization:
        return Runs((Run(name, bold=True),))
    return Runs((Run(name, bold=True), Run(f" {quantization}", tone=Tone.MUTED)))


def _interval(line: CandidateLine) -> IntervalValue | None:
    if line.interval is None or line.right is None or line.status in NOT_JUDGED:
        return None
    return IntervalValue(line.interval.lower, line.interval.upper, line.right / line.judged)


def _memory_runs(line: CandidateLine) -> Runs:
    return Runs(
        (
            Run(f"{gib(line.now_mib)} / ", tone=Tone.MUTED),
            Run(gib(line.peak_mib), bold=line.now_mib is not None),
            Run(f" / {gib(line.predicted_mib)}", tone=Tone.MUTED),
        )
    )


def live_columns() -> list[Column[CandidateLine]]:
    return [
        Column(
            "Model",
            lambda line: line.name,
            tooltip=lambda line: f"{line.name} {line.quantization or ''}".strip(),
            spoken=lambda line: f"{line.name} {line.quantization or ''}".strip(),
            roles={RUNS_ROLE: lambda line: name_runs(line.name, line.quantization)},
        ),
        Column(
            "State",
            lambda line: status_words(line.status),
            tooltip=lambda line: line.reason,
            spoken=lambda line: f"{status_words(line.status)}. {line.reason}".rstrip(". "),
            roles={STATE_ROLE: lambda line: candidate_look(line.status, status_words(line.status))},
        ),
        Column("Done", lambda line: f"{line.done:,} / {line.total:,}", right=True, sort=lambda line: line.done),
        Column("So far", so_far_words, sort=lambda line: line.right),
        Column(
            "95 % interval, 0 to 100 %",
            interval_words,
            tooltip=_reason_or_unknown,
            sort=lambda line: None if line.interval is None else line.interval.lower,
            roles={INTERVAL_ROLE: _interval},
        ),
        Column(
            "First token", lambda line: milliseconds(line.ttft_ms), right=True, sort=lambda line: line.ttft_ms
        ),
        Column(
            "Tokens/s",
            lambda line: rate(line.tokens_per_second),
            right=True,
            sort=lambda line: line.tokens_per_second,
        ),
        Column(
            "Now / peak / predicted, GiB",
            memory_words,
            right=True,
            tooltip=memory_spoken,
            spoken=memory_spoken,
            sort=lambda line: line.peak_mib,
            roles={RUNS_ROLE: _memory_runs},
        ),
    ]


class CandidatesModel(RowsModel[CandidateLine]):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(live_columns(), parent)
