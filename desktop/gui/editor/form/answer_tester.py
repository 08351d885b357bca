"""Try the scorer on a text of one's own, at once."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from desktop.gui.editor.document.document import PackDocument
from desktop.gui.theme import Theme, Tone
from desktop.gui.widgets.label import TextLabel
from packs.documents.strict_json import shown
from packs.errors import AppError
from packs.task.content import UnreadableContent
from packs.task.scorers import SCORERS, Scorer
from packs.task.scorers.base import BadExpected

_LONGEST = 60
"""Characters of an expected value or a field name that are shown."""


class AnswerTester(QWidget):
    """Judged by the same scorer as a run, against the expected value of the example that is chosen."""

    def __init__(self, theme: Theme, document: PackDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._file = ""
        self._label = TextLabel(theme, "&Try an answer", bold=True)
        self.line = QLineEdit()
        self.line.setAccessibleName("Try an answer")
        self._label.setBuddy(self.line)
        self.result = TextLabel(theme, "", wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(8), 0, 0)
        column.addWidget(self._label)
        column.addWidget(self.line)
        column.addWidget(self.result)
        self.line.textChanged.connect(self.refresh)

    def show_example(self, file: str) -> None:
        """file: of the example whose expected value counts; '' for none."""
        self._file = file
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        text = self.line.text()
        if not text:
            self.result.setText("What the scorer would say to it is shown here.")
            self.result.set_tone(Tone.MUTED)
            return
        message, good = self._judged(text)
        self.result.setText(message)
        self.result.set_tone(Tone.GOOD if good else Tone.BAD if good is False else Tone.MUTED)

    def _judged(self, text: str) -> tuple[str, bool | None]:
        try:
            manifest = self._document.content.manifest()
            scorer = SCORERS[manifest["scorer"]](manifest.get("scorer_params") or {})
            return scorer.tried_alone(text) or self._against_example(scorer, text)
        except (UnreadableContent, KeyError, IndexError, TypeError, ValueError, AppError):
            return "The scorer has a problem; it cannot be tried.", None

    def _against_example(self, scorer: Scorer, text: str) -> tuple[str, bool | None]:
        name = self._file.rsplit("/", 1)[-1].removesuffix(".json")
        try:
            expected = self._document.content.value(self._file, ("expected",))
            scorer.check_expected(expected)
        except (KeyError, UnreadableContent):
            return "It depends on the expected value: choose an example that has one.", None
        except BadExpected as error:
            return f"Example {name} cannot be compared with: {error.message}", None
        score = scorer.score(text, expected)
        message = scorer.verdict(score)
        wanted = shown(expected, _LONGEST)
        return f"{message} Example {name} expects {wanted}.", score.passed
