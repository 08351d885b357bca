"""Try the shown example on one model now: its answer, what it scores and why, the difference marked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop.application.try_examples import TriedAnswer
from desktop.gui.core.tasks import TaskRunner
from desktop.gui.editor.document.document import PackDocument
from desktop.gui.editor.document.example_edits import read_expected
from desktop.gui.editor.try_out.model_box import ModelBox
from desktop.gui.editor.try_out.trying import Trying, waiting_text
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.button import Button
from desktop.gui.widgets.cause_cells import CELL, CauseCells
from desktop.gui.widgets.difference_view import DifferenceView
from desktop.gui.widgets.label import TextLabel
from desktop.gui.widgets.text_difference import difference, visible_runs
from desktop.gui.widgets.text_runs import Runs
from packs.task.content import UnreadableContent
from packs.task.extract import extract_json
from packs.task.trial import is_unknown

if TYPE_CHECKING:
    from desktop.application.run_service import RunService


class TryPanel(QWidget):
    """`show_example` chooses; answers are kept until the pack is closed."""

    all_asked = Signal()
    """Every example whose expected value is not known is to be asked."""

    def __init__(
        self,
        theme: Theme,
        service: RunService,
        tasks: TaskRunner,
        document: PackDocument,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._document = document
        self._file = ""
        self._asked = ""
        self._model = ""
        self.tried: dict[str, tuple[TriedAnswer, bytes | None]] = {}
        self._filled = False
        self._cells = CauseCells(theme)
        self.trying = Trying(service, tasks, document, self)
        self.models = ModelBox(theme, service, tasks, document, "Model to try it on")
        self.box = self.models.box
        self.button = Button(theme, "Tr&y it", icon="play")
        self.all_button = Button(theme, "As&k all without an answer")
        self.all_button.setAccessibleDescription("Every example whose expected value is not known yet")
        self.state = TextLabel(theme, "", wrap=True, tone=Tone.MUTED)
        self.cell = QLabel()
        self.message = TextLabel(theme, "", wrap=True)
        self.answer = DifferenceView(theme, "Answer of the model", lines=3)
        self.use_button = Button(theme, "&Use as expected")
        row = QHBoxLayout()
        row.addWidget(self.button)
        row.addStretch(1)
        row.addWidget(self.models.other_button)
        reported = QHBoxLayout()
        reported.addWidget(self.cell)
        reported.addWidget(self.message, 1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.models)
        self._column.addLayout(row)
        self._column.addWidget(self.all_button)
        self._column.addWidget(self.state)
        self._column.addLayout(reported)
        self._column.addWidget(self.answer)
        self._column.addWidget(self.use_button)
        self.button.clicked.connect(self._press)
        self.all_button.clicked.connect(self.all_asked)
        self.use_button.clicked.connect(self._use)
        self.models.failed.connect(self.state.setText)
        self.trying.answered.connect(self._answered)
        self.trying.began.connect(self._began)
        self.trying.ended.connect(self._ended)
        theme.changed.connect(self.refresh)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._filled:
            self._filled = True
            self.models.fill()

    def show_example(self, file: str) -> None:
        self._file = file
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        content = self._document.content
        busy = self.trying.busy
        self.button.setText("Stop" if busy else "Tr&y it")
        self.button.set_sign("stop" if busy else "play")
        self.button.setEnabled(busy or bool(self._file))
        self.all_button.setVisible(bool(self._file) and is_unknown(content, self._file))
        tried = self.tried.get(self._file)
        shown = tried is not None
        for widget in (self.cell, self.message, self.answer):
            widget.setVisible(shown)
        self.use_button.setVisible(tried is not None and tried[0].outcome is None)
        if tried is None:
            return
        answer, asked_as = tried
        outcome = answer.outcome
        if outcome is not None:
            side = self._theme.px(CELL)
            self.cell.setPixmap(self._cells.pixmap(outcome.cause, side, self.devicePixelRatioF()))
            score = "" if outcome.score is None else f" · score {outcome.score:.2f}".rstrip("0").rstrip(".")
            self.message.setText(f"{outcome.cause.message.capitalize()}{score}. {outcome.reason}")
            expected = _text(self._expected())
            self.answer.show_runs(difference(expected, answer.text) if expected else _plain(answer.text))
        else:
            self.cell.hide()
            self.message.setText("No expected answer is known, so it has no score.")
            self.answer.show_runs(_plain(answer.text))
        stale = content.files.get(self._file) != asked_as
        if not busy:
            tokens = (
                "" if answer.prompt_tokens is None else f" {answer.prompt_tokens:,} prompt tokens, counted."
            )
            self.state.setText(("Before your change." if stale else f"{answer.wall_ms / 1000:.1f} s.") + tokens)

    @Slot()
    def _press(self) -> None:
        if self.trying.busy:
            self.trying.stop()
            return
        model = self.models.model
        if model is None:
            self.state.setText("There is no model to try it on. Add one in Models.")
            return
        self._asked = self._file
        self._model = model.message
        self._began()
        if self.trying.start([self._file], model):
            if self.trying.waiting:
                self.state.setText(waiting_text(model.message))
            self.refresh()

    @Slot()
    def _began(self) -> None:
        self.state.setText(f"{self._model} is asked …")

    @Slot(object)
    def _answered(self, answer: TriedAnswer) -> None:
        self.tried[self._asked] = (answer, self._document.content.files.get(self._asked))

    @Slot(str)
    def _ended(self, message: str) -> None:
        self.refresh()
        if message:
            self.state.setText(message)

    @Slot()
    def _use(self) -> None:
        """What the model answered becomes the expected value, as a step that can be taken back."""
        tried = self.tried.get(self._file)
        if tried is not None:
            use_answers(self._document, {self._file: tried[0].text})
            self.refresh()

    def _expected(self) -> Any:
        try:
            tree = self._document.content.tree(self._file)
        except UnreadableContent:
            return None
        return tree.get("expected") if isinstance(tree, dict) else None


def use_answers(document: PackDocument, answers: dict[str, str]) -> int:
    """Make answers the expected values of their examples, as one step. Returns how many could be."""
    content = document.content
    files: dict[str, bytes | None] = {}
    for file, text in answers.items():
        try:
            tree = content.tree(file)
            value = read_expected(content, text.strip())
            if isinstance(tree.get("expected"), dict):
                found = extract_json(text).value
                value = found if isinstance(found, dict) else value
            files.update(content.put(file, ("expected",), value).after)
        except (UnreadableContent, KeyError, AttributeError, ValueError):
            continue
    if files:
        message = "use the answer of a model" if len(files) == 1 else f"use {len(files)} answers of a model"
        document.push(content.put_files(files, message))
    return len(files)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> Runs:
    return Runs(tuple(visible_runs(text)))
