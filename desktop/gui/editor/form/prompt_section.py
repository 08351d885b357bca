"""The prompt: its text with the place for the input marked, and one click to put or mend that place."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Slot
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.undo_keys import UndoKeys
from desktop.gui.editor.form.fields import BoundField, TextField
from desktop.gui.editor.form.section import Section
from desktop.gui.theme import Theme, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.plain_text import fill, text_of, typed_into
from packs.documents.problems import Problem
from packs.errors import AppError
from packs.task.content import UnreadableContent
from packs.task.model import MANIFEST
from packs.task.prompt import PLACEHOLDER, lookalikes
from packs.task.prompt_presets import preset_for, use_preset


class PromptEdit(QPlainTextEdit):
    """Plain text with line numbers; the placeholder and what looks like it are marked."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setTabChangesFocus(True)
        self._numbers = _Numbers(self)
        self._marks = _Marks(self.document(), theme)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scrolled)
        theme.changed.connect(self._restyle)
        self._restyle()

    def numbers_width(self) -> int:
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + self._theme.px(14)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._numbers.setGeometry(QRect(area.left(), area.top(), self.numbers_width(), area.height()))

    def paint_numbers(self, event: QPaintEvent) -> None:
        painter = QPainter(self._numbers)
        painter.fillRect(event.rect(), QColor(self._theme.tokens.alt))
        painter.setPen(QColor(self._theme.tokens.muted))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            if block.isVisible():
                box = QRect(
                    0, round(top), self._numbers.width() - self._theme.px(6), self.fontMetrics().height()
                )
                painter.drawText(box, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))
            top += height
            block = block.next()
        painter.end()

    @Slot()
    def _make_room(self) -> None:
        self.setViewportMargins(self.numbers_width(), 0, 0, 0)

    @Slot(QRect, int)
    def _scrolled(self, area: QRect, by: int) -> None:
        if by:
            self._numbers.scroll(0, by)
        else:
            self._numbers.update(0, area.y(), self._numbers.width(), area.height())

    @Slot()
    def _restyle(self) -> None:
        self.setFont(self._theme.font(Type.MONO))
        self._marks.rehighlight()
        self._make_room()
        self.setMinimumHeight(self.fontMetrics().height() * 10)


class _Numbers(QWidget):
    def __init__(self, editor: PromptEdit) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.numbers_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_numbers(event)


class _Marks(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme

    def highlightBlock(self, text: str) -> None:
        tokens = self._theme.tokens
        good = QTextCharFormat()
        good.setBackground(QColor(tokens.accent_soft))
        good.setFontWeight(QFont.Weight.DemiBold)
        start = text.find(PLACEHOLDER)
        while start >= 0:
            self.setFormat(start, len(PLACEHOLDER), good)
            start = text.find(PLACEHOLDER, start + 1)
        almost = QTextCharFormat()
        almost.setBackground(QColor(tokens.warn_soft))
        almost.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        almost.setUnderlineColor(QColor(tokens.bad))
        for piece, place in lookalikes(text.replace(PLACEHOLDER, " " * len(PLACEHOLDER))):
            self.setFormat(place, len(piece), almost)


class PromptField(BoundField):
    """The whole prompt file as text."""

    def __init__(self, theme: Theme, document: PackDocument) -> None:
        self.edit = PromptEdit(theme)
        file = document.content.prompt_file
        super().__init__(theme, document, file, (), "Te&xt sent for every example", self.edit)
        self._filling = False
        UndoKeys(self.edit, document)
        self.edit.textChanged.connect(self._typed)

    def refresh(self) -> None:
        self.file = self.document.content.prompt_file
        text = self._text()
        place = self.edit.textCursor().position()
        self._filling = True
        fill(self.edit, text)
        self._filling = False
        if place != self.edit.textCursor().position():
            cursor = self.edit.textCursor()
            cursor.setPosition(min(place, self.edit.document().characterCount() - 1))
            self.edit.setTextCursor(cursor)

    def reveal(self, problem: Problem) -> QWidget:
        self.edit.setFocus()
        cursor = self.edit.textCursor()
        text = text_of(self.edit)
        found = lookalikes(text)
        block = self.edit.document().findBlockByNumber((problem.line or 1) - 1)
        if found and problem.code in ("no_placeholder", "placeholder_like"):
            piece, place = min(found, key=lambda entry: abs(entry[1] - block.position()))
            before = text[:place]
            start = len(before.encode("utf-16-le")) // 2
            cursor.setPosition(start)
            cursor.setPosition(start + len(piece), cursor.MoveMode.KeepAnchor)
        elif block.isValid():
            cursor.setPosition(block.position())
            cursor.movePosition(cursor.MoveOperation.EndOfBlock, cursor.MoveMode.KeepAnchor)
        self.edit.setTextCursor(cursor)
        self.edit.ensureCursorVisible()
        return self.edit

    @Slot()
    def _typed(self) -> None:
        before = self._text()
        text = typed_into(self.edit, before)
        # A change of colours or fonts is told as one of the text too.
        if not self._filling and text != before:
            self.document.push(self.document.content.put_text(self.file, text, "edit the prompt"))

    def _text(self) -> str:
        try:
            return self.document.content.text(self.file)
        except UnreadableContent:
            return ""


class PromptSection(Section):
    def __init__(self, theme: Theme, document: PackDocument) -> None:
        super().__init__(theme, document, "Prompt")
        self.insert_button = Button(theme, f"&Insert {PLACEHOLDER}", icon="plus")
        self.insert_button.clicked.connect(self._insert)
        self.preset_button = Button(theme, "")
        self.preset_button.setAccessibleDescription(
            "Asks in the prompt for the kind of answer that the scorer reads, and sets a length for it"
        )
        self.preset_button.setToolTip(self.preset_button.accessibleDescription())
        self.preset_button.clicked.connect(self._preset)
        self.heading.addWidget(self.insert_button)
        self.heading.addWidget(self.preset_button)
        self.file_field = TextField(
            theme,
            document,
            MANIFEST,
            ("prompt_template",),
            "Prompt fi&le",
            note="In the pack folder.",
            width=40,
        )
        self.add_field(self.file_field)
        self.prompt = PromptField(theme, document)
        self.add_field(self.prompt)
        self.body.setStretch(self.body.count() - 1, 1)
        self.refresh()

    def owns(self, problem: Problem) -> bool:
        if problem.file == MANIFEST:
            return problem.path[:1] == ("prompt_template",)
        return problem.file == self.document.content.prompt_file

    def refresh(self) -> None:
        super().refresh()
        preset = preset_for(self.document.content)
        self.preset_button.setVisible(preset is not None)
        self.preset_button.setText(f"Preset: {preset.message.lower()}" if preset is not None else "")

    @Slot()
    def _preset(self) -> None:
        preset = preset_for(self.document.content)
        if preset is None:
            return
        try:
            self.document.push(use_preset(self.document.content, preset))
        except (KeyError, UnreadableContent, AppError):
            return

    @Slot()
    def _insert(self) -> None:
        self.prompt.edit.insertPlainText(PLACEHOLDER)
        self.prompt.edit.setFocus()
