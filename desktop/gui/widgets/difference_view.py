"""Outputs, prompts and differences as text that can be read, marked and copied, never as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QSizePolicy, QTextEdit, QWidget

from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.plain_text import MAX_LINE, cut_note
from desktop.gui.widgets.text_runs import Mark, Run, Runs, run_ink

_LINE_ENDS = re.compile("([\n\r\u2028\u2029]+)")


def _laid_out(parts: Sequence[Run]) -> Sequence[Run]:
    """The same pieces with each line cut that is too long to be laid out, and its length behind it."""
    if sum(len(part.text) for part in parts) <= MAX_LINE:
        return parts
    kept: list[Run] = []
    length = 0
    for part in parts:
        for at, piece in enumerate(_LINE_ENDS.split(part.text)):
            if at % 2:
                kept.extend(_cut_at(length))
                kept.append(replace(part, text=piece))
                length = 0
            else:
                kept.append(replace(part, text=piece[: max(0, MAX_LINE - length)]))
                length += len(piece)
    kept.extend(_cut_at(length))
    return kept


def _cut_at(length: int) -> Sequence[Run]:
    return () if length <= MAX_LINE else (Run(cut_note(length), tone=Tone.MUTED),)


class DifferenceView(QTextEdit):
    """view.show_runs(difference(expected, answer)); view.show_plain(text)

    Read-only; the keyboard can walk and mark in it. lines: height wanted, in lines of text.
    """

    def __init__(self, theme: Theme, name: str, *, lines: int = 4, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines = lines
        self._runs = Runs(())
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_plain(self, text: str) -> None:
        self.show_runs(Runs((Run(text, kind=Type.MONO),)))

    def show_runs(self, runs: Runs) -> None:
        self._runs = runs
        self._write()

    @property
    def runs(self) -> Runs:
        return self._runs

    def sizeHint(self) -> QSize:
        theme = self._theme
        return QSize(theme.chars(40), theme.metrics(Type.MONO).lineSpacing() * self._lines + theme.px(14))

    def minimumSizeHint(self) -> QSize:
        return QSize(
            self._theme.chars(16), self._theme.metrics(Type.MONO).lineSpacing() * 2 + self._theme.px(14)
        )

    def _write(self) -> None:
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for run in _laid_out(self._runs.parts):
            cursor.insertText(run.text, self._format(run))
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _format(self, run: Run) -> QTextCharFormat:
        tokens = self._theme.tokens
        shape = QTextCharFormat()
        shape.setFont(self._theme.font(run.kind, bold=run.bold))
        shape.setForeground(run_ink(self._theme, run))
        if run.mark is Mark.MISSING:
            shape.setBackground(QColor(tokens.bad_soft))
            shape.setFontStrikeOut(True)
        elif run.mark is Mark.ADDED:
            shape.setBackground(QColor(tokens.good_soft))
            shape.setFontUnderline(True)
        elif run.mark is Mark.NEAR:
            shape.setBackground(QColor(tokens.warn_soft))
            shape.setFontUnderline(True)
            shape.setUnderlineColor(QColor(tokens.warn))
        elif run.mark is Mark.BOX:
            shape.setBackground(QColor(tokens.track))
        return shape

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(Type.MONO))
        self.document().setDocumentMargin(self._theme.px(6))
        self._write()
        self.updateGeometry()
