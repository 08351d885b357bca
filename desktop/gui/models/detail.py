"""One model in words: the verdict, what would help, the sum, what the file says of itself, and a trial."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop.application import model_wording
from desktop.application.model_entries import ModelRow
from desktop.gui.models.sum_view import SumView
from desktop.gui.theme import Theme, Tone, Type
from desktop.gui.widgets.button import Button, LinkButton
from desktop.gui.widgets.flow import FlowLayout, wraps
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.panel import Panel
from desktop.gui.widgets.plain_text import fill
from desktop.inference.memory_fit.fit import BASE_MIB
from desktop.inference.memory_fit.verdict import Remedy

_MAX_REMEDIES = 4
FIRST_PROMPT = "Say in one sentence what you can do."
NO_TEMPLATE = (
    "The file has no chat template. The engine asks it in a form it may never have been trained on: it may be "
    "a base model that continues text instead of answering."
)


class DetailPanel(Panel):
    remedy_asked = Signal(object)
    """Remedy."""
    try_asked = Signal(str)
    """The prompt."""
    stop_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, padding=16, parent=parent)
        self._row: ModelRow | None = None
        self.headline = TextLabel(theme, "Choose a model to see its sum.", bold=True, elide=True)
        self.why = TextLabel(theme, "", wrap=True)
        self.why.setAccessibleName("Why")
        self._remedy_box = QWidget()
        self._remedies = FlowLayout(self._remedy_box)
        wraps(self._remedy_box)
        self.users = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.facts = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, wrap=True)
        self.warning = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.WARN, wrap=True)
        self.template = LinkButton(theme, "Show its chat template", small=True)
        self.template.clicked.connect(self._show_template)
        self.page = LinkButton(theme, "Open its page in the browser", icon="link", small=True)
        self.page.clicked.connect(self._open_page)
        self.sum = SumView(theme)
        self.prompt = QLineEdit(FIRST_PROMPT)
        self.prompt.setAccessibleName("Prompt to try")
        self.prompt.setMaxLength(4000)
        self.prompt.returnPressed.connect(self._try)
        self.try_button = Button(theme, "Try it and &measure", icon="play")
        self.try_button.setToolTip(
            "Loads the model once, asks it, measures memory and speed, and frees the memory."
        )
        self.try_button.clicked.connect(self._try)
        self.stop_button = Button(theme, "S&top", icon="stop")
        self.stop_button.clicked.connect(self.stop_asked)
        self.state = TextLabel(theme, "", kind=Type.SMALL, tone=Tone.MUTED, elide=True)
        self.state.setAccessibleName("What the trial does")
        self.answer = QPlainTextEdit()
        self.answer.setReadOnly(True)
        self.answer.setTabChangesFocus(True)
        self.answer.setAccessibleName("Answer of the model")
        self._links = QHBoxLayout()
        self._links.addWidget(self.template)
        self._links.addWidget(self.page)
        self._links.addStretch(1)
        self._try_row = QHBoxLayout()
        self._try_row.addWidget(self.prompt, 1)
        self._try_row.addWidget(self.try_button)
        self._try_row.addWidget(self.stop_button)
        inside = QWidget()
        left = QVBoxLayout(inside)
        left.setContentsMargins(0, 0, 0, 0)
        for widget in (self.headline, self.why, self._remedy_box, self.users, self.warning):
            left.addWidget(widget)
        left.addLayout(self._try_row)
        left.addWidget(self.state)
        left.addWidget(self.answer)
        left.addWidget(self.facts)
        left.addLayout(self._links)
        left.addStretch(1)
        self._left = left
        # The window may be low: then the words scroll and the sum stays.
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(inside)
        for ground in (self._scroll.viewport(), inside):
            ground.setAutoFillBackground(False)
        self._columns = QHBoxLayout()
        self._columns.addWidget(self._scroll, 1)
        self._columns.addWidget(self.sum, 0, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(self._columns)
        self.setAccessibleName("The chosen model")
        theme.changed.connect(self._restyle_detail)
        self._restyle_detail()
        self.show_row(None, (), None)

    def show_row(
        self,
        row: ModelRow | None,
        remedies: Sequence[Remedy],
        free_mib: float | None,
        base_mib: float = BASE_MIB,
    ) -> None:
        """None: nothing is chosen."""
        other = self._row is None or row is None or self._row.entry.key != row.entry.key
        self._row = row
        if row is None:
            self.headline.setText("Choose a model to see its sum.")
            for widget in (self.why, self._remedy_box, self.users, self.facts, self.warning, self.sum):
                widget.hide()
            for button in (
                self.template,
                self.page,
                self.prompt,
                self.try_button,
                self.stop_button,
                self.answer,
            ):
                button.hide()
            self.state.hide()
            return
        self.headline.setText(model_wording.headline(row))
        self.why.setText(model_wording.reason(row, free_mib, bool(remedies)))
        self.why.show()
        self._show_remedies(remedies)
        if other:
            self.users.hide()
            self.state.hide()
            self.answer.hide()
        context = row.estimate.settings.context_tokens if row.estimate else 0
        self.sum.show_prediction(
            row.estimate.prediction if row.estimate else None, context, abs(base_mib - BASE_MIB) > 0.05
        )
        self.facts.setText(_facts(row))
        self.facts.setVisible(bool(self.facts.text()))
        card = row.entry.found.card if row.entry.found else None
        runnable = card is not None and card.can_run
        self.warning.setText(_warnings(row))
        self.warning.setVisible(bool(self.warning.text()))
        self.template.setVisible(card is not None and card.chat_template is not None)
        self.page.setVisible(row.entry.listed is not None)
        for widget in (self.prompt, self.try_button):
            widget.setVisible(runnable)
        if not runnable:
            self.stop_button.hide()
        elif other:
            self.set_trying(False)

    def remedy_buttons(self) -> list[Button]:
        """As shown, the first to be offered first."""
        items = [self._remedies.itemAt(number) for number in range(self._remedies.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget for widget in widgets if isinstance(widget, Button)]

    def show_users(self, sentence: str) -> None:
        self.users.setText(sentence)
        self.users.setVisible(bool(sentence))

    def set_trying(self, trying: bool) -> None:
        self.try_button.setEnabled(not trying)
        self.prompt.setEnabled(not trying)
        self.stop_button.setVisible(trying)

    def begin_answer(self) -> None:
        self.answer.clear()
        self.answer.show()

    def show_state(self, text: str, tone: Tone = Tone.MUTED) -> None:
        self.state.set_tone(tone)
        self.state.setText(text)
        self.state.setVisible(bool(text))

    def add_answer(self, piece: str) -> None:
        cursor = self.answer.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        cursor.insertText(piece)
        self.answer.setTextCursor(cursor)

    def _show_remedies(self, remedies: Sequence[Remedy]) -> None:
        while self._remedies.count():
            item = self._remedies.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for remedy in remedies[:_MAX_REMEDIES]:
            button = Button(self._theme, model_wording.remedy_text(remedy).replace("&", "&&"))
            button.clicked.connect(partial(self.remedy_asked.emit, remedy))
            self._remedies.addWidget(button)
        self._remedy_box.setVisible(bool(remedies))
        self._remedy_box.updateGeometry()

    @Slot()
    def _try(self) -> None:
        prompt = self.prompt.text().strip()
        if prompt and self.try_button.isEnabled() and self.try_button.isVisible():
            self.try_asked.emit(prompt)

    @Slot()
    def _open_page(self) -> None:
        if self._row is not None and self._row.entry.listed is not None:
            QDesktopServices.openUrl(QUrl(self._row.entry.listed.link))

    @Slot()
    def _show_template(self) -> None:
        found = self._row.entry.found if self._row else None
        if found is None or found.card.chat_template is None:
            return
        dialog = QDialog(self)
        dialog.setWindowTitle("Chat template")
        text = QPlainTextEdit()
        fill(text, found.card.chat_template, editable=False)
        text.setFont(self._theme.font(Type.MONO))
        text.setAccessibleName(f"Chat template of {found.name}")
        close = Button(self._theme, "&Close")
        close.clicked.connect(dialog.accept)
        layout = QVBoxLayout(dialog)
        layout.addWidget(text, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        dialog.resize(self._theme.px(640), self._theme.px(440))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def minimumSizeHint(self) -> QSize:
        """The sum is never squeezed; asked for anew, since its labels may be restyled later than this panel."""
        hint = super().minimumSizeHint()
        if not hasattr(self, "sum"):
            # Qt asks already while the panel is being made.
            return hint
        return QSize(hint.width(), max(hint.height(), self.sum.sizeHint().height() + self._theme.px(34)))

    @Slot()
    def _restyle_detail(self) -> None:
        px = self._theme.px
        self._left.setSpacing(px(6))
        self._columns.setSpacing(px(24))
        self._try_row.setSpacing(px(8))
        self._links.setSpacing(px(8))
        self._remedies.set_gaps(px(8), px(6))
        self.prompt.setFont(self._theme.font())
        self.answer.setFont(self._theme.font(Type.MONO))
        self.answer.setFixedHeight(self._theme.metrics(Type.MONO).height() * 4 + px(12))


def _facts(row: ModelRow) -> str:
    parts: list[str] = []
    entry = row.entry
    if entry.model is not None:
        facts = entry.model.facts
        trained = f", trained with {facts.trained_context:,} tokens" if facts.trained_context else ""
        parts.append(f"{facts.architecture}, {facts.layers} layers{trained}")
    parts.append(f"{entry.size_mib / 1024:.2f} GiB on disk")
    if entry.found is not None:
        card = entry.found.card
        parts.append(f"licence {card.licence}" if card.licence else "the file names no licence")
        parts.append("; ".join(f"{place.owner}: {place.path}" for place in entry.found.places))
    elif entry.listed is not None:
        listed = entry.listed
        parts.append(f"licence {listed.licence}" if listed.licence else "licence: see its page")
        parts.append(f"figures from {listed.source}, read {listed.read}; sizes computed from the shape")
    return " · ".join(parts)


def _warnings(row: ModelRow) -> str:
    found = row.entry.found
    parts: list[str] = []
    if found is not None and found.card.can_run and found.card.chat_template is None:
        parts.append(NO_TEMPLATE)
    if row.estimate is not None:
        trained = row.entry.model.facts.trained_context if row.entry.model else None
        asked = row.estimate.settings.context_tokens // row.estimate.settings.slots
        if trained is not None and asked > trained:
            parts.append(f"It was trained with {trained:,} tokens; beyond that its answers get worse.")
        if row.estimate.prediction.is_estimate:
            parts.append("Its architecture has no rules of its own here: the figures are a wider estimate.")
    return " ".join(parts)
