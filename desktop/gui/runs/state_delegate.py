"""A sign and a word for a state in a table: never colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from desktop.gui.runs.rows_model import ROW_ROLE
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.text_runs import CELL_PADDING, Run, paint_ground, paint_runs, runs_width
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


def candidate_look(status: CandidateStatus, words: str) -> StateLook:
    sign, tone, bold = _CANDIDATES[status]
    return StateLook(words, tone, sign, bold)


def run_look(status: RunStatus, words: str) -> StateLook:
    sign, tone, bold = _RUNS[status]
    return StateLook(words, tone, sign, bold)


class StateDelegate(QStyledItemDelegate):
    """Paints `STATE_ROLE`; a cell without it is painted as usual."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        look = index.data(STATE_ROLE)
        if not isinstance(look, StateLook):
            super().paint(painter, option, index)
            return
        theme = self._theme
        room = paint_ground(painter, option, theme)
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        if look.sign:
            side = theme.px(14)
            left = room.right() - side if mirrored else room.left()
            at = QRectF(left, room.center().y() - side / 2, side, side)
            theme.icons.paint(painter, look.sign, at, look.tone.ink(theme.tokens))
            taken = side + theme.px(6)
            room = room.adjusted(0, 0, -taken, 0) if mirrored else room.adjusted(taken, 0, 0, 0)
        paint_runs(painter, room, (Run(look.text, tone=look.tone, bold=look.bold),), theme, right=mirrored)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        look = index.data(STATE_ROLE)
        if not isinstance(look, StateLook):
            return super().sizeHint(option, index)
        theme = self._theme
        width = runs_width(theme, (Run(look.text, bold=True),)) + 2 * theme.px(CELL_PADDING)
        return QSize(round(width + theme.px(22)), theme.row_height())
