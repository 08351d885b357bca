"""The live table: a row a candidate, in the order of running; rows keep their places while a run goes on."""

from __future__ import annotations

from PySide6.QtCore import QObject

from desktop.application.live_run import CandidateLine, status_text
from desktop.application.wording import UNKNOWN, gib, milliseconds, rate, right_text
from desktop.gui.theme import Tone
from desktop.gui.widgets.cause_counts import CauseCounts
from desktop.gui.widgets.interval import IntervalValue
from desktop.gui.widgets.roles import CAUSE_COUNTS_ROLE, INTERVAL_ROLE, RUNS_ROLE
from desktop.gui.widgets.rows_model import Column, RowsModel
from desktop.gui.widgets.state_delegate import STATE_ROLE, StateLook, candidate_look
from desktop.gui.widgets.text_runs import Run, Runs
from desktop.runs.records import CandidateStatus
from packs.task.outcome import Cause

NAME, STATE, DONE, SO_FAR, CAUSES, INTERVAL, TTFT, RATE, MEMORY = range(9)

NOT_JUDGED = frozenset({CandidateStatus.OOM, CandidateStatus.FAILED, CandidateStatus.SKIPPED})


def so_far_text(line: CandidateLine) -> str:
    """'18 of 30 right'; a candidate that did not come to its end is not judged."""
    return "not judged" if line.status in NOT_JUDGED else right_text(line.right, line.judged)


def interval_text(line: CandidateLine) -> str:
    if line.interval is None or line.status in NOT_JUDGED:
        return UNKNOWN
    return f"{line.interval.lower * 100:.0f} to {line.interval.upper * 100:.0f} %"


def memory_text(line: CandidateLine) -> str:
    """Now, highest so far and predicted, GiB."""
    return f"{gib(line.now_mib)} / {gib(line.peak_mib)} / {gib(line.predicted_mib)}"


def memory_spoken(line: CandidateLine) -> str:
    peak = "peak not measured" if line.peak_mib is None else f"peak {gib(line.peak_mib)} GiB"
    predicted = "no prediction" if line.predicted_mib is None else f"predicted {gib(line.predicted_mib)} GiB"
    now = "" if line.now_mib is None else f", now {gib(line.now_mib)} GiB"
    return f"{peak}, {predicted}{now}"


def _not_right(line: CandidateLine) -> CauseCounts:
    """The causes so far but the right answers, which have a column of their own."""
    return CauseCounts(tuple((cause, count) for cause, count in line.causes if cause is not Cause.CORRECT))


def causes_text(line: CandidateLine) -> str:
    """'6 wrong, 1 answer cut': units by cause."""
    return _not_right(line).plain or UNKNOWN


def state_text(line: CandidateLine) -> str:
    """As shown to a person; when the run is over nobody waits and nobody runs."""
    after = {CandidateStatus.WAITING: "not run", CandidateStatus.RUNNING: "not finished"}
    return (after.get(line.status) if line.over else None) or status_text(line.status)


def _state_look(line: CandidateLine) -> StateLook:
    if line.over and line.status is CandidateStatus.RUNNING:
        return StateLook(state_text(line), Tone.WARN, "warning")
    return candidate_look(line.status, state_text(line))


def _reason_or_unknown(line: CandidateLine) -> str:
    if line.interval is None:
        return line.reason or "Nothing is judged yet."
    return f"95 % interval {interval_text(line)}; the line goes from 0 to 100 %"


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
            state_text,
            tooltip=lambda line: line.reason,
            spoken=lambda line: f"{state_text(line)}. {line.reason}".rstrip(". "),
            roles={STATE_ROLE: _state_look},
        ),
        Column("Done", lambda line: f"{line.done:,} / {line.total:,}", right=True, sort=lambda line: line.done),
        Column("So far", so_far_text, sort=lambda line: line.right),
        Column(
            "Not right",
            causes_text,
            tooltip=causes_text,
            sort=lambda line: sum(count for _, count in _not_right(line).counts),
            roles={CAUSE_COUNTS_ROLE: lambda line: _not_right(line) if _not_right(line).counts else None},
        ),
        Column(
            "95 % interval",
            interval_text,
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
            memory_text,
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
