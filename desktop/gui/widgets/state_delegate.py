"""A sign and a word for a state in a table: never colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.cell_delegate import CELL_PADDING, CellDelegate, Index
from desktop.gui.widgets.rows_model import ROW_ROLE
from desktop.gui.widgets.text_runs import Run, paint_runs, runs_width
from desktop.runs.records import CandidateStatus, RunStatus

STATE_ROLE = ROW_ROLE + 1
"""`StateLook`."""


@dataclass(frozen=True, slots=True)
class StateLook:
    """sign: an icon's name, none for a state that asks for nothing."""

    text: str
    tone: Tone = Tone.MUTED
    sign: str = ""
    bold: bool = False


_CANDIDATES = {
    CandidateStatus.WAITING: ("", Tone.MUTED, False),
    CandidateStatus.RUNNING: ("play", Tone.ACCENT, True),
    CandidateStatus.COMPLETED: ("tick", Tone.GOOD, False),
    CandidateStatus.FAILED: ("cross", Tone.BAD, False),
    CandidateStatus.OOM: ("cross", Tone.BAD, False),
    CandidateStatus.SKIPPED: ("skip", Tone.MUTED, False),
}
_RUNS = {
    RunStatus.RUNNING: ("play", Tone.ACCENT, True),
    RunStatus.INTERRUPTED: ("warning", Tone.WARN, False),
    RunStatus.FINISHED: ("tick", Tone.GOOD, False),
    RunStatus.STOPPED: ("stop", Tone.MUTED, False),
    RunStatus.FAILED: ("cross", Tone.BAD, False),
}


def candidate_look(status: CandidateStatus, message: str) -> StateLook:
    sign, tone, bold = _CANDIDATES[status]
    return StateLook(message, tone, sign, bold)


def run_look(status: RunStatus, message: str) -> StateLook:
    sign, tone, bold = _RUNS[status]
    return StateLook(message, tone, sign, bold)


class StateDelegate(CellDelegate[StateLook]):
    """Paints `STATE_ROLE`; a cell without it is painted as usual."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, STATE_ROLE, StateLook, parent)

    def _paint_value(
        self, painter: QPainter, room: QRectF, value: StateLook, option: QStyleOptionViewItem, index: Index
    ) -> None:
        theme = self._theme
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        if value.sign:
            side = theme.px(14)
            left = room.right() - side if mirrored else room.left()
            at = QRectF(left, room.center().y() - side / 2, side, side)
            theme.icons.paint(painter, value.sign, at, value.tone.ink(theme.tokens))
            taken = side + theme.px(6)
            room = room.adjusted(0, 0, -taken, 0) if mirrored else room.adjusted(taken, 0, 0, 0)
        paint_runs(painter, room, (Run(value.text, tone=value.tone, bold=value.bold),), theme, right=mirrored)

    def _size(self, value: StateLook) -> QSize:
        theme = self._theme
        width = runs_width(theme, (Run(value.text, bold=True),)) + 2 * theme.px(CELL_PADDING)
        return QSize(round(width + theme.px(22)), theme.row_height())
