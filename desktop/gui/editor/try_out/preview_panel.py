"""Beside the form: exactly what the model will be sent for the chosen example, and its length."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.try_out.token_count import TokenCount
from desktop.gui.editor.try_out.try_panel import TryPanel
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.plain_text import fill
from packs.task.content import UnreadableContent
from packs.task.prompt import PLACEHOLDER, render

CHARACTERS_PER_TOKEN = 4.0
"""Of European languages, about; only for an estimate that is called one."""


class LengthBar(QWidget):
    """Prompt, then answer, against the context."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts = (0.0, 0.0)
        self.setAccessibleName("Length against the context")
        theme.changed.connect(self.update)

    def show_parts(self, prompt: float, answer: float) -> None:
        """Shares of the context, 0 to 1 each."""
        self._parts = (prompt, answer)
        self.setAccessibleDescription(f"{round((prompt + answer) * 100)} % of the context")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(10))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        height = self._theme.px(8)
        painter.fillRect(QRectF(0, 0, self.width(), height), QColor(tokens.track))
        prompt, answer = (min(max(part, 0.0), 1.0) for part in self._parts)
        over = prompt + answer > 1
        painter.fillRect(
            QRectF(0, 0, self.width() * prompt, height), QColor(tokens.bad if over else tokens.accent)
        )
        start = self.width() * prompt + 1
        painter.fillRect(QRectF(start, 0, self.width() * min(answer, 1 - prompt), height), QColor(tokens.warn))
        painter.end()


class PreviewPanel(QWidget):
    """`show_example` chooses; the rest follows the document."""

    step_asked = Signal(int)
    """-1 for the example before, 1 for the next."""

    def __init__(
        self,
        theme: Theme,
        document: PackDocument,
        try_panel: TryPanel | None = None,
        counting: TokenCount | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """try_panel: below; None where nothing can be tried. counting: with it lengths are exact where a model
        can tell them."""
        super().__init__(parent)
        self._theme = theme
        self._document = document
        self.try_panel = try_panel
        self._counting = counting
        self._sent = ""
        self._file = ""
        heading = QHBoxLayout()
        heading.addWidget(TextLabel(theme, "What the model is sent", bold=True))
        heading.addStretch(1)
        self.back_button = Button(theme, "", icon="chevron-left")
        self.back_button.setAccessibleName("Example before")
        self.next_button = Button(theme, "", icon="chevron-right")
        self.next_button.setAccessibleName("Next example")
        self.name = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        names = QHBoxLayout()
        names.addWidget(self.name, 1)
        names.addWidget(self.back_button)
        names.addWidget(self.next_button)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("What the model is sent")
        self.warning = TextLabel(theme, "", tone=Tone.WARN, wrap=True)
        self.length = TextLabel(theme, "", wrap=True)
        self.bar = LengthBar(theme)
        self.how = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self._column = QVBoxLayout(self)
        self._column.addLayout(heading)
        self._column.addLayout(names)
        self._column.addWidget(self.text, 1)
        for widget in (self.warning, self.length, self.bar, self.how):
            self._column.addWidget(widget)
        if try_panel is not None:
            self._column.addWidget(try_panel)
            try_panel.models.changed.connect(self._show_length)
        if counting is not None:
            counting.counted.connect(self._show_length)
        self.back_button.clicked.connect(self._back)
        self.next_button.clicked.connect(self._next)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_example(self, file: str) -> None:
        self._file = file
        if self.try_panel is not None:
            self.try_panel.show_example(file)
        self.refresh()

    def refresh(self) -> None:
        if self.try_panel is not None:
            self.try_panel.refresh()
        content = self._document.content
        try:
            template = content.text(content.prompt_file)
        except UnreadableContent:
            template = ""
        try:
            tree = content.tree(self._file) if self._file else None
        except UnreadableContent:
            tree = None
        given = tree.get("input") if isinstance(tree, dict) else None
        text = render(template, given) if isinstance(given, str) else template
        fill(self.text, text, editable=False)
        name = self._file.rsplit("/", 1)[-1].removesuffix(".json")
        self.name.setText(f"Example {name}" if name else "No example")
        missing = PLACEHOLDER not in template
        self.warning.setVisible(missing)
        self.warning.setText(f"The example does not appear in this text: {PLACEHOLDER} is missing.")
        self._sent = text
        self._show_length()

    @Slot()
    def _show_length(self) -> None:
        try:
            generation = self._document.content.manifest().get("generation")
        except UnreadableContent:
            generation = None
        values = generation if isinstance(generation, dict) else {}
        context, answer = values.get("context"), values.get("max_tokens")
        tokens, about, how = self._tokens()
        if not isinstance(context, int) or not isinstance(answer, int) or context < 1 or answer < 1:
            self.length.setText(f"{about}{tokens:,} tokens")
            self.bar.hide()
        else:
            self.length.setText(f"{about}{tokens:,} tokens + {answer:,} for the answer, of {context:,}")
            self.bar.show()
            self.bar.show_parts(tokens / context, answer / context)
        self.how.setText(how)

    def _tokens(self) -> tuple[int, str, str]:
        """How many, "About " for an estimate, and how that is known."""
        estimate = round(len(self._sent.encode("utf-8", "replace")) / CHARACTERS_PER_TOKEN)
        how = "Estimated from the length of the text; a run counts exactly."
        if self._counting is None or self.try_panel is None or not self.isVisible():
            return estimate, "About ", how
        model = self.try_panel.models.model
        found = self._counting.of(model, self._sent)
        if found is None or model is None:
            return estimate, "About ", how
        if found.tokens is None:
            return estimate, "About ", f"{how} {found.why}"
        how = f"Counted with the vocabulary of {model.model.name}, its chat template included."
        return found.tokens, "", how

    def showEvent(self, event: QShowEvent) -> None:
        """What was only estimated while nobody looked is counted now."""
        super().showEvent(event)
        self._show_length()

    @Slot()
    def _back(self) -> None:
        self.step_asked.emit(-1)

    @Slot()
    def _next(self) -> None:
        self.step_asked.emit(1)

    @Slot()
    def _restyle(self) -> None:
        px = self._theme.px
        self.text.setFont(self._theme.font(Type.MONO))
        self._column.setContentsMargins(px(12), px(12), px(12), px(12))
        self._column.setSpacing(px(8))
        heading = self._theme.metrics(bold=True).horizontalAdvance("What the model is sent")
        names = self._theme.metrics(Type.SMALL).horizontalAdvance("Example 00000")
        names += 2 * self.next_button.sizeHint().width() + px(44)
        self.setMinimumWidth(max(self._theme.chars(30), heading + px(32), names))
