"""The unit in hand: input, expected value, and the answer as it comes."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QGridLayout, QPlainTextEdit, QWidget

from desktop.application.live_run import Writing
from desktop.application.wording import counted
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.plain_text import MAX_LINE, cut_lines
from desktop.reports.text import plain

INPUT_SHOWN = 1_200
"""Characters of the input that are shown here; the whole stands in the pack and in the result."""


class GrowingText(QPlainTextEdit):
    """Text that only grows at its end, with a block where the next letter comes. Never edited, never rich."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._whole = ""
        self._writing = False
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.document().setDocumentMargin(0)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_text(self, text: str, *, writing: bool) -> None:
        """The new whole; what was there already is not laid out again."""
        self._writing = writing
        if text == self._whole:
            self.viewport().update()
            return
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 1
        # While it grows only what is new is looked at; once a line is too long the whole is cut anew.
        added = plain(text[len(self._whole) :])
        grows = bool(self._whole) and text.startswith(self._whole)
        self._whole = text
        if grows and self.document().lastBlock().length() + len(added) <= MAX_LINE:
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(added)
        else:
            self.setPlainText(cut_lines(plain(text)))
        if at_end:
            bar.setValue(bar.maximum())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._writing:
            return
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        at = self.cursorRect(cursor)
        painter = QPainter(self.viewport())
        width = self.fontMetrics().averageCharWidth()
        painter.fillRect(QRectF(at.left(), at.top(), width, at.height()), QColor(self._theme.tokens.accent))
        painter.end()

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(Type.MONO))
        self.viewport().update()


class BeingWritten(Panel):
    """Shows one unit; one sentence before the first, between models and after the run."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Being written", ruled=True, parent=parent)
        self._theme = theme
        self.tokens_note = TextLabel(theme, kind=Type.SMALL, tone=Tone.MUTED)
        self.heading.addWidget(self.tokens_note)
        grid = QGridLayout()
        self._grid = grid
        self.input = TextLabel(theme, wrap=True, selectable=True)
        self.expected = TextLabel(theme, kind=Type.MONO, wrap=True, selectable=True)
        self.answer = GrowingText(theme)
        self.nothing = TextLabel(theme, tone=Tone.MUTED, wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._parts: list[QWidget] = []
        self.answer.setAccessibleName("Answer being written")
        for row, (message, field) in enumerate(
            (("Input", self.input), ("Expected", self.expected), ("Answer", self.answer))
        ):
            label = TextLabel(theme, message, kind=Type.SMALL, tone=Tone.MUTED)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(field, row, 1)
            self._parts += [label, field]
        self.input.setAccessibleName("Input of the example")
        self.expected.setAccessibleName("Expected answer")
        # The text itself follows the name, so that it is not lost to a reader.
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(2, 1)
        self.body.addWidget(self.nothing, 1)
        self.body.addLayout(grid, 1)
        self._show_parts(False)
        theme.changed.connect(self._space)
        self._space()

    def show_nothing(self, message: str) -> None:
        """Nothing is being written, and why; the last answer goes away with it."""
        self.nothing.setText(message)
        self.show_unit(None, "", "", "", at_work=False)

    def _show_parts(self, shown: bool) -> None:
        for part in self._parts:
            part.setVisible(shown)
        self.nothing.setVisible(not shown)

    def show_unit(
        self, writing: Writing | None, candidate: str, given: str, expected: str, *, at_work: bool
    ) -> None:
        """writing None: nothing is being written now; `show_nothing` says why."""
        self._show_parts(writing is not None)
        if writing is None:
            self.note.setText("")
            self.tokens_note.setText("")
            self.input.setText("")
            self.expected.setText("")
            self.answer.show_text("", writing=False)
            return
        again = "" if writing.key.repetition == 1 else f" · repetition {writing.key.repetition}"
        self.note.setText(f"example {writing.key.example} · {candidate}{again}")
        tokens = writing.prompt_tokens
        self.tokens_note.setText("" if tokens is None else f"prompt {counted(tokens, 'token')}")
        short = given if len(given) <= INPUT_SHOWN else f"{given[:INPUT_SHOWN]}…"
        self._set(self.input, plain(short))
        self._set(self.expected, plain(expected))
        reasoning = f"(thinking) {writing.reasoning}\n\n" if writing.reasoning and not writing.text else ""
        self.answer.show_text(reasoning + writing.text, writing=at_work)

    @staticmethod
    def _set(label: TextLabel, text: str) -> None:
        if label.text() != text:
            label.setText(text)
            label.setAccessibleDescription(text)

    @Slot()
    def _space(self) -> None:
        self._grid.setHorizontalSpacing(self._theme.px(16))
        self._grid.setVerticalSpacing(self._theme.px(8))
        self._grid.setColumnMinimumWidth(0, self._theme.metrics(Type.SMALL).horizontalAdvance("Expected "))
