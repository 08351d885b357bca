"""Marked pieces of an answer as the widgets draw them."""

from __future__ import annotations

from collections.abc import Sequence

from desktop.gui.runs.differences import Mark, Piece
from desktop.gui.theme import Tone, Type
from desktop.gui.widgets.text_runs import Mark as RunMark
from desktop.gui.widgets.text_runs import Run, Runs

_MARKS = {
    Mark.SAME: None,
    Mark.WRONG: RunMark.MISSING,
    Mark.ADDED: RunMark.ADDED,
    Mark.NEAR: RunMark.NEAR,
    Mark.HIDDEN: RunMark.BOX,
}


def runs_of(pieces: Sequence[Piece], kind: Type = Type.MONO, tone: Tone = Tone.NEUTRAL) -> Runs:
    return Runs(tuple(Run(piece.text, tone=tone, kind=kind, mark=_MARKS[piece.mark]) for piece in pieces))
